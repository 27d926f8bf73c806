"""Was this code in the training set of a model?"""

from cleartitle.membership.evidence import Attack, Evidence, TrainedAttack
from cleartitle.membership.study import score_membership, study
from cleartitle.membership.study_options import MembershipOptions

__all__ = ["Attack", "Evidence", "MembershipOptions", "TrainedAttack", "score_membership", "study"]
