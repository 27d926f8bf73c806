"""``cleartitle trace`` and ``cleartitle notice``: where does this text come from, and what is owed for it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from cleartitle.cli.output import Json, print_json, print_rich
from cleartitle.errors import InputError
from cleartitle.files import write_text
from cleartitle.integrations.markdown import write_comment
from cleartitle.integrations.sarif import write_sarif
from cleartitle.integrations.spdx import write_spdx
from cleartitle.progress import console, warn
from cleartitle.report import index_table, matches_table, trace_page
from cleartitle.trace import (
    Baseline,
    Index,
    IndexOptions,
    LicenseTexts,
    Policy,
    Result,
    SearchOptions,
    build_index,
    changed_lines,
    compact,
    expand,
    findings,
    load_policy,
    make_notice,
    pack,
    pull,
    read_results,
    results_json,
    search_files,
    text_of,
)

__all__ = ["app", "notice_command"]

app = App(name="trace", help="Find the licensed works that a text copies.")

# A lone hyphen is standard input; without this it would be taken for an option.
Files = Annotated[Path, Parameter(allow_leading_hyphen=True)]


@Parameter(name="*", group="Output")
@dataclass(frozen=True)
class Outputs:
    """Files that a search writes beside what it prints.

    ``sarif``: SARIF 2.1.0, for code scanning. ``spdx``: SPDX 2.3 JSON with a snippet per span. ``report``: a
    self-contained HTML page. ``markdown``: a comment for a pull request.
    """

    sarif: Path | None = None
    spdx: Path | None = None
    report: Path | None = None
    markdown: Path | None = None


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


@app.command(name="pack")
def pack_command(
    index: Path, *, output: Annotated[Path, Parameter(name=["--output", "-o"])], json: Json = False
) -> int:
    """Write an index into one file that can be published, and print its hash.

    Args:
        index: Folder of an index.
        output: The file, such as INDEX.tar.zst.
        json: Print JSON on standard output.
    """
    facts = pack(index, output)
    if json:
        print_json({"file": str(output), **facts})
    else:
        print(f"{facts['sha256']}  {output}")
    return 0


@app.command(name="pull")
def pull_command(
    source: str,
    *,
    sha256: str,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    replace: Annotated[bool, Parameter(negative=())] = False,
    json: Json = False,
) -> int:
    """Fetch a packed index and check it against its hash.

    Args:
        source: An https address, or a file.
        sha256: Hash of the file, as `cleartitle trace pack` printed it.
        output: Folder of the index.
        replace: Put it in the place of the index that the folder holds; who reads that one goes on undisturbed.
        json: Print JSON on standard output.
    """
    pull(source, output, sha256=sha256, replace=replace)
    searched = Index.open(output).searched
    print_json(searched) if json else print_rich(*index_table(searched))
    return 0


@app.command(name="search")
def search_command(
    *files: Files,
    index: Path | None = None,
    diff: str | None = None,
    policy: Path | None = None,
    baseline: Path | None = None,
    write_baseline: Path | None = None,
    json: Json = False,
    outputs: Outputs = Outputs(),  # noqa: B008
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
    _no_options(files)
    rules = load_policy(policy)
    accepted = Baseline.load(baseline) if baseline else Baseline()
    opened = _open(index, rules)
    texts: dict[str, bytes] = {}

    def keep(result: Result, data: bytes) -> None:
        texts[result.path or ""] = data

    wants_texts = bool(outputs.spdx or outputs.report)
    results = _results(opened, files, diff, rules, options, keep if wants_texts else None)
    if write_baseline:
        console().print(f"{Baseline.write(write_baseline, results)} findings accepted in {write_baseline}")
    found = findings(results, rules, accepted)
    status = 1 if any(finding.denied for finding in found) and not write_baseline else 0
    if outputs.sarif:
        write_sarif(outputs.sarif, found, baseline=baseline, status=status)
    if outputs.spdx:
        write_spdx(outputs.spdx, found, texts)
    if outputs.report:
        page = trace_page(results, found, opened.searched, texts, lambda swhid: text_of(opened, swhid))
        write_text(outputs.report, page)
        console().print(f"report: {outputs.report}", soft_wrap=True)
    if outputs.markdown:
        write_comment(outputs.markdown, found, opened.searched, len(results))
    if json:
        print_json(results_json(results, rules, accepted))
    else:
        print_rich(*matches_table(results, opened.searched, rules, accepted))
    return status


def notice_command(
    *files: Files,
    index: Path | None = None,
    matches: Path | None = None,
    policy: Path | None = None,
    common: Annotated[bool, Parameter(negative=())] = False,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    json: Json = False,
    options: Annotated[SearchOptions, Parameter(name="*", group="Search")] = SearchOptions(),  # noqa: B008
) -> int:
    """Write a THIRD-PARTY-NOTICES text: the works that files match, with license, copyright and license texts.

    Exit status 1 says that for some work the index holds no license text, so that the notice is not complete.

    Args:
        files: Files or folders; - is standard input.
        index: Folder of an index; by default the one that .cleartitle.toml names.
        matches: Take the matches from this file, which `cleartitle trace search --json` wrote.
        policy: A .cleartitle.toml; by default the nearest one at or above the current folder.
        common: Name also works that share only words which many projects share.
        output: Write the text here; by default it is printed.
        json: Print JSON on standard output.
    """
    _no_options(files)
    rules = load_policy(policy)
    opened = _open(index, rules)
    if matches is not None and files:
        raise InputError("--matches and files: name one of them")
    results = read_results(matches) if matches else _results(opened, files, None, rules, options, None)
    notice = make_notice(results, LicenseTexts(opened.segments), common=common)
    if output:
        write_text(output, notice.text)
    if json:
        facts = {"works": notice.works, "without_text": list(notice.without_text), "common_left_out": notice.left_out}
        print_json({"text": notice.text, **facts})
    elif not output:
        print(notice.text, end="")
    for name in notice.without_text:
        warn(f"{name}: the index holds no license text; mend: add it by hand")
    if notice.left_out:
        console().print(f"{notice.left_out} common matches left out; --common names them", soft_wrap=True)
    return 1 if notice.without_text else 0


def _no_options(files: tuple[Path, ...]) -> None:
    wrong = next((str(path) for path in files if str(path).startswith("-") and str(path) != "-"), None)
    if wrong is not None:
        raise InputError(f"{wrong[:80]}: no such option; mend: --help lists them, ./{wrong[:80]} names a file")


def _open(index: Path | None, rules: Policy) -> Index:
    place = index or rules.index
    if place is None:
        raise InputError("no index named; mend: --index INDEX, or set index under [trace] in .cleartitle.toml")
    return Index.open(place)


def _results(
    index: Index,
    files: tuple[Path, ...],
    diff: str | None,
    rules: Policy,
    options: SearchOptions,
    on_match: Callable[[Result, bytes], None] | None,
) -> list[Result]:
    changed = None
    if diff is not None:
        changed = changed_lines(diff)
        wanted = {path.resolve() for path in expand(files)}
        files = tuple(path for path in changed if not wanted or path in wanted)
    elif not files:
        raise InputError("nothing to search for; mend: name files, - for standard input, or --diff REVISION")
    return list(search_files(index, expand(files), policy=rules, options=options, changed=changed, on_match=on_match))
