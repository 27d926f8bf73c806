"""People look through the pairs of a pool, and what they accept becomes a pool."""

import base64
import io
import json
import sys
from pathlib import Path

import pytest
from PIL import Image

sys.path.insert(0, str(Path(__file__).parents[1] / "evals_copyright_bench"))
from office_material import make_pool

from cleartitle.cli.app import app
from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench import Pool
from cleartitle.labels import LabelOptions, accepted_pairs, against, label, read_votes


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    return make_pool(tmp_path_factory.mktemp("pool") / "pool", pairs=9)


def judge(pool: Pool, output: Path, rejected: set[int], limit: int = 0, controls: float = 0.1) -> dict[str, str]:
    """Answer every item of the page: reject some by their place, and what is no pair."""
    with label(
        pool.path, ("ann",), task="look-alikes", output=output, options=LabelOptions(limit, controls=controls)
    ) as (server):
        (rater,) = server.raters.values()
        for place in range(rater.total):
            rater.view(place)
            item = rater.items[place].id
            answer = "reject" if item.startswith("control:") or int(item[-2:]) in rejected else "accept"
            rater.answer({"position": place, "choice": answer, "detail": "", "comment": "", "seconds": 1})
        return {item: one.answer for item, one in rater.journal.labels.items()}


def test_a_rater_sees_both_images_without_notice_and_without_names(pool, tmp_path):
    with label(pool.path, ("ann",), task="look-alikes", output=tmp_path) as server:
        (rater,) = server.raters.values()
        view = rater.view(0)
        assert [panel["title"][0] for panel in view["panels"]] == ["A", "B"]
        for panel in view["panels"]:
            kind, _, data = panel["image"].partition(";base64,")
            image = Image.open(io.BytesIO(base64.b64decode(data)))
            assert kind == "data:image/jpeg" and image.size[0] >= 200 and not image.getexif()
        shown = json.dumps({name: value for name, value in view.items() if name != "panels"})
        assert not any(word in shown for word in ("pair-", "restricted", *(a.name for a in pool.pairs[0].assets)))


def test_what_the_majority_accepts_becomes_a_pool_and_the_pairing_is_measured(pool, tmp_path, capsys):
    judge(pool, tmp_path / "labels", {2, 5})
    votes = read_votes([tmp_path / "labels" / "look-alikes-ann.csv"])
    assert len(accepted_pairs(pool, votes)) == 7
    measured = against(votes, pool.path)
    assert (measured.precision.value, measured.precision.n, measured.judged) == (7 / 9, 9, 9)
    csv, output = str(tmp_path / "labels" / "look-alikes-ann.csv"), str(tmp_path / "kept")
    assert (
        app(["assets", "keep", str(pool.path), csv, "-o", output, "--json"], result_action="return_value") or 0
    ) == 0
    assert json.loads(capsys.readouterr().out)["pairs"] == 7
    kept = Pool.open(tmp_path / "kept")
    assert {pair.name for pair in pool.pairs} - {pair.name for pair in kept.pairs} == {"pair-02", "pair-05"}
    assert kept.key != pool.key and kept.record["kept_of"] == {"pool": pool.key, "pairs": 9}
    with pytest.raises(InputError, match="labels are of pool"):
        accepted_pairs(kept, votes)


def test_attention_checks_are_pairs_that_show_different_things(pool, tmp_path):
    given = judge(pool, tmp_path, set(), controls=0.25)
    controls = [item for item in given if item.startswith("control:reject:")]
    assert len(controls) == 3 and {given[item] for item in controls} == {"reject"}
    assert accepted_pairs(pool, read_votes([tmp_path / "look-alikes-ann.csv"])) == [pair.name for pair in pool.pairs]


def test_a_check_goes_on_where_it_stopped_and_a_new_build_keeps_the_labels(pool, tmp_path):
    own = make_pool(tmp_path / "pool", pairs=9)
    judge(own, own.path / "labels", {1}, limit=4)
    with label(own.path, ("ann",), task="look-alikes", options=LabelOptions(0, controls=0)) as server:
        (rater,) = server.raters.values()
        assert 0 < rater.answered <= 4 and rater.total == 9
    make_pool(own.path, pairs=9)
    assert (own.path / "labels" / "look-alikes-ann.csv").is_file()


def test_a_pool_from_which_nothing_is_left_is_refused(pool, tmp_path):
    judge(pool, tmp_path / "labels", set(range(9)))
    csv = str(tmp_path / "labels" / "look-alikes-ann.csv")
    with pytest.raises(InputError, match="no pair"):
        app(["assets", "keep", str(pool.path), csv, "-o", str(tmp_path / "kept")], result_action="return_value")
