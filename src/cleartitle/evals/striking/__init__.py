"""The empirical study of striking similarity (LiCoEval, section III): where may the standard lie, and does it hold?"""

from cleartitle.evals.striking.exclusion import SignatureIndex
from cleartitle.evals.striking.features import cliffs_delta, compare_groups, level
from cleartitle.evals.striking.groups import PAIRS, STUDY_UNITS, Groups, groups_of_corpora
from cleartitle.evals.striking.options import StrikingOptions, TeachOptions
from cleartitle.evals.striking.study import SCORING, estimate_study, score_study, study, study_taught
from cleartitle.evals.striking.subjects import Subject
from cleartitle.evals.striking.summary import FEATURES, MEASURES
from cleartitle.evals.striking.teach import draw_groups
from cleartitle.evals.striking.thresholds import CRITERIA, Answer, Found, find

__all__ = [
    "CRITERIA",
    "FEATURES",
    "MEASURES",
    "PAIRS",
    "SCORING",
    "STUDY_UNITS",
    "Answer",
    "Found",
    "Groups",
    "SignatureIndex",
    "StrikingOptions",
    "Subject",
    "TeachOptions",
    "cliffs_delta",
    "compare_groups",
    "draw_groups",
    "estimate_study",
    "find",
    "groups_of_corpora",
    "level",
    "score_study",
    "study",
    "study_taught",
]
