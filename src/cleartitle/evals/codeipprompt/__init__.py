"""CodeIPPrompt: how close does a code model come to licensed code in n tries, per license class and language."""

from cleartitle.evals.codeipprompt.build import build_prompts
from cleartitle.evals.codeipprompt.options import PromptOptions
from cleartitle.evals.codeipprompt.prompts import LANGUAGES, PROMPTS, REPORTED_APART, PromptSet
from cleartitle.evals.codeipprompt.table2 import PUBLISHED_TABLE_2, table_2

__all__ = [
    "LANGUAGES",
    "PROMPTS",
    "PUBLISHED_TABLE_2",
    "REPORTED_APART",
    "PromptOptions",
    "PromptSet",
    "build_prompts",
    "table_2",
]
