"""What Inspect AI finds under the name ``cleartitle`` (the entry point ``inspect_ai`` of this package)."""

from cleartitle.integrations.inspect_codeipprompt import closest, codeipprompt, complete, em_and_ep
from cleartitle.integrations.inspect_copyright_bench import copyright_bench, lawful, office_agent, office_rates
from cleartitle.integrations.inspect_licoeval import ask, lico, licoeval
from cleartitle.integrations.inspect_metrics import lico_score, rate

__all__ = [
    "ask",
    "closest",
    "codeipprompt",
    "complete",
    "copyright_bench",
    "em_and_ep",
    "lawful",
    "lico",
    "lico_score",
    "licoeval",
    "office_agent",
    "office_rates",
    "rate",
]
