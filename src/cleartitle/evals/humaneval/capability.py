"""The figure of a finished HumanEval run, for another evaluation of the same model."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cleartitle.errors import InputError
from cleartitle.evals.run_folder import RunFolder
from cleartitle.files import read_json

__all__ = ["capability_of"]


def capability_of(path: Path, model: Mapping[str, Any]) -> dict[str, Any]:
    """pass@1 of the HumanEval run in ``path``, as plain JSON values, if it is one of ``model``.

    ``model`` is a name with the description of a model, as run records hold it. Models are the same where the hash of
    their weights is, or, behind an endpoint, host and name. Recorded answers tell only the name of their file: then the
    names are compared, and ``same_by`` says so.

    Raises:
        InputError: no finished HumanEval run, one altered since, or one of another model.
    """
    run = RunFolder.open(path)
    record = run.record()
    if record.get("capability") != "humaneval":
        raise InputError(f"{path}: a run of {record.get('capability')!r}; mend: name the folder of a humaneval run")
    if altered := run.altered():
        raise InputError(f"{path}: {altered[0]} since the run ended; mend: run `cleartitle eval humaneval` anew")
    summary = read_json(path / "summary.json")
    other = summary["model"]
    same_by, own, theirs = _identities(model, other)
    if own != theirs:
        raise InputError(
            f"{path}: HumanEval of {other['name']}, not of {model['name']} (they differ in {same_by}); "
            "mend: name a humaneval run of the same model"
        )
    return {
        **{name: value for name, value in summary["pass_at"][0].items() if name != "k"},
        "problems": summary["problems"],
        "of": summary["dataset"]["problems"],
        "no_answer": summary["outcomes"]["no answer"],
        "same_by": same_by,
        "key": summary["key"],
        "dataset_sha256": summary["dataset"]["sha256"],
        "confinement": summary["confinement"],
    }


def _identities(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[str, Any, Any]:
    """In what two models are compared, and what each has there."""
    if "replay" in (first["adapter"], second["adapter"]):
        return "name", first["name"], second["name"]
    if first.get("weights_sha256") or second.get("weights_sha256"):
        return "weights", first.get("weights_sha256"), second.get("weights_sha256")
    return "endpoint", *((model.get("host"), model.get("model")) for model in (first, second))
