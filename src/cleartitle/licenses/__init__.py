"""SPDX vocabulary, classes and obligations; the license of a text; the license that an answer names."""

from cleartitle.licenses.answer import Answer, parse_answer
from cleartitle.licenses.expressions import classify, expression_ids, is_dual, license_class, normalize, obligations
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
    "Answer",
    "OBLIGATIONS",
    "License",
    "UnknownLicenseError",
    "Vocabulary",
    "classify",
    "default_vocabulary",
    "expression_ids",
    "is_dual",
    "license_class",
    "load_overrides",
    "lookup",
    "normalize",
    "obligations",
    "parse_answer",
]
