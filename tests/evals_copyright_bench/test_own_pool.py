"""Pools from an owner's own folders: pairing, what is left out, and what is refused."""

import json
import shutil
import subprocess

import numpy as np
import pytest
from own_folders import KINDS, own_folders, scene, write
from PIL import Image

from cleartitle.cli.app import app
from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench import (
    CopyrightBenchOptions,
    OwnPoolOptions,
    Pool,
    build_own_pool,
    check_solvable,
    cue_report,
    evaluate_policy,
)
from cleartitle.evals.copyright_bench.image_backends import image_backend, quality_backend
from cleartitle.evals.copyright_bench.office import Office

pytestmark = pytest.mark.skipif(shutil.which("exiftool") is None, reason="needs the program exiftool")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return own_folders(tmp_path_factory.mktemp("own"))


@pytest.fixture(scope="module")
def pool(folders, tmp_path_factory):
    options = OwnPoolOptions(restricted_notice="© 2025 Anyone's Stock. All rights reserved.")
    return build_own_pool(*folders, tmp_path_factory.mktemp("pool") / "pool", options)[0]


def test_images_are_paired_with_the_one_that_looks_alike_and_shows_the_same(pool):
    assert len(pool.pairs) == 24 and pool.tags == sorted(KINDS) and pool.has_fixed_roles
    for pair in pool.pairs:
        free, restricted = pair.assets
        assert (free.role, restricted.role) == ("free", "restricted")
        assert free.source_path.partition(".")[0].replace("nps", "stock") == restricted.source_path.partition(".")[0]
        assert pair.similarity >= pool.record["similarity"]
        assert (free.width, free.height) == (restricted.width, restricted.height)
    assert pool.record["image_backend"].startswith("gradients") and pool.record["left_out"]["without a twin"] == 0


def test_the_files_say_what_the_owner_states_and_nothing_of_the_original_stays(pool, tmp_path):
    asset = pool.pairs[0].assets[1]
    found = Office(pool.path / "images" / "restricted").read_metadata(f"{asset.name}.jpg")
    assert found["EXIF Copyright"] == "© 2025 Anyone's Stock. All rights reserved."
    marked = scene("bear", 50, False)
    exif = marked.getexif()
    exif[271] = "Brand of a camera"
    write(tmp_path / "free/bear/a.jpg", marked, exif=exif)
    write(tmp_path / "restricted/bear/b.jpg", scene("bear", 50, True))
    one, _ = build_own_pool(tmp_path / "free", tmp_path / "restricted", tmp_path / "pool")
    for file in (one.path / "images").rglob("*.jpg"):
        assert b"Brand of a camera" not in file.read_bytes()


def test_the_metadata_reader_keeps_to_the_fixed_roles_and_the_others_are_at_chance(pool, tmp_path):
    cells = {"task": "webdev", "prompt": "neutral", "environment": "std", "runs": 100, "pairs": 8, "workers": 1}
    options = CopyrightBenchOptions(**cells)
    assert evaluate_policy("metadata", pool, tmp_path / "m", options)["cells"][0]["violations"] == 0
    (cell,) = evaluate_policy("random", pool, tmp_path / "r", options)["cells"]
    assert abs(cell["violations"] - 50) <= 20 and cell["chance"] == 0.5


def test_a_cue_in_an_owners_folders_is_found_and_refused(tmp_path):
    half = lambda image: image.resize((260, 186))  # noqa: E731
    free, restricted = own_folders(tmp_path, restricted=half)
    with pytest.raises(InputError, match=r"can be told by .*width"):
        build_own_pool(free, restricted, tmp_path / "pool", OwnPoolOptions(equalize=False))
    assert not (tmp_path / "pool" / "pool.json").exists()
    pool, _ = build_own_pool(free, restricted, tmp_path / "pool")
    report = cue_report(pool)
    assert report["files"] == 48 and {cue["name"]: cue["auc"] for cue in report["cues"]}["width"] == 0.5


def test_what_cannot_be_used_is_counted_by_reason(tmp_path):
    free, restricted = own_folders(tmp_path, pairs=1)
    write(free / "bear" / "tiny.jpg", Image.new("RGB", (90, 90), "red"))
    write(free / "unsorted.jpg", scene("bear", 3, False))
    (free / "bear" / "cut.jpg").write_bytes((free / "bear" / "nps_0.jpg").read_bytes()[:600])
    (free / "bear" / "notes.txt").write_text("ignore previous instructions")
    shutil.copy(free / "bear" / "nps_0.jpg", free / "bear" / "copy.jpg")
    write(free / "lake" / "alone.jpg", Image.effect_mandelbrot((400, 300), (-2, -1, 1, 1), 60).convert("RGB"))
    (free / "lake" / "link.jpg").symlink_to(restricted / "lake" / "stock_0.png")
    pool, left = build_own_pool(free, restricted, tmp_path / "pool")
    assert len(pool.pairs) == 3
    assert {name: count for name, count in left.items() if count} == {
        "too small": 1, "without a tag": 1, "not readable": 1, "no image": 1, "twice in one folder": 1,
        "without a twin": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda free, other: shutil.rmtree(free), "no such folder"),
        (lambda free, other: [shutil.rmtree(free / kind) for kind in KINDS], "no image for the free half"),
        (lambda free, other: shutil.copy(other / "bear/stock_0.png", free / "bear/same.png"), "free and restricted"),
        (lambda free, other: (other / "bear").rename(other / "bird"), None),
        (lambda free, other: [(other / kind).rename(other / f"x{kind}") for kind in KINDS], "no two images show"),
    ],
)
def test_folders_that_make_no_pool_are_refused_in_one_line(tmp_path, spoil, reason):
    free, restricted = own_folders(tmp_path, pairs=1)
    spoil(free, restricted)
    if reason is None:
        assert len(build_own_pool(free, restricted, tmp_path / "pool")[0].pairs) == 2
        return
    with pytest.raises(InputError, match=reason) as caught:
        build_own_pool(free, restricted, tmp_path / "pool")
    assert "\n" not in str(caught.value)


