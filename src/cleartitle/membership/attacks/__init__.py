"""Attacks on membership, one module each, on arrays that one pass over the texts gave."""

from cleartitle.membership.attacks.con_recall import ConRecall
from cleartitle.membership.attacks.dc_pdd import DcPdd
from cleartitle.membership.attacks.ez_mia import EzMia
from cleartitle.membership.attacks.fused import Fused
from cleartitle.membership.attacks.highest_posterior import HighestPosterior
from cleartitle.membership.attacks.histograms import (
    CHANGE_EDGES,
    LOG_EDGES,
    change_histogram,
    linear_edges,
    rank_histogram,
)
from cleartitle.membership.attacks.inclusion import Inclusion, is_hit
from cleartitle.membership.attacks.linear import LinearAttack
from cleartitle.membership.attacks.lira import Lira
from cleartitle.membership.attacks.lowercase import Lowercase
from cleartitle.membership.attacks.min_k import SWEEP, MinK
from cleartitle.membership.attacks.min_k_plus_plus import MinKPlusPlus
from cleartitle.membership.attacks.neighbours import Neighbours, PolarizedNeighbours
from cleartitle.membership.attacks.perplexity import Perplexity
from cleartitle.membership.attacks.rank_reference import LogRanks, RankReference
from cleartitle.membership.attacks.recall import Recall
from cleartitle.membership.attacks.reference_difference import RankGain, ReferenceDifference
from cleartitle.membership.attacks.rmia import Rmia
from cleartitle.membership.attacks.run import AttackScores, fit_attacks, run_attacks
from cleartitle.membership.attacks.scalar_stack import ScalarStack
from cleartitle.membership.attacks.sequence_network import SequenceNetwork
from cleartitle.membership.attacks.syntax_class import SYNTAX_CLASSES, SyntaxClass
from cleartitle.membership.attacks.wbc import WINDOWS, Wbc
from cleartitle.membership.attacks.zlib_ratio import ZlibMean, ZlibSum
from cleartitle.membership.evidence import Attack, TrainedAttack

__all__ = [
    "ATTACKS",
    "CHANGE_EDGES",
    "LOG_EDGES",
    "SWEEP",
    "SYNTAX_CLASSES",
    "TRAINED_ATTACKS",
    "WINDOWS",
    "AttackScores",
    "ConRecall",
    "DcPdd",
    "EzMia",
    "Fused",
    "HighestPosterior",
    "Inclusion",
    "LinearAttack",
    "Lira",
    "LogRanks",
    "Lowercase",
    "MinK",
    "MinKPlusPlus",
    "Neighbours",
    "Perplexity",
    "PolarizedNeighbours",
    "RankGain",
    "RankReference",
    "Recall",
    "ReferenceDifference",
    "Rmia",
    "ScalarStack",
    "SequenceNetwork",
    "SyntaxClass",
    "Wbc",
    "ZlibMean",
    "ZlibSum",
    "change_histogram",
    "fit_attacks",
    "is_hit",
    "linear_edges",
    "rank_histogram",
    "run_attacks",
]

ATTACKS: tuple[Attack, ...] = (
    HighestPosterior(),
    Perplexity(),
    ZlibMean(),
    ZlibSum(),
    Lowercase(),
    MinK(),
    MinKPlusPlus(),
    DcPdd(),
    DcPdd(bound=None),
    *SYNTAX_CLASSES,
    Recall(),
    ConRecall(),
    Neighbours(),
    PolarizedNeighbours(),
    ReferenceDifference(),
    RankGain(),
    Wbc(),
    EzMia(),
    Rmia(),
    Lira(),
    Inclusion(),
)
"""Every attack that learns nothing, each with the options that were fixed before looking."""

TRAINED_ATTACKS: tuple[TrainedAttack, ...] = (
    LogRanks(),
    SequenceNetwork(),
    ScalarStack(ATTACKS),
    RankReference(),
    Fused(ATTACKS),
)
"""Every attack that shadow models teach, CodeMI itself apart."""
