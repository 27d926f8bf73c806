"""Words for the figures of HumanEval that page and terminal share."""

from collections.abc import Mapping
from typing import Any

from cleartitle.report.numbers import interval_text, percent

__all__ = ["OUTCOME_TITLES", "answer_sentence", "controls_sentence", "pass_text", "sandbox_sentence"]

OUTCOME_TITLES = {
    "passed": "passed all tests",
    "failed": "a test was not met, or the function raised an error",
    "error": "the program does not load, or does not define the function",
    "timeout": "over the limit of time",
    "memory": "over the limit of memory",
    "crashed": "ended before its tests were through",
    "refused": "the model refused",
    "empty": "no code in the answer",
    "no answer": "the call to the model failed; not counted",
}
"""What came of an answer, with the words for it."""


def pass_text(figure: Mapping[str, Any]) -> str:
    """A pass@k with its interval and n in one line."""
    if figure["value"] is None:
        return "no problem was answered"
    return f"{percent(figure['value'])} ({_interval(figure)}), {figure['total']:,} problems"


def _interval(figure: Mapping[str, Any]) -> str:
    if figure["interval"] is None:
        return "no interval from one problem"
    if figure["count"] == 0:
        return interval_text(figure)
    return f"95 % interval {100 * figure['interval']['low']:.1f} to {100 * figure['interval']['high']:.1f} %"


def answer_sentence(summary: Mapping[str, Any]) -> str:
    """The outcome in one sentence."""
    figure = summary["pass_at"][0]
    name = summary["model"]["name"]
    if figure["value"] is None:
        return f"No call to {name} succeeded, so this run says nothing about it."
    if figure["count"] is None:
        return f"{name}: pass@1 is {pass_text(figure)}."
    share = f"{percent(figure['value'])} ({_interval(figure)})"
    return f"{name} solves {figure['count']:,} of {figure['total']:,} problems: pass@1 is {share}."


def controls_sentence(summary: Mapping[str, Any]) -> str:
    """Whether this machine judges right: what the built-in answers got."""
    right, empty = (summary["controls"][name] for name in ("canonical", "empty"))
    text = (
        f"Controls: {right['count']:,} of {right['total']:,} solutions of the data set pass here, and "
        f"{empty['count']:,} of {empty['total']:,} empty functions."
    )
    wrong = right["count"] != right["total"] or empty["count"]
    return f"{text} These figures cannot be trusted: all and none should." if wrong else text


def sandbox_sentence(summary: Mapping[str, Any]) -> str:
    """How the programs were kept in."""
    found = summary["confinement"]
    network = "a network namespace of its own" if found["network"] == "namespace" else "no network by an audit hook"
    processes = "a process namespace" if found["processes"] == "namespace" else "a process group"
    user = "a user without rights" if found["user"] == "unprivileged" else "the user of this run"
    return f"Each program ran with {network}, in {processes}, as {user}, under Python {summary['python']}."
