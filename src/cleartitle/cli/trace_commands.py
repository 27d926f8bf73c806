"""``cleartitle trace``: where does this text come from."""

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from cleartitle.cli.output import Json, print_json, print_rich
from cleartitle.errors import InputError
from cleartitle.progress import console
from cleartitle.report import index_table, matches_table
from cleartitle.trace import (
    Baseline,
    Index,
    IndexOptions,
    SearchOptions,
    build_index,
    changed_lines,
    compact,
    expand,
    load_policy,
    search_files,
)

__all__ = ["app"]

app = App(name="trace", help="Find the licensed works that a text copies.")


@app.command(name="index")
def index_command(
    *corpora: Path,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    json: Json = False,
    options: Annotated[IndexOptions, Parameter(name="*", group="Index")] = IndexOptions(),  # noqa: B008
) -> int:
    """Index corpora, so that their files are found by any part of them.

    Args:
        corpora: Folders of corpora; each becomes a segment of the index, beside those that it holds.
        output: Folder of the index.
        json: Print JSON on standard output.
    """
    if not corpora:
        raise InputError("no corpus named; mend: cleartitle corpus build starter -o CORPUS")
    build_index(list(corpora), output, options)
    searched = Index.open(output).searched
    print_json(searched) if json else print_rich(*index_table(searched))
    return 0


@app.command(name="compact")
def compact_command(index: Path, *, json: Json = False) -> int:
    """Merge the segments of an index into one, so that a search looks in one place.

    Args:
        index: Folder of an index.
        json: Print JSON on standard output.
    """
    compact(index)
    searched = Index.open(index).searched
    print_json(searched) if json else print_rich(*index_table(searched))
    return 0


@app.command(name="search")
def search_command(
    *files: Path,
    index: Path | None = None,
    diff: str | None = None,
    policy: Path | None = None,
    baseline: Path | None = None,
    write_baseline: Path | None = None,
    json: Json = False,
    options: Annotated[SearchOptions, Parameter(name="*", group="Search")] = SearchOptions(),  # noqa: B008
) -> int:
    """Find the origins of files, of what changed in them, or of a snippet.

    Exit status 1 says that the policy denies at least one match that the baseline does not hold.

    Args:
        files: Files or folders; - is standard input.
        index: Folder of an index; by default the one that .cleartitle.toml names.
        diff: Search only for what changed since this git revision.
        policy: A .cleartitle.toml; by default the nearest one at or above the current folder.
        baseline: Findings that were accepted before.
        write_baseline: Accept all findings of this search, in this file.
        json: Print JSON on standard output.
    """
    changed = None
    if diff is not None:
        changed = changed_lines(diff)
        wanted = {path.resolve() for path in expand(files)}
        files = tuple(path for path in changed if not wanted or path in wanted)
    elif not files:
        raise InputError("nothing to search for; mend: name files, - for standard input, or --diff REVISION")
    rules = load_policy(policy)
    accepted = Baseline.load(baseline) if baseline else Baseline()
    place = index or rules.index
    if place is None:
        raise InputError("no index named; mend: --index INDEX, or set index under [trace] in .cleartitle.toml")
    opened = Index.open(place)
    results = list(search_files(opened, expand(files), policy=rules, options=options, changed=changed))
    if write_baseline:
        console().print(f"{Baseline.write(write_baseline, results)} findings accepted in {write_baseline}")
    if json:
        print_json(
            [
                {
                    **result.as_json(),
                    "matches": [
                        {
                            **match.as_json(),
                            "action": rules.action(match),
                            "accepted": accepted.holds(result.path or "", match),
                        }
                        for match in result.matches
                    ],
                }
                for result in results
            ]
        )
    else:
        print_rich(*matches_table(results, opened.searched, rules, accepted))
    denied = any(
        rules.action(match) == "deny" and not accepted.holds(result.path or "", match)
        for result in results
        for match in result.matches
    )
    return 1 if denied and not write_baseline else 0
