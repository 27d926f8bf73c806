"""``cleartitle study``: the studies behind the standards."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from cleartitle.cli.output import Json, print_json, print_rich
from cleartitle.corpus import Corpus
from cleartitle.errors import InputError
from cleartitle.evals.codeipprompt import study_run
from cleartitle.evals.licoeval import BenchmarkOptions
from cleartitle.evals.licoeval.prepare import prepare_benchmark
from cleartitle.evals.striking import (
    Groups,
    StrikingOptions,
    Subject,
    TeachOptions,
    draw_groups,
    estimate_study,
    groups_of_corpora,
    study,
    study_taught,
)
from cleartitle.models import ModelOptions
from cleartitle.progress import console
from cleartitle.report import thresholds_table, write_report
from cleartitle.report.striking import striking_table

__all__ = ["app"]

app = App(name="study", help="The studies behind the standards.")


@app.command
def striking(
    *,
    training: Path | None = None,
    unseen: Path | None = None,
    model: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    control: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    teach: Annotated[bool, Parameter(negative=())] = False,
    benchmark: Path | None = None,
    output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("runs/study-striking"),
    dry_run: Annotated[bool, Parameter(negative=())] = False,
    json: Json = False,
    options: Annotated[StrikingOptions, Parameter(name="*", group="Study")] = StrikingOptions(),  # noqa: B008
    teaching: Annotated[TeachOptions, Parameter(name="*", group="Teaching")] = TeachOptions(),  # noqa: B008
    asking: Annotated[ModelOptions, Parameter(name="*", group="Model")] = ModelOptions(),  # noqa: B008
) -> int:
    """Where does the standard of striking similarity lie for a model whose training data are known, and does it hold?

    Args:
        training: Folder of a corpus of the model's training data: the accessed functions come from it, and no unseen
            function may resemble one of it.
        unseen: Folder of a corpus that the model was not trained on.
        model: A model that was trained on these data, as for `eval licoeval`; can be given several times. Thresholds
            are found with the first and checked with the others.
        control: A model that was not; can be given several times.
        teach: Make the training data and the models here: draw functions of a benchmark, teach them to the embedded
            model a known number of times, and put taught and untouched model to them.
        benchmark: With --teach, a benchmark folder; by default the one built from the starter corpus.
        output: Folder of the run.
        dry_run: Print the groups and what each model would be asked, and ask nothing.
        json: Print JSON on standard output.
    """
    if teach == (training is not None or unseen is not None) or (teach and (model or control)):
        raise InputError(
            "study striking: mend: give --training, --unseen and --model for a model whose training data you know, "
            "or --teach alone to make such a model here"
        )
    if teach:
        groups = draw_groups(prepare_benchmark("starter", benchmark, BenchmarkOptions()), options, teaching)
        subjects: Sequence[Subject] = ()
        asking = replace(asking, style="completion") if asking.style == "auto" else asking
    else:
        groups = _groups(training, unseen, options)
        subjects = [_subject(spec, exposed=True) for spec in model] + [_subject(one, exposed=False) for one in control]
    if dry_run:
        calls = {one.name: asdict(estimate_study(one, groups, options, asking)) for one in subjects}
        print_json({"groups": groups.record, "functions": groups.units.num_rows, "models": calls})
        return 0
    if teach:
        summary = study_taught(groups, output, options, teaching, asking)
    else:
        summary = study(subjects, groups, output, options, asking)
    page = write_report(output)
    print_json(summary) if json else print_rich(*striking_table(summary))
    console().print(f"report: {page}", soft_wrap=True)
    return 0


@app.command
def thresholds(run: Path, *labels: Path, json: Json = False) -> int:
    """From which score on do people see a copy: precision and recall by threshold, correlation with the score.

    The study is kept in the run, and its report shows it.

    Args:
        run: Folder of a run of `eval codeipprompt`.
        labels: CSV files with the columns item_id (PROMPT_ID#SAMPLE), rater and answer (copied or independent).
        json: Print JSON on standard output.
    """
    if not labels:
        raise InputError("no labels are named; mend: `cleartitle study thresholds RUN LABELS.csv`")
    found = study_run(run, labels)
    write_report(run)
    print_json(found) if json else print_rich(*thresholds_table(found))
    return 0


def _groups(training: Path | None, unseen: Path | None, options: StrikingOptions) -> Groups:
    if training is None or unseen is None:
        raise InputError("study striking: needs both groups; mend: --training CORPUS --unseen CORPUS")
    return groups_of_corpora(Corpus.open(training), Corpus.open(unseen), options)


def _subject(spec: str, *, exposed: bool) -> Subject:
    """A model under the last part of its name."""
    name = Path(spec.rpartition(":")[2]).stem if spec.startswith("replay:") else spec.rpartition(":")[2].split("/")[-1]
    plain = "".join(letter if letter.isalnum() or letter in "-._" else "-" for letter in name)
    return Subject(plain.strip("-.") or "model", spec, exposed)
