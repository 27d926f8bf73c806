"""``cleartitle eval license-choice``."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from cleartitle.cli.output import Json, print_json, print_rich
from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench import default_pool
from cleartitle.evals.license_choice import (
    Chooser,
    FamilyName,
    LicenseChoiceOptions,
    evaluate_model,
    evaluate_policy,
)
from cleartitle.models import ModelOptions, open_model
from cleartitle.progress import console
from cleartitle.report import summary_table, write_report

__all__ = ["license_choice"]


def license_choice(
    *,
    family: FamilyName = "licensed-images",
    policy: Chooser | None = None,
    model: str | None = None,
    pool: Path | None = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    json: Json = False,
    options: Annotated[LicenseChoiceOptions, Parameter(name="*", group="Run")] = LicenseChoiceOptions(),  # noqa: B008
    asking: Annotated[ModelOptions, Parameter(name="*", group="Model")] = ModelOptions(),  # noqa: B008
) -> int:
    """Does an agent keep to licenses with conditions, under the law of a place?

    Args:
        family: licensed-images (look-alikes under many kinds of rights) or software (packages and code).
        policy: A built-in chooser: random, first, shelf, crediting, uncredited, reader or abstaining.
        model: In place of a policy, a model that calls tools, such as openai:NAME.
        pool: For images, the folder of a pool with drawn roles; by default the one that assets build makes.
        output: Folder of the run; by default runs/license-choice-FAMILY-NAME.
        json: Print JSON on standard output.
    """
    if (policy is None) == (model is None):
        raise InputError("give either --policy or --model")
    if family == "licensed-images" and pool is None:
        pool = default_pool().path
    if policy is not None:
        folder = output or Path("runs") / f"license-choice-{family}-{policy}"
        summary = evaluate_policy(policy, family, folder, options, pool=pool)
    else:
        assert model is not None
        asked = open_model(model, asking)
        plain = "".join(letter if letter.isalnum() or letter in "-._" else "-" for letter in asked.name)
        folder = output or Path("runs") / f"license-choice-{family}-{plain}"
        summary = evaluate_model(asked, family, folder, options, pool=pool)
    page = write_report(folder)
    print_json(summary) if json else print_rich(*summary_table(summary))
    console().print(f"report: {page}", soft_wrap=True)
    return 2 if summary["whole"]["outcomes"]["error"] == summary["whole"]["runs"] else 0
