import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from cleartitle.corpus import Corpus, build
from cleartitle.errors import InputError
from cleartitle.files import read_json
from cleartitle.membership import MembershipOptions, score_membership, study
from cleartitle.report import write_report

pytest.importorskip("torch", reason="target and shadow models are trained with PyTorch")
pytest.importorskip("transformers", reason="target and shadow models are trained with PyTorch")
SOURCE = Path(__file__).parents[2] / "src" / "cleartitle"
SIZES = {"preset": "smoke", "files": 12, "pool": 20, "words": 60, "permutations": 20}
STUDY = """
import sys
from pathlib import Path
from cleartitle.corpus import Corpus
from cleartitle.membership import MembershipOptions, study
if __name__ == "__main__":
    study(Corpus.open(sys.argv[1]), Path(sys.argv[2]), MembershipOptions(**eval(sys.argv[3])), workers=1)
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    output = tmp_path_factory.mktemp("corpus") / "corpus"
    build([str(folder) for folder in sorted(SOURCE.iterdir()) if folder.is_dir() and any(folder.glob("*.py"))], output)
    return Corpus.open(output)


@pytest.fixture(scope="module")
def run(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("study") / "run"
    study(corpus, output, MembershipOptions(**SIZES), workers=1)  # pyright: ignore[reportArgumentType]
    return output


def test_a_study_leaves_verdict_attacks_and_curves(run: Path) -> None:
    summary = read_json(run / "summary.json")
    assert summary["validity"] in ("VALID", "CAUTION", "INVALID")
    attacks = summary["withheld"] or summary["attacks"]
    assert {"perplexity", "CodeMI paper", "CodeMI corrected", "fused"} <= set(attacks)
    for attack in attacks.values():
        assert {"auc", "auc_interval", "accuracy"} <= set(attack)
    assert [step["common_in"] for step in summary["common_tokens"]] == [0, 1, 2, 3, 5, 10]
    assert {step["shadows"] for step in summary["shadow_models"]} == {1, 2}
    assert {step["choice"] for step in summary["queries"]} == {"random", "rare"}
    assert "24,000 files" in summary["scale"]
    assert pq.read_table(run / "attacks.parquet").num_rows == 24


def test_an_invalid_run_shows_no_figure_of_an_attack(run: Path) -> None:
    summary = read_json(run / "summary.json")
    if summary["validity"] == "INVALID":
        assert summary["headline"] is None
        assert all(attack["auc"] is None for attack in summary["attacks"].values())
    else:
        assert summary["withheld"] is None
        assert summary["headline"]["attack"] == "fused"


def test_figures_made_anew_are_the_same(run: Path) -> None:
    before = read_json(run / "summary.json")
    assert json.loads(json.dumps(score_membership(run))) == before


def test_the_page_says_what_it_does_not_establish(run: Path) -> None:
    page = write_report(run).read_text()
    assert "What this does not establish" in page
    assert "never proves it" in page


def test_another_seed_in_the_same_folder_is_refused(corpus: Corpus, run: Path) -> None:
    with pytest.raises(InputError, match="differs in seed"):
        study(corpus, run, MembershipOptions(**SIZES, seed=1), workers=1)  # pyright: ignore[reportArgumentType]


def test_a_killed_study_goes_on_to_the_same_figures(corpus: Corpus, run: Path, tmp_path: Path) -> None:
    output = tmp_path / "run"
    command = [sys.executable, "-c", STUDY, str(corpus.path), str(output), repr(SIZES)]
    for seconds in (6, 12):
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    assert read_json(output / "summary.json") == read_json(run / "summary.json")
    assert (output / "attacks.parquet").read_bytes() == (run / "attacks.parquet").read_bytes()


def test_too_few_files_are_refused_before_anything_is_trained(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="too few different Python files"):
        study(corpus, tmp_path / "run", MembershipOptions(preset="smoke", files=5000), workers=1)
    with pytest.raises(InputError, match="at least 10 --files"):
        study(corpus, tmp_path / "run", MembershipOptions(preset="smoke", files=2), workers=1)
