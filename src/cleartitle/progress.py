"""Progress for people, on standard error: rate and time left on a terminal, silence elsewhere."""

import logging
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

__all__ = ["console", "is_quiet", "progress", "set_quiet", "warn"]

_state = {"quiet": False}
logger = logging.getLogger("cleartitle")
logger.addHandler(logging.NullHandler())  # without it an unconfigured log prints every warning a second time


def console(*, always: bool = False) -> Console:
    """A console on standard error (looked up at each call, so that redirection is honored); ``always`` if quiet too."""
    return Console(file=sys.stderr, quiet=_state["quiet"] and not always, highlight=False)


def set_quiet(quiet: bool) -> None:
    """Silence progress bars; warnings still go to the log."""
    _state["quiet"] = quiet


def is_quiet() -> bool:
    """Whether progress bars are silenced."""
    return _state["quiet"]


def warn(message: str) -> None:
    """One line about something that was left out, on standard error; never a traceback."""
    line = " ".join(message.split())
    logger.warning("%s", line)
    console().print(f"[yellow]warning:[/] {escape(line)}", soft_wrap=True)


@contextmanager
def progress(label: str, total: int | None, unit: str = "") -> Generator[Callable[[int], None]]:
    """Show a bar while the block runs; call the yielded function with the number of items just finished.

    On a terminal the bar shows count, rate and time left; when standard error is not a terminal nothing is drawn.
    """
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=console(),
        transient=False,
        disable=_state["quiet"] or not sys.stderr.isatty(),
    ) as bar:
        task = bar.add_task(label, total=total, rate="")

        def advance(count: int = 1) -> None:
            bar.advance(task, count)
            speed = bar.tasks[0].speed
            if speed:
                bar.update(
                    task,
                    rate=f"{speed:.3g} {unit}/s" if speed >= 1 else f"{1 / speed:.1f} s/{unit or 'item'}",
                )

        yield advance
