import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleartitle.errors import MissingExtraError
from cleartitle.licenses import Scancode, detect, license_class

APACHE = """#!/usr/bin/env python
# -*- coding: utf-8 -*-
# Copyright 2018 The Sample Authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

import os
"""
GPL = """/*
 * This program is free software; you can redistribute it and/or modify
 * it under the terms of the GNU {0}General Public License as published by
 * the Free Software Foundation; {1}
 *
 * This program is distributed in the hope that it will be useful, but
 * WITHOUT ANY WARRANTY. See the GNU {0}General Public License for details.
 */
int x;
"""
LATER = "either version {0} of the License, or\n * (at your option) any later version."
BSD = """/*
 * Redistribution and use in source and binary forms, with or without
 * modification, are permitted provided that the following conditions are met:
 * 1. Redistributions of source code must retain the above copyright notice.
 * 2. Redistributions in binary form must reproduce the above copyright notice.
 * {0}
 * THIS SOFTWARE IS PROVIDED "AS IS".
 */
"""
THIRD = "3. Neither the name of the owner nor of its contributors may be used to endorse or promote products."
FOURTH = "3. All advertising materials must display an acknowledgement. 4. Names may not be used to endorse."
MIT = """// Permission is hereby granted, free of charge, to any person obtaining a copy
// of this software, to deal in the Software without restriction, subject to:
// The above copyright notice and this permission notice shall be included in
// all copies.
"""
ISC_WITH_DOCUMENTATION = """# Permission to use, copy, modify, and distribute this software and its documentation
# for any purpose with or without fee is hereby granted, provided that the above copyright notice
# and this permission notice appear in all copies.
"""
HPND = ISC_WITH_DOCUMENTATION.replace("all copies.", "supporting documentation.")
APACHE_THEN_WORDS = """# Licensed under the Apache License, Version 2.0; see the
# License for the limitations under the License.

\"\"\"JSON tokens and Unicode helpers.\"\"\"
"""
COMMENT_THEN_DOCSTRING = """# Subject to the terms of the Mozilla Public License, v. 2.0.

\"\"\"Writes files.

What it writes is available under the Creative Commons Zero license.
\"\"\"
"""
TWO_CHOICES = """/* This file is free software: you can redistribute it under the terms of either:

     * the GNU Lesser General Public License as published by the Free
       Software Foundation; either version 3 of the License, or (at your
       option) any later version.

   or

     * the GNU General Public License as published by the Free
       Software Foundation; either version 2 of the License, or (at your
       option) any later version.
*/
"""


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        (APACHE, "Apache-2.0"),
        (GPL.format("", LATER.format(2)), "GPL-2.0-or-later"),
        (GPL.format("", "version 2 of the License."), "GPL-2.0-only"),
        (GPL.format("Lesser ", LATER.format(2.1)), "LGPL-2.1-or-later"),
        (GPL.format("Affero ", LATER.format(3)), "AGPL-3.0-or-later"),
        (BSD.format(THIRD), "BSD-3-Clause"),
        (BSD.format(FOURTH), "BSD-4-Clause"),
        (BSD.format(""), "BSD-2-Clause"),
        (MIT, "MIT"),
        (TWO_CHOICES, "LGPL-3.0-or-later OR GPL-2.0-or-later"),
        (
            "# This software may be used and distributed according to the terms of the\n"
            "# GNU General Public License version 2 or any later version.\n",
            "GPL-2.0-or-later",
        ),
        (
            "/* Subject to the terms of the Mozilla Public\n * License, v. 2.0, at http://mozilla.org/MPL/2.0/. */",
            "MPL-2.0",
        ),
        (
            "// Use of this source code is governed by a BSD-style license\n// that is in the LICENSE file.\n",
            "BSD",
        ),
        ('"""A module.\n\n:license: BSD, see LICENSE for more details.\n"""\nimport x', "BSD"),
        ("# Released under the MIT license; see LICENSE\nimport x", "MIT"),
        ("/* Dual licensed under the MIT and GPL licenses. */", "MIT OR GPL"),
        ("# This file is placed in the public domain.\n", "LicenseRef-public-domain"),
        ("// SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note\n", "GPL-2.0-only WITH Linux-syscall-note"),
        ("/* SPDX-License-Identifier: BSD-3-Clause */ int x;", "BSD-3-Clause"),
        ("/* SPDX-License-Identifier: (GPL-2.0 OR MIT) */ int x;", "GPL-2.0-only OR MIT"),
        ("# SPDX-License-Identifier: MIT\n# SPDX-License-Identifier: ISC\n", "MIT AND ISC"),
        ("\ufeff// Licensed under the MIT License.\r\nint x;\r\n", "MIT"),
        ("// Distributed under the Boost Software License, Version 1.0.\n", "BSL-1.0"),
        ("# You can redistribute it under the same terms as Perl itself.\n", "Artistic-1.0-Perl OR GPL-1.0-or-later"),
        (
            "/* under the terms of the GNU General Public License version 2 only, as\n * published by the Free "
            'Software Foundation. This file is subject to\n * the "Classpath" exception as stated in LICENSE. */',
            "GPL-2.0-only WITH Classpath-exception-2.0",
        ),
        ("// Made available under the Eclipse Public License v1.0\n// and Apache License v2.0.\n"
         "// You may choose either of these licenses.\n", "EPL-1.0 OR Apache-2.0"),
        ("# This is free and unencumbered software released into the public domain.\n", "Unlicense"),
        ('"""Doc."""\nimport x\n__license__ = "GPL v3"\n', "GPL-3.0"),
        (ISC_WITH_DOCUMENTATION, "ISC"),
        (HPND, "HPND"),
        (APACHE_THEN_WORDS, "Apache-2.0"),
        (COMMENT_THEN_DOCSTRING, "MPL-2.0"),
        ("# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/)\n", "GPL-3.0-or-later"),
        ("# Simplified BSD License (see licenses/bsd.txt)\n", "BSD-2-Clause"),
        ("# Acme AGPL-3.0 License - https://example.org/license\n", "AGPL-3.0"),
        ("# Copyright (C) Somebody, see LICENSE for text of ISC license\n", "ISC"),
        ("# Distributed under the LGPL.\n# Re-licensed from gpl-3.0 with permission.\n", "LGPL"),
        ("# Placed in the public domain or under the\n# Zero Clause BSD licence.\n",
         "LicenseRef-public-domain OR 0BSD"),
        ("# Parts of this are licensed under the BSD license.\n# Distributed under the MIT license.\n", "BSD AND MIT"),
    ],
)  # fmt: skip
def test_common_headers_are_read(text: str, expression: str):
    found = detect(text)
    assert found.expression == expression
    assert found.status == "ok"
    assert found.evidence and all(item.confidence >= 90 for item in found.evidence)


