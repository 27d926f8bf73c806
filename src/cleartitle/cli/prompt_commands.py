"""``cleartitle prompts``: the prompts of CodeIPPrompt from a corpus."""

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from cleartitle.cli.output import Json, print_json, print_rich
from cleartitle.corpus import Corpus
from cleartitle.errors import InputError
from cleartitle.evals.codeipprompt import PromptOptions, PromptSet, build_prompts
from cleartitle.report import prompts_table

__all__ = ["app"]

app = App(name="prompts", help="Build prompts of CodeIPPrompt from a corpus.")


@app.command(name="build")
def build_command(
    *corpus: Path,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    scrub_map: Path | None = None,
    json: Json = False,
    options: Annotated[PromptOptions, Parameter(name="*", group="Prompts")] = PromptOptions(),  # noqa: B008
) -> int:
    """Cut functions and classes into prompts: signature and comment, scrubbed, drawn evenly by class and language.

    Args:
        corpus: Folders of one or more corpora.
        output: Folder of the prompts.
        scrub_map: File for what the scrubber took out, readable by its owner only; outside of the folder.
        json: Print JSON on standard output.
    """
    if not corpus:
        raise InputError("no corpus is named; mend: `cleartitle prompts build CORPUS -o FOLDER`")
    built = build_prompts([Corpus.open(path) for path in corpus], output, options, scrub_map=scrub_map)
    print_json(built.record) if json else print_rich(*prompts_table(built.record))
    return 0


@app.command(name="info")
def info_command(prompts: Path, *, json: Json = False) -> int:
    """Print counts and token lengths of a prompt set beside those of the paper (Table 2).

    Args:
        prompts: Folder of prompts.
        json: Print JSON on standard output.
    """
    record = PromptSet.open(prompts).record
    print_json(record) if json else print_rich(*prompts_table(record))
    return 0
