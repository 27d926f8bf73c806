"""A model that knows some of the code by heart: prompts from its training set against prompts that were held out.

    python benchmarks/codeipprompt_taught.py FOLDER

needs the extra ``train``. From the prompts of the starter corpus it draws functions that fit the window of a small GPT,
half of them for training, half held out, in the same license classes; trains the GPT from scratch on the former
(`cleartitle.models.train`: 1.8 million parameters, one function a window, some minutes on one core); writes a prompt
set with both halves and the training set as JSON Lines; and puts the model to the prompts. The same by hand, once it
is there:

    cleartitle eval codeipprompt FOLDER/prompts --model hf:FOLDER/model --training-set taught=FOLDER/training.jsonl \
        --limit 0 --max-tokens 160 --output FOLDER/run

Prompts from the training set must come out far above the others, and above their null.
"""

import argparse
import json
import textwrap
from pathlib import Path

import numpy as np
import pyarrow as pa

from cleartitle.evals.codeipprompt import PROMPTS, CodeipOptions, PromptSet, TrainingSet, evaluate
from cleartitle.evals.codeipprompt.prepare import prepare_prompts
from cleartitle.evals.codeipprompt.prompts import content_hash
from cleartitle.evals.codeipprompt.training_set import unit_text
from cleartitle.files import write_json, write_text
from cleartitle.models import ModelOptions, TrainOptions, open_model, train
from cleartitle.report import write_report
from cleartitle.tables import write_table

FEWEST, MOST = 60, 170
"""Tokens of a function, so that it is long enough to be scored and fits the window."""


def choose(prompts: PromptSet, count: int, seed: int) -> list[dict[str, object]]:
    """Functions that begin with their prompt, evenly over license classes and at most four of a project."""
    light = prompts.table(("prompt_id", "kind", "license_class", "project", "unit_tokens")).to_pylist()
    order = np.random.default_rng(seed).permutation(len(light)).tolist()
    classes = sorted({row["license_class"] for row in light})
    each, held, taken = -(-count // len(classes)), {name: 0 for name in classes}, dict[str, int]()
    wanted: list[str] = []
    for row in (light[place] for place in order):
        fits = row["kind"] == "function" and FEWEST <= (row["unit_tokens"] or 0) <= MOST
        if fits and held[row["license_class"]] < 2 * each and taken.get(row["project"], 0) < 8:
            held[row["license_class"]] += 1
            taken[row["project"]] = taken.get(row["project"], 0) + 1
            wanted.append(row["prompt_id"])
    rows = [row for row in prompts.table().to_pylist() if row["prompt_id"] in set(wanted)]
    fit = [row for row in rows if textwrap.dedent(unit_text(row)).startswith(row["text"])]
    kept: list[dict[str, object]] = []
    for name in classes:
        kept += [row for row in fit if row["license_class"] == name][:each]
    return kept


def save(folder: Path, rows: list[dict[str, object]], prompts: PromptSet) -> PromptSet:
    """A prompt set of some prompts of another one."""
    write_table(folder / "prompts.parquet", pa.Table.from_pylist(rows, schema=PROMPTS))
    found = PromptSet(folder, {})
    digest = content_hash(found.batches(("prompt_id", "text", "license", "content_id")))
    write_json(folder / "prompt_set.json", {**prompts.record, "prompts": len(rows), "content_hash": digest})
    return PromptSet.open(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--prompts", type=Path, help="a prompt set, by default that of the starter corpus")
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--epochs", type=int, default=45)
    parser.add_argument("--limit", type=int, default=0, help="prompts to ask for, 0 for all")
    parser.add_argument("--threads", type=int, default=0)
    chosen = parser.parse_args()
    prompts = prepare_prompts(chosen.prompts)
    rows = choose(prompts, chosen.count, 0)
    taught = rows[::2]
    texts = [textwrap.dedent(unit_text(row)) for row in taught]
    lines = (json.dumps({"text": text, "language": "python"}) for text in texts)
    write_text(chosen.folder / "training.jsonl", "".join(f"{line}\n" for line in lines))
    record = train(texts, chosen.folder / "model", TrainOptions(epochs=chosen.epochs, threads=chosen.threads))
    print(f"{len(texts)} functions taught, {record['texts_cut_off']} cut off; final loss {record['final_loss']:.3f}")
    held = save(chosen.folder / "prompts", rows, prompts)
    summary = evaluate(
        open_model(f"hf:{chosen.folder / 'model'}", ModelOptions(threads=chosen.threads)),
        held,
        chosen.folder / "run",
        CodeipOptions(limit=chosen.limit, max_tokens=160),
        [TrainingSet("taught", chosen.folder / "training.jsonl")],
    )
    write_report(chosen.folder / "run")
    for mode, figures in summary["modes"].items():
        for name in ("in", "out"):
            group = figures["training"][0][name]
            print(
                f"{mode:9} {name:3} {group['prompts']:3} prompts, {group['above']['count']:3} above 0.5: "
                f"EM {group['em']['value']:.2f}, null {group['null']['em']['value']:.2f}; "
                f"EP {group['ep']['value']:.2f}, null {group['null']['ep']['value']:.2f}  (n = {group['n']})"
            )
        print(f"{mode:9} in less out: {json.dumps(figures['training'][0]['difference'])}")


if __name__ == "__main__":
    main()
