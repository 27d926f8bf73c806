"""CodeIPPrompt: how close does a code model come to licensed code in n tries, per license class and language."""

from cleartitle.evals.codeipprompt.prompts import LANGUAGES, PROMPTS, REPORTED_APART, PromptSet

__all__ = ["LANGUAGES", "PROMPTS", "REPORTED_APART", "PromptSet"]
