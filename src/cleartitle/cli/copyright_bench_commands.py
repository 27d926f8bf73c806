"""``cleartitle eval copyright-bench``."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from cleartitle.cli.output import Json, print_json, print_rich
from cleartitle.errors import InputError, require
from cleartitle.evals.copyright_bench import (
    CopyrightBenchOptions,
    PolicyName,
    Pool,
    Weights,
    compare_runs,
    default_pool,
    estimate_calls,
    evaluate_model,
    evaluate_policy,
)
from cleartitle.evals.copyright_bench.conversation import Converse, converse
from cleartitle.models import ModelOptions, open_model
from cleartitle.progress import console
from cleartitle.report import copyright_bench_table, ranking_table, write_ranking, write_report

__all__ = ["copyright_bench", "copyright_bench_ranking"]


def copyright_bench(
    *,
    policy: PolicyName | None = None,
    model: str | None = None,
    judge: str | None = None,
    weights: Weights | None = None,
    pool: Path | None = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    dry_run: Annotated[bool, Parameter(negative=())] = False,
    json: Json = False,
    options: Annotated[CopyrightBenchOptions, Parameter(name="*", group="Run")] = CopyrightBenchOptions(),  # noqa: B008
    asking: Annotated[ModelOptions, Parameter(name="*", group="Model")] = ModelOptions(),  # noqa: B008
) -> int:
    """Does an agent choose material that it may use?

    Args:
        policy: A built-in chooser: random, first, prettiest, metadata or folder.
        model: In place of a policy, a model that calls tools: openai:NAME (any OpenAI-compatible endpoint), embedded
            (small, text only, with --captions), gguf:FILE, or replay:FILE of recorded answers.
        judge: A model that says which failure a transcript shows where the rules cannot tell.
        weights: Whether the weights of the model are open or closed, for the comparison of runs.
        pool: Folder of a pool; by default the one that assets build makes, built once.
        output: Folder of the run; by default runs/copyright-bench-NAME.
        dry_run: Print how much a run of a model may ask for at most, and ask nothing.
        json: Print JSON on standard output.
    """
    if (policy is None) == (model is None):
        raise InputError("give either --policy or --model")
    if dry_run:
        print_json(estimate_calls(options))
        return 0
    opened = _pool(pool)
    if model is None:
        assert policy is not None
        folder = output or Path("runs") / f"copyright-bench-{policy}"
        summary = evaluate_policy(policy, opened, folder, options)
    else:
        asked = open_model(model, asking)
        plain = "".join(letter if letter.isalnum() or letter in "-._" else "-" for letter in asked.name)
        folder = output or Path("runs") / f"copyright-bench-{plain}"
        judging = open_model(judge, asking) if judge else None
        known = weights or ("open" if model.partition(":")[0] in ("embedded", "gguf", "hf") else None)
        summary = evaluate_model(
            asked,
            opened,
            folder,
            options,
            judge=judging,
            weights=known,
            asking=asking,
            conversation=_loop(options),
        )
    page = write_report(folder)
    print_json(summary) if json else print_rich(*copyright_bench_table(summary))
    console().print(f"report: {page}", soft_wrap=True)
    # Not one episode got through: a wrong key or address, not a finding.
    return 2 if all(cell["outcomes"]["error"] == cell["runs"] for cell in summary["cells"]) else 0


def copyright_bench_ranking(
    *runs: Path, output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None, json: Json = False
) -> int:
    """Rank runs of Copyright-Bench by violation rate, over the episodes that they share.

    Args:
        runs: Folders of finished runs over one pool.
        output: File for a page.
        json: Print JSON on standard output.
    """
    found = compare_runs(runs)
    print_json(found) if json else print_rich(*ranking_table(found))
    if output is not None:
        write_ranking(found, output)
    return 0


def _loop(options: CopyrightBenchOptions) -> Converse:
    if options.loop == "own":
        return converse
    require("autogen_agentchat", "autogen")
    return require("cleartitle.integrations.autogen_office", "autogen").converse


def _pool(path: Path | None) -> Pool:
    return default_pool() if path is None else Pool.open(path)
