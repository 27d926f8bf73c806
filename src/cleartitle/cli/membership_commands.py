"""``cleartitle membership``: was this code in a model's training set?"""

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from cleartitle.cli.output import Json, print_json, print_rich
from cleartitle.corpus import Corpus
from cleartitle.evals.licoeval.prepare import starter_corpus
from cleartitle.membership.check import check as check_membership
from cleartitle.membership.evaluate import evaluate as evaluate_membership
from cleartitle.membership.own_texts import AskOptions
from cleartitle.membership.shadows import open_subject
from cleartitle.membership.study import study as study_membership
from cleartitle.membership.study_options import MembershipOptions
from cleartitle.models import ModelOptions, ScorerOptions, TokenScorer
from cleartitle.progress import console
from cleartitle.report import summary_table, write_report

__all__ = ["app"]

app = App(name="membership", help="Was this code in a model's training set?")


@app.command
def study(
    *,
    corpus: Path | None = None,
    output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("runs/membership"),
    workers: int | None = None,
    json: Json = False,
    options: Annotated[MembershipOptions, Parameter(name="*", group="Study")] = MembershipOptions(),  # noqa: B008
) -> int:
    """Train a model and its shadows on known files, and see which attack tells members from non-members, and how well.

    Args:
        corpus: Folder of a corpus with Python files; by default the starter corpus, which is fetched once.
        output: Folder of the run.
        workers: Processes, one a processor by default.
        json: Print the summary as JSON on standard output.
    """
    opened = starter_corpus() if corpus is None else Corpus.open(corpus)
    return _show(study_membership(opened, output, options, workers=workers), output, json)


@app.command
def check(
    *repositories: str,
    model: str,
    reference: tuple[str, ...] = (),
    held_out: tuple[str, ...] = (),
    public: Path | None = None,
    output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("runs/membership-check"),
    json: Json = False,
    options: Annotated[AskOptions, Parameter(name="*", group="Asking")] = AskOptions(),  # noqa: B008
    asking: Annotated[ModelOptions, Parameter(name="*", group="Model")] = ModelOptions(),  # noqa: B008
    scoring: Annotated[ScorerOptions, Parameter(name="*", group="Texts")] = ScorerOptions(),  # noqa: B008
) -> int:
    """Ask whether what a model makes of an author's files is consistent with training on them.

    Args:
        repositories: Folders, git repositories or packages of the author (see `cleartitle corpus build`).
        model: The model in question: embedded, gguf:FILE, hf:FOLDER, openai:NAME, recorded:FILE, or study:FOLDER for
            the target of a membership study.
        reference: Models with the same tokenizer that saw none of it; two or more also give the model control.
        held_out: Files of the same kind that the model cannot have seen. Without them nothing can be concluded.
        public: Corpus of public code, for the frequencies of tokens.
        output: Folder of the run.
        json: Print the summary as JSON on standard output.
    """
    corpus = None if public is None else Corpus.open(public)
    with _opened([model, *reference], asking, scoring) as (scorer, *references):
        summary = check_membership(
            repositories, scorer, output, options, held_out=held_out, references=references, public=corpus
        )
    return _show(summary, output, json)


@app.command
def evaluate(
    *,
    members: tuple[str, ...],
    non_members: tuple[str, ...],
    model: str,
    reference: tuple[str, ...] = (),
    shadow: Path | None = None,
    public: Path | None = None,
    output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("runs/membership-evaluate"),
    json: Json = False,
    options: Annotated[AskOptions, Parameter(name="*", group="Asking")] = AskOptions(),  # noqa: B008
    asking: Annotated[ModelOptions, Parameter(name="*", group="Model")] = ModelOptions(),  # noqa: B008
    scoring: Annotated[ScorerOptions, Parameter(name="*", group="Texts")] = ScorerOptions(),  # noqa: B008
) -> int:
    """Measure every attack on a model where it is known which files it was trained on, and which not.

    Args:
        members: Files that the model was trained on: folders, git repositories, data sets.
        non_members: Files that it was not trained on, best drawn at random from the same source.
        model: The model in question: embedded, gguf:FILE, hf:FOLDER, openai:NAME, recorded:FILE, or study:FOLDER for
            the target of a membership study.
        reference: Models with the same tokenizer that saw neither set; two or more also give the model control of
            attacks with references.
        shadow: Folder of a membership study whose shadows teach CodeMI and the other trained attacks.
        public: Corpus of public code, for the frequencies of tokens.
        output: Folder of the run.
        json: Print the summary as JSON on standard output.
    """
    corpus = None if public is None else Corpus.open(public)
    with _opened([model, *reference], asking, scoring) as (scorer, *references):
        summary = evaluate_membership(
            members, non_members, scorer, output, options, references=references, public=corpus, shadow=shadow
        )
    return _show(summary, output, json)


@contextmanager
def _opened(specs: Sequence[str], asking: ModelOptions, scoring: ScorerOptions) -> Generator[list[TokenScorer]]:
    with ExitStack() as stack:
        opened: list[TokenScorer] = []
        for spec in specs:
            opened.append(open_subject(spec, asking, scoring))
            stack.callback(opened[-1].close)
        yield opened


def _show(summary: dict[str, Any], output: Path, json: bool) -> int:
    page = write_report(output)
    print_json(summary) if json else print_rich(*summary_table(summary))
    console().print(f"report: {page}", soft_wrap=True)
    return 0
