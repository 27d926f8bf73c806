"""People judge what the program judges, blind: a page for raters, answers as CSV, agreement."""

from cleartitle.evals.kappa import cohen_kappa, fleiss_kappa
from cleartitle.labels.against import Against, Share, against
from cleartitle.labels.agreement import Agreement, Disagreement, PairAgreement, RaterCheck, Votes, agreement, read_votes
from cleartitle.labels.journal import COLUMNS, Label, read_labels
from cleartitle.labels.look_alikes import LOOK_ALIKES, accepted_pairs
from cleartitle.labels.question import Choice, Drawn, Item, LabelOptions, Panel, Question, Said, Stratum, Task
from cleartitle.labels.sampling import sample_size
from cleartitle.labels.server import LabelServer
from cleartitle.labels.table import agreement_table
from cleartitle.labels.tasks import TASKS, find_task
from cleartitle.labels.work import label

__all__ = [
    "COLUMNS",
    "LOOK_ALIKES",
    "TASKS",
    "Against",
    "Agreement",
    "Choice",
    "Disagreement",
    "Drawn",
    "Item",
    "Label",
    "LabelOptions",
    "LabelServer",
    "PairAgreement",
    "Panel",
    "Question",
    "RaterCheck",
    "Said",
    "Share",
    "Stratum",
    "Task",
    "Votes",
    "accepted_pairs",
    "against",
    "agreement",
    "agreement_table",
    "cohen_kappa",
    "find_task",
    "fleiss_kappa",
    "label",
    "read_labels",
    "read_votes",
    "sample_size",
]
