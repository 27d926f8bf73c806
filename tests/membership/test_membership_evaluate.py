import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from char_model import CharModel, texts_of, write_projects

from cleartitle.corpus import Corpus, build
from cleartitle.errors import InputError
from cleartitle.evals.life import SCORINGS, rescore, verify
from cleartitle.files import read_json
from cleartitle.membership import MembershipOptions, study
from cleartitle.membership.evaluate import evaluate
from cleartitle.membership.own_texts import AskOptions
from cleartitle.membership.scorings import SCORINGS as OWN
from cleartitle.membership.shadows import open_subject
from cleartitle.models import ModelOptions, ScorerOptions
from cleartitle.report import summary_table, write_report

OPTIONS = AskOptions(permutations=20)
ALL = {**SCORINGS, **OWN}
SOURCE = Path(__file__).parents[2] / "src" / "cleartitle"


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[str], list[str]]:
    one, two, three = (write_projects(tmp_path_factory.mktemp(f"set{seed}"), seed) for seed in (1, 2, 3))
    return one, two, three


@pytest.fixture(scope="module")
def run(sets: tuple[list[str], list[str], list[str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    members, others, third = sets
    output = tmp_path_factory.mktemp("evaluate") / "run"
    unseen = texts_of(third)
    references = [CharModel(unseen[:9]), CharModel(unseen[9:])]
    evaluate(members, others, CharModel(texts_of(members)), output, OPTIONS, references=references)
    return output


def test_known_members_are_told_by_the_attack_that_was_named(run: Path) -> None:
    summary = read_json(run / "summary.json")
    assert summary["validity"] != "INVALID", summary["validity_report"]["reasons"]
    assert summary["headline"]["attack"] == "reference difference" and summary["headline"]["auc"] > 0.95
    assert {"auc", "auc_interval", "accuracy"} <= set(summary["attacks"]["perplexity"])
    assert summary["validity_report"]["control"]["auc"] < 0.8
    assert summary["texts"]["unit"] == "project"
    pairs = {(item["attack"], item["against"]) for item in summary["differences"]}
    assert ("reference difference", "perplexity") in pairs
    assert {"fused", "CodeMI paper", "neighbours", "lowercase"} <= set(summary["not_run"])
    assert summary["tpr"]["perplexity"][1]["refused"]
    assert [step["common_in"] for step in summary["common_tokens"]] == [0, 1, 2, 3, 5, 10]
    assert summary["output_size"][-1]["output_size"] == 128
    assert {step["choice"] for step in summary["queries"]} == {"random"}
    assert pq.read_table(run / "attacks.parquet").num_rows == 40


def test_page_and_table_show_an_evaluation(run: Path) -> None:
    page = re.sub(r"<[^>]*>", " ", write_report(run).read_text())
    assert "the word of who ran this" in page and "never proves it" in page
    assert "published accuracy" not in page
    assert str(summary_table(read_json(run / "summary.json"))[0]).startswith(("VALID", "CAUTION"))


def test_an_evaluation_can_be_verified_and_scored_anew(run: Path) -> None:
    assert verify(run, ALL).ok
    before = read_json(run / "summary.json")
    rescore(run, ALL)
    assert read_json(run / "summary.json") == before
    with pytest.raises(InputError, match="are not scored apart"):
        verify(run)


def test_few_queries_and_a_short_list_keep_ranks_alone(
    sets: tuple[list[str], list[str], list[str]], tmp_path: Path
) -> None:
    members, others, third = sets
    model, reference = CharModel(texts_of(members)), CharModel(texts_of(third))
    options = AskOptions(permutations=20, queries=30, output_size=5)
    summary = evaluate(members, others, model, tmp_path / "run", options, references=[reference])
    assert summary["headline"] is None or summary["headline"]["attack"] == "rank gain"
    assert "perplexity" in summary["not_run"]
    assert [step["output_size"] for step in summary["output_size"]] == [1, 5]


def test_other_forms_are_asked_about_and_a_file_that_lends_a_prefix_is_in_no_figure(
    sets: tuple[list[str], list[str], list[str]], tmp_path: Path
) -> None:
    members, others, _ = sets
    options = AskOptions(permutations=20, variants=True)
    summary = evaluate(members, others, CharModel(texts_of(members)), tmp_path / "run", options)
    attacks = summary["attacks"] or summary["withheld"]
    assert {"lowercase", "neighbours", "ReCaLL", "Con-ReCaLL"} <= set(attacks)
    assert (summary["texts"]["members"], summary["texts"]["non_members"]) == (19, 19)
    drawn = {row["id"]: row["set"] for row in pq.read_table(tmp_path / "run" / "texts.parquet").to_pylist()}
    figured = set(pq.read_table(tmp_path / "run" / "attacks.parquet")["id"].to_pylist())
    assert {name for one, name in drawn.items() if one not in figured} == {"members prefix", "non-members prefix"}
    assert verify(tmp_path / "run", ALL).ok


def test_wrong_sets_and_too_few_calls_are_refused_before_anything_is_asked(
    sets: tuple[list[str], list[str], list[str]], tmp_path: Path
) -> None:
    members, others, _ = sets
    model = CharModel(texts_of(members))
    with pytest.raises(InputError, match="at least 10 files a set"):
        evaluate(members[:1], others[:1], model, tmp_path / "few", OPTIONS)
    with pytest.raises(InputError, match="nothing was sent"):
        evaluate(members, others, model, tmp_path / "calls", AskOptions(permutations=20, calls=3))
    with pytest.raises(InputError, match="holds no run"):
        evaluate(members, others, model, tmp_path / "shadow", OPTIONS, shadow=tmp_path)
    with pytest.raises(InputError, match="holds no run"):
        open_subject(f"study:{tmp_path}", ModelOptions(), ScorerOptions())
    assert model.asked == 0


@pytest.mark.parametrize(("kind", "other"), [("lstm", "gpt"), ("gpt", "lstm")])
def test_shadows_of_another_architecture_teach(studies: dict[str, Path], kind: str, other: str, tmp_path: Path) -> None:
    files: dict[bool, list[str]] = {True: [], False: []}
    for place, row in enumerate(pq.read_table(studies[kind] / "texts.parquet").to_pylist()):
        if row["set"] == "target":
            folder = tmp_path / f"{row['member']}{place}"
            folder.mkdir()
            (folder / "text.py").write_text(row["text"])
            files[row["member"]].append(str(folder))
    scorer = open_subject(f"study:{studies[kind]}", ModelOptions(), ScorerOptions())
    reference = open_subject(f"study:{studies[kind]}/shadow-1", ModelOptions(), ScorerOptions())
    summary = evaluate(
        files[True], files[False], scorer, tmp_path / "run", OPTIONS, references=[reference], shadow=studies[other]
    )
    attacks = summary["withheld"] or summary["attacks"]
    assert {"CodeMI paper", "CodeMI corrected", "ranks with references (CodeMI-C)", "fused"} <= set(attacks)
    assert summary["validity_report"]["attack"] == "fused"
    assert summary["shadow"]["kind"] == other and "carry over" in summary["shadow"]["note"]
    if kind == "gpt":  # Scoring anew asks no model; once is enough.
        assert verify(tmp_path / "run", ALL).ok
    assert write_report(tmp_path / "run").is_file()


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    pytest.importorskip("torch", reason="target and shadow models are trained with PyTorch")
    pytest.importorskip("transformers", reason="target and shadow models are trained with PyTorch")
    corpus = tmp_path_factory.mktemp("corpus") / "corpus"
    build([str(folder) for folder in sorted(SOURCE.iterdir()) if folder.is_dir() and any(folder.glob("*.py"))], corpus)
    found: dict[str, Path] = {}
    for kind in ("lstm", "gpt"):
        found[kind] = tmp_path_factory.mktemp(kind) / "run"
        sizes = {"preset": "smoke", "files": 12, "pool": 20, "words": 60, "permutations": 20, "epochs": 2}
        sizes |= {"vocabulary": 600, "width": 32, "common_in": (0,), "output_sizes": (5,), "queries": (10,)}
        study(Corpus.open(corpus), found[kind], MembershipOptions(**sizes, target=kind), workers=1)  # pyright: ignore[reportArgumentType]
    return found