def test_evidence_names_rule_and_lines_and_the_header_is_kept_apart():
    found = detect(APACHE, "sample.py")
    assert [(item.rule, item.start_line, item.end_line) for item in found.evidence] == [
        ("license-name", 5, 5),
        ("apache-2.0-url", 7, 7),
    ]
    assert found.copyright_lines == ("Copyright 2018 The Sample Authors",)
    assert found.header_end_line == 7
    assert found.header.endswith("LICENSE-2.0") and "import os" not in found.header


@pytest.mark.parametrize(
    "text",
    [
        "import os\n# Licensed under the MIT License\n",
        "gpl = load()\nGPL = 3\nprint('MIT License')\n",
        '"""Plots with gpl files, BSD sockets and Apache logs; compatible with the GPL."""\n',
        "# A helper for dates.\nx = 1\n",
        "",
    ],
)
def test_code_and_words_without_a_claim_are_no_license(text: str):
    assert detect(text).status == "none"
    assert detect(text).expression is None


@pytest.mark.parametrize(
    "text",
    [
        "# See LICENSE for details.\n",
        "# SPDX-License-Identifier: LicenseRef-Acme\n",
        "# All MIT license stuff\n",
        '"""Colors of a theme (licensed under MIT).\n\n:license: BSD, see LICENSE.\n"""\n',
        "# The original code at https://example.org is public domain.\n",
    ],
)
def test_weak_evidence_is_uncertain(text: str):
    assert detect(text).status == "uncertain"


@pytest.mark.parametrize(
    ("path", "text", "expression"),
    [
        ("pkg/LICENSE", "MIT License\n\nCopyright (c) 2020 A\n\n" + MIT.replace("// ", ""), "MIT"),
        (
            "COPYING",
            "GNU GENERAL PUBLIC LICENSE\n  Version 3, 29 June 2007\n\n Everyone is permitted to copy",
            "GPL-3.0",
        ),
        ("LICENSE.txt", "Apache License\nVersion 2.0, January 2004\nhttp://www.apache.org/licenses/", "Apache-2.0"),
        ("LICENSES/ISC.txt", "ISC License\n\nCopyright A", "ISC"),
    ],
)
def test_a_license_file_is_read_whole(path: str, text: str, expression: str):
    assert detect(text, path).expression == expression


def test_source_named_license_is_still_source():
    assert detect("x = 'MIT License'\n", "license.py").status == "none"


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.sampled_from('#/*"\n\r\ufeff licensedunderMITGPLv23.()-:©'), max_size=300))
def test_any_text_gives_lines_inside_the_header_and_a_class(text: str):
    found = detect(text)
    assert found.status in {"ok", "uncertain", "none"}
    if found.status == "ok":
        assert found.expression and license_class(found.expression)
    for item in found.evidence:
        assert 1 <= item.start_line <= item.end_line


@pytest.mark.parametrize("piece", ["#", "/* ", " ", "# GPL ", "permission is hereby granted, ", "(", "found in ", "\0"])
@pytest.mark.parametrize("path", [None, "LICENSE"])
def test_a_megabyte_of_hostile_text_is_detected_in_bounded_time(piece: str, path: str | None):
    text = "# license " + piece * (1_000_000 // len(piece))
    start = time.process_time()
    detect(text, path)
    assert time.process_time() - start < 5


def test_scancode_names_its_extra_when_absent_and_settles_what_is_uncertain_when_there():
    try:
        engine = Scancode()
    except MissingExtraError as error:
        assert "cleartitle[scancode]" in str(error)
        return
    with engine:
        assert engine.detect(APACHE) == detect(APACHE)
        found = engine.detect("# See LICENSE for details.\n")
        assert found.status == "uncertain" and found.evidence[-1].rule == "scancode"
