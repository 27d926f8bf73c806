"""How alike two texts are: one module per measure, and the standard that turns measures into a verdict."""

from cleartitle.similarity.bleu import bleu4, bleu4_prepared, bleu4_tokens
from cleartitle.similarity.code_similarity import CodeScore, code_similarity
from cleartitle.similarity.dolos import dolos, dolos_pairs
from cleartitle.similarity.edit import edit_prepared, edit_similarity
from cleartitle.similarity.jplag import MINIMUM_MATCH, jplag, jplag_pairs
from cleartitle.similarity.minhash import minhash_jaccard, minhash_prepared
from cleartitle.similarity.program import LineSpan, PreparedProgram, ProgramScore
from cleartitle.similarity.spans import SharedSpan, shared_spans
from cleartitle.similarity.standards import Criterion, StrikingStandard, Verdict
from cleartitle.similarity.tokens import REGEX_TOKENIZER, Prepared, prepare, regex_tokens, too_short, words

__all__ = [
    "MINIMUM_MATCH",
    "REGEX_TOKENIZER",
    "CodeScore",
    "Criterion",
    "LineSpan",
    "Prepared",
    "PreparedProgram",
    "ProgramScore",
    "SharedSpan",
    "StrikingStandard",
    "Verdict",
    "bleu4",
    "bleu4_prepared",
    "bleu4_tokens",
    "code_similarity",
    "dolos",
    "dolos_pairs",
    "edit_prepared",
    "edit_similarity",
    "jplag",
    "jplag_pairs",
    "minhash_jaccard",
    "minhash_prepared",
    "prepare",
    "regex_tokens",
    "shared_spans",
    "too_short",
    "words",
]
