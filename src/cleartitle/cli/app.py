"""Entry point: global options, errors as one line, exit statuses."""

import os
import sys
from typing import Annotated

from cyclopts import App, Parameter
from rich.markup import escape

from cleartitle import __version__
from cleartitle.errors import CleartitleError
from cleartitle.progress import console, set_quiet

__all__ = ["app", "main"]

INTERRUPTED = 3

app = App(
    name="cleartitle",
    version=__version__,
    help="What does the output of a generative model owe to other people's work?",
)
# Named, not imported: a command loads only what it needs.
app.command("cleartitle.cli.eval_commands:app", name="eval", help="Put a model to a benchmark.")
app.command("cleartitle.cli.corpus_commands:app", name="corpus", help="Gather licensed works; tell what is in them.")
app.command("cleartitle.cli.benchmark_commands:app", name="benchmark", help="Build a benchmark from a corpus.")
app.command("cleartitle.cli.study_commands:app", name="study", help="The studies behind the standards.")
app.command(
    "cleartitle.cli.membership_commands:app", name="membership", help="Was this code in a model's training set?"
)
app.command("cleartitle.cli.label_commands:app", name="label", help="Have people judge what the program judges.")
app.command("cleartitle.cli.prompt_commands:app", name="prompts", help="Build prompts of CodeIPPrompt from a corpus.")
app.command("cleartitle.cli.scrub_commands:app", name="scrub", help="Take secrets out of texts; put them back; count.")
app.command("cleartitle.cli.license_commands:app", name="license", help="Read licenses of files and in answers.")
app.command("cleartitle.cli.asset_commands:app", name="assets", help="Pools of images for Copyright-Bench.")
app.command("cleartitle.cli.human_study_commands:app", name="human-study", help="Put people to Copyright-Bench.")
app.command("cleartitle.cli.mcp_commands:app", name="mcp", help="Serve tools to agents (MCP).")
app.command("cleartitle.cli.trace_commands:app", name="trace", help="Find the licensed works that a text copies.")
app.command(
    "cleartitle.cli.trace_commands:notice_command", name="notice", help="Write the notices that matches ask for."
)
app.command("cleartitle.cli.serve_commands:serve_command", name="serve", help="Serve an index over HTTP, with a page.")
app.command("cleartitle.cli.run_commands:report", name="report", help="Write report.html of a run anew.")
app.command("cleartitle.cli.run_commands:score", name="score", help="Score the answers of a run anew.")
app.command("cleartitle.cli.run_commands:verify_command", name="verify", help="Check a run against its record.")
app.command("cleartitle.cli.run_commands:compare_command", name="compare", help="Compare two runs, answer by answer.")


@app.meta.default
def _launch(
    *tokens: Annotated[str, Parameter(show=False, allow_leading_hyphen=True)],
    quiet: Annotated[bool, Parameter(negative=(), help="No progress bars.")] = False,
) -> int:
    set_quiet(quiet)
    return app(tokens, result_action="return_value") or 0


def main() -> None:
    """Run the command line and exit: 0 done, 1 findings above a policy, 2 wrong use, 3 interrupted."""
    try:
        status = app.meta(result_action="return_value") or 0
    except CleartitleError as error:
        console(always=True).print(f"[red]error:[/] {escape(str(error))}", soft_wrap=True)
        status = error.exit_status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        mend = "choose a folder that can be written to, or make room on the disk"
        console(always=True).print(
            f"[red]error:[/] {escape(place)}{escape(error.strerror or str(error))}; mend: {mend}", soft_wrap=True
        )
        status = CleartitleError.exit_status
    except KeyboardInterrupt:
        console().print("interrupted; the same command goes on from here", soft_wrap=True)
        status = INTERRUPTED
    sys.exit(status)
