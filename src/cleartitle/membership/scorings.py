"""How runs of this room become figures again, for `cleartitle.evals.life`."""

from cleartitle.evals.session import Scoring
from cleartitle.membership.check import CHECK, score_check
from cleartitle.membership.evaluate import EVALUATION, score_evaluation
from cleartitle.membership.study import CAPABILITY, score_membership

__all__ = ["SCORINGS"]

SCORINGS: dict[str, Scoring] = {
    CAPABILITY: Scoring(score_membership, ("attacks.parquet",), ("made.json", "models")),
    CHECK: Scoring(score_check, ("files.parquet",)),
    EVALUATION: Scoring(score_evaluation, ("attacks.parquet",)),
}
"""By the capability that ``run.json`` names."""
