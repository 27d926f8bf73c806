"""SPDX vocabulary, classes and obligations; the license of a text; the license that an answer names."""

from cleartitle.licenses.answer import Answer, parse_answer
from cleartitle.licenses.declarations import Declaration, detect_declaration, parse_declaration
from cleartitle.licenses.detect import Detection, Evidence, detect
from cleartitle.licenses.expressions import (
    classify,
    expression_ids,
    is_dual,
    license_class,
    normalize,
    obligations,
)
from cleartitle.licenses.grading import Grade, grade, license_group, match_as_published
from cleartitle.licenses.scancode import Scancode
from cleartitle.licenses.vocabulary import (
    CLASSES,
    OBLIGATIONS,
    License,
    UnknownLicenseError,
    Vocabulary,
    default_vocabulary,
    load_overrides,
    lookup,
)

__all__ = [
    "CLASSES",
    "OBLIGATIONS",
    "Answer",
    "Declaration",
    "Detection",
    "Evidence",
    "Grade",
    "License",
    "Scancode",
    "UnknownLicenseError",
    "Vocabulary",
    "classify",
    "default_vocabulary",
    "detect",
    "detect_declaration",
    "expression_ids",
    "grade",
    "is_dual",
    "license_class",
    "license_group",
    "load_overrides",
    "lookup",
    "match_as_published",
    "normalize",
    "obligations",
    "parse_answer",
    "parse_declaration",
]
