"""``cleartitle corpus``: gather licensed works, and tell what is in them."""

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from cleartitle.cli.output import Json, print_json, print_rich
from cleartitle.corpus import CorpusOptions, build, info
from cleartitle.report import corpus_table

__all__ = ["app"]

app = App(name="corpus", help="Gather licensed works, and tell what is in them.")


@app.command(name="build")
def build_command(
    *specs: str,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    json: Json = False,
    options: Annotated[CorpusOptions, Parameter(name="*", group="Corpus")] = CorpusOptions(),  # noqa: B008
) -> int:
    """Build a corpus from packages, repositories, folders and data sets.

    Args:
        specs: starter (pinned Python wheels of all license classes), starter-c, starter-cpp, starter-java,
            starter-csharp, pypi:NAME==VERSION, debian:NAME=VERSION, npm:NAME@VERSION, github:OWNER/NAME@REVISION,
            github:license=KEY,language=NAME, wheel:PATH, git:PATH@REVISION, folder:PATH, jsonl:PATH, parquet:PATH, or
            a bare path.
        output: Folder of the corpus.
        json: Print JSON on standard output.
    """
    built = build(specs, output, options)
    print_json(built.as_json()) if json else print_rich(*corpus_table(built.as_json()))
    return 0


@app.command(name="info")
def info_command(corpus: Path, *, json: Json = False) -> int:
    """Count a corpus by license, class, language and trust; name duplicates and conflicts.

    Args:
        corpus: Folder of a corpus.
        json: Print JSON on standard output.
    """
    found = info(corpus).as_json()
    print_json(found) if json else print_rich(*corpus_table(found))
    return 0
