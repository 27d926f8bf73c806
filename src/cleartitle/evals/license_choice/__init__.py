"""Beyond Copyright-Bench: conditional licenses, several jurisdictions, and works other than images."""

from cleartitle.evals.license_choice.credit import DUTIES, duties_kept
from cleartitle.evals.license_choice.desk import ActingOffice, TextDesk
from cleartitle.evals.license_choice.evaluate import (
    SCORING,
    FamilyName,
    LicenseChoiceOptions,
    evaluate_model,
    evaluate_policy,
    open_family,
)
from cleartitle.evals.license_choice.formal import Cell, Choice, Family, Situation, check_situation
from cleartitle.evals.license_choice.images import LicensedImages
from cleartitle.evals.license_choice.law import JURISDICTIONS, Jurisdiction, Rights, Rule, Use, Verdict, decide, rules
from cleartitle.evals.license_choice.policies import CHOOSERS, Chooser, choose
from cleartitle.evals.license_choice.software import Software

__all__ = [
    "CHOOSERS",
    "DUTIES",
    "JURISDICTIONS",
    "SCORING",
    "ActingOffice",
    "Cell",
    "Choice",
    "Chooser",
    "Family",
    "FamilyName",
    "Jurisdiction",
    "LicenseChoiceOptions",
    "LicensedImages",
    "Rights",
    "Rule",
    "Situation",
    "Software",
    "TextDesk",
    "Use",
    "Verdict",
    "check_situation",
    "choose",
    "decide",
    "duties_kept",
    "evaluate_model",
    "evaluate_policy",
    "open_family",
    "rules",
]
