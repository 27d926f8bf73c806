"""``cleartitle eval``: put a model to a benchmark."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from cleartitle.cli.output import Json, print_json, print_rich
from cleartitle.evals import codeipprompt as codeip
from cleartitle.evals.codeipprompt.prepare import prepare_prompts
from cleartitle.evals.humaneval import HumanevalOptions
from cleartitle.evals.humaneval import estimate as estimate_humaneval
from cleartitle.evals.humaneval import evaluate as evaluate_humaneval
from cleartitle.evals.licoeval import BenchmarkOptions, LicoevalOptions, check_published, estimate, evaluate
from cleartitle.evals.licoeval.prepare import prepare_benchmark
from cleartitle.models import ModelOptions, open_model
from cleartitle.progress import console
from cleartitle.report import (
    codeipprompt_table,
    humaneval_table,
    licoeval_table,
    published_codeipprompt_table,
    published_table,
    write_report,
)
from cleartitle.trace import Index

__all__ = ["app"]

app = App(name="eval", help="Put a model to a benchmark.")
app.command("cleartitle.cli.copyright_bench_commands:copyright_bench", name="copyright-bench")
app.command("cleartitle.cli.copyright_bench_commands:copyright_bench_ranking", name="copyright-bench-ranking")
app.command("cleartitle.cli.license_choice_commands:license_choice", name="license-choice")


@app.command
def licoeval(
    *,
    model: str = "embedded",
    answers: Annotated[Path | None, Parameter(name="--from")] = None,
    corpus: str = "starter",
    benchmark: Path | None = None,
    humaneval: Path | None = None,
    against: Path | None = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    published: Annotated[bool, Parameter(negative=())] = False,
    dry_run: Annotated[bool, Parameter(negative=())] = False,
    json: Json = False,
    options: Annotated[LicoevalOptions, Parameter(name="*", group="Run")] = LicoevalOptions(),  # noqa: B008
    building: Annotated[BenchmarkOptions, Parameter(name="*", group="Benchmark")] = BenchmarkOptions(),  # noqa: B008
    asking: Annotated[ModelOptions, Parameter(name="*", group="Model")] = ModelOptions(),  # noqa: B008
) -> int:
    """Does a model reproduce licensed functions with striking similarity, and does it name the license?

    Args:
        model: embedded (a small model that needs no key and no hub), openai:NAME (any OpenAI-compatible endpoint),
            openai-completions:NAME, hf:PATH, or replay:FILE of recorded answers.
        answers: Score the recorded answers in this file, whatever model gave them; the same as --model replay:FILE.
        corpus: starter (pinned packages of all license classes), or the folder of a corpus.
        benchmark: A benchmark folder, used as it is.
        humaneval: Folder of a finished `eval humaneval` run of the same model, to stand beside LiCo.
        against: Folder of an index (`cleartitle trace index`): look each answer up there beside its own source.
        output: Folder of the run; by default runs/licoeval-MODEL.
        published: Only print the 14 published rows, with LiCo computed anew from their counts.
        dry_run: Print how many tokens the run would ask for, and ask nothing.
        json: Print JSON on standard output.
    """
    if published:
        rows = check_published()
        print_json(rows) if json else print_rich(published_table(rows))
        return 0 if all(row["agrees"] for row in rows) else 1
    opened = open_model(model if answers is None else f"replay:{answers}", asking)
    chosen = prepare_benchmark(corpus, benchmark, building)
    if dry_run:
        print_json(asdict(estimate(opened, chosen, options)))
        return 0
    index = Index.open(against) if against else None
    folder = output or Path("runs") / f"licoeval-{_plain(opened.name)}"
    summary = evaluate(opened, chosen, folder, options, humaneval, index)
    page = write_report(folder)
    print_json(summary) if json else print_rich(*licoeval_table(summary))
    console().print(f"report: {page}", soft_wrap=True)
    # Not one call got through: a wrong key or address, not a finding.
    return 2 if summary["modes"]["paper"]["errors"] == summary["modes"]["paper"]["answers"] else 0


@app.command
def codeipprompt(
    prompts: Path | None = None,
    *,
    model: str = "embedded",
    answers: Annotated[Path | None, Parameter(name="--from")] = None,
    training_set: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    against: Path | None = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    published: Annotated[bool, Parameter(negative=())] = False,
    dry_run: Annotated[bool, Parameter(negative=())] = False,
    json: Json = False,
    options: Annotated[codeip.CodeipOptions, Parameter(name="*", group="Run")] = codeip.CodeipOptions(),  # noqa: B008
    asking: Annotated[ModelOptions, Parameter(name="*", group="Model")] = ModelOptions(),  # noqa: B008
) -> int:
    """How close does a model come to licensed code in n draws, and how close to other code by chance?

    Args:
        prompts: Folder of prompts (`cleartitle prompts build`); by default those of the starter corpus.
        model: embedded, openai:NAME, openai-completions:NAME, hf:PATH (causal or encoder-decoder), gguf:FILE, or
            replay:FILE of recorded answers.
        answers: Score the recorded answers in this file, whatever model gave them; the same as --model replay:FILE.
        training_set: PATH or NAME=PATH of texts that the model was trained on (a corpus, a folder of source files,
            JSON Lines or Parquet with a column text); prompts that stand in it are told apart. May be repeated.
        against: Folder of an index (`cleartitle trace index`): look each answer up there beside its own source.
        output: Folder of the run; by default runs/codeipprompt-MODEL.
        published: Only print Table 3 of the paper, with the share of prompts that each EP stands for.
        dry_run: Print how many tokens the run would ask for, and ask nothing.
        json: Print JSON on standard output.
    """
    if published:
        rows = codeip.check_published()
        print_json(rows) if json else print_rich(published_codeipprompt_table(rows))
        return 0 if all(row["consistent"] for row in rows) else 1
    sets = [codeip.TrainingSet.parse(spec) for spec in training_set]
    opened = open_model(model if answers is None else f"replay:{answers}", asking)
    chosen = prepare_prompts(prompts)
    if dry_run:
        print_json(asdict(codeip.estimate(opened, chosen, options)))
        return 0
    index = Index.open(against) if against else None
    folder = output or Path("runs") / f"codeipprompt-{_plain(opened.name)}"
    summary = codeip.evaluate(opened, chosen, folder, options, sets, index)
    page = write_report(folder)
    print_json(summary) if json else print_rich(*codeipprompt_table(summary))
    console().print(f"report: {page}", soft_wrap=True)
    # Not one call got through: a wrong key or address, not a finding.
    return 2 if summary["modes"]["paper"]["errors"] == summary["modes"]["paper"]["answers"] else 0


@app.command(name="humaneval")
def humaneval_command(
    *,
    model: str = "embedded",
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    dry_run: Annotated[bool, Parameter(negative=())] = False,
    json: Json = False,
    options: Annotated[HumanevalOptions, Parameter(name="*", group="Run")] = HumanevalOptions(),  # noqa: B008
    asking: Annotated[ModelOptions, Parameter(name="*", group="Model")] = ModelOptions(),  # noqa: B008
) -> int:
    """Does a model write functions that pass their tests (HumanEval, pass@1)?

    Args:
        model: embedded, openai:NAME, openai-completions:NAME, hf:PATH, gguf:FILE, or replay:FILE of recorded answers.
        output: Folder of the run; by default runs/humaneval-MODEL.
        dry_run: Print how many tokens the run would ask for, and ask nothing.
        json: Print JSON on standard output.
    """
    opened = open_model(model, asking)
    if dry_run:
        print_json(asdict(estimate_humaneval(opened, options)))
        return 0
    folder = output or Path("runs") / f"humaneval-{_plain(opened.name)}"
    summary = evaluate_humaneval(opened, folder, options)
    page = write_report(folder)
    print_json(summary) if json else print_rich(*humaneval_table(summary))
    console().print(f"report: {page}", soft_wrap=True)
    return 0


def _plain(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-._" else "-" for letter in name)