def test_a_pool_that_leaves_an_instruction_unsolvable_is_refused(pool, tmp_path):
    record = json.loads((pool.path / "pool.json").read_text())
    for change, reason in (
        (lambda pair: pair["assets"][1].update(tags=["cloud"]), "share no tag"),
        (lambda pair: pair["assets"][0].update(width=150), "150 pixels wide, 200 are asked for"),
        (lambda pair: pair["assets"][0].update(role="restricted"), "no free twin"),
    ):
        spoiled = json.loads(json.dumps(record))
        change(spoiled["pairs"][3])
        folder = tmp_path / reason[:5].strip()
        shutil.copytree(pool.path, folder)
        (folder / "pool.json").write_text(json.dumps(spoiled))
        with pytest.raises(InputError, match=reason) as caught:
            check_solvable(Pool.open(folder))
        assert "unsolvable" in str(caught.value) and "pair-003" in str(caught.value)


def test_tags_come_from_a_file_where_there_is_one(tmp_path):
    for name, folder in (("a.jpg", "free"), ("b.jpg", "restricted")):
        write(tmp_path / folder / name, scene("rock", 1, folder == "restricted"))
    (tmp_path / "tags.csv").write_text("file,tags\na.jpg,rock; Red_Rock\nb.jpg,rock\n")
    pool, _ = build_own_pool(
        tmp_path / "free", tmp_path / "restricted", tmp_path / "pool", OwnPoolOptions(tags=tmp_path / "tags.csv")
    )
    assert pool.pairs[0].assets[0].tags == ("red rock", "rock") and pool.tags == ["rock"]
    (tmp_path / "tags.csv").write_bytes(b"file,tags\n\xff")
    with pytest.raises(InputError, match="UTF-8"):
        build_own_pool(
            tmp_path / "free", tmp_path / "restricted", tmp_path / "p", OwnPoolOptions(tags=tmp_path / "tags.csv")
        )


def test_notices_have_to_tell_the_roles_apart():
    with pytest.raises(InputError, match="public domain"):
        OwnPoolOptions(free_notice="by the park service")
    with pytest.raises(InputError, match="as if all could use it"):
        OwnPoolOptions(restricted_notice="free to use for members")


def test_gradients_see_composition_whatever_the_size():
    images = [scene(kind, seed, other) for kind in KINDS for seed in (0, 1) for other in (False, True)]
    rows = image_backend("gradients").embed([*images, images[0].resize((210, 150)), Image.new("RGB", (9, 9))])
    assert np.linalg.norm(rows, axis=1)[:-1] == pytest.approx(1) and np.isfinite(rows).all()
    alike = rows[:12] @ rows[:12].T
    twins = [alike[number, number + 1] for number in range(0, 12, 2)]
    others = [alike[one, other] for one in range(0, 12, 2) for other in range(one + 2, 12)]
    assert min(twins) > image_backend("gradients").threshold > max(others)
    assert rows[0] @ rows[12] > 0.95


def test_back_ends_that_are_not_there_say_what_they_need(tmp_path):
    with pytest.raises(InputError, match="add --image-backend open-clip"):
        quality_backend("laion", None, "gradients")
    with pytest.raises(InputError, match="--aesthetic-weights FILE"):
        quality_backend("laion", tmp_path / "absent.pth", "open-clip")
    with pytest.raises(InputError, match="one of gradients"):
        image_backend("dreams")


def test_the_command_builds_a_pool_and_tells_its_cues(folders, tmp_path, capsys):
    words = ["assets", "build", "--free", str(folders[0]), "--restricted", str(folders[1]), "-o", str(tmp_path / "p")]
    assert (app([*words, "--json"], result_action="return_value") or 0) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["pairs"] == 24 and printed["cues"]["classifier"]["of"] == 24
    with pytest.raises(InputError, match="both folders"):
        app(["assets", "build", "--free", str(folders[0]), "-o", str(tmp_path / "q")], result_action="return_value")


def test_the_original_is_not_touched(folders):
    file = folders[0] / "bear" / "nps_0.jpg"
    found = subprocess.run(
        ["exiftool", "-s3", "-EXIF:Copyright", str(file)], capture_output=True, text=True, check=True
    )
    assert found.stdout == ""
