"""The page of a run: labels, transcripts with pictures, hostile text, and the ranking of several runs."""

import json
import os
import re
import shutil

import pytest
from agent_server import calls, careful, careless, listed, serving
from office_material import make_pool

from cleartitle.cli.app import app
from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench import CopyrightBenchOptions, compare_runs, evaluate_model, evaluate_policy
from cleartitle.models import ModelOptions, open_model
from cleartitle.report import write_report
from cleartitle.report.copyright_bench.wording import tone_of

HOSTILE = '<script>window.owned = 1</script><img src=x onerror="window.owned=1">\u202e{{ 7 * 7 }} </td>'
CHROMIUM = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    return make_pool(tmp_path_factory.mktemp("pool") / "pool", pairs=8)


def hostile(messages):
    files = listed(messages)
    if files is None:
        return calls(("list_files", {}), text=HOSTILE)
    if len(messages) < 6:
        return calls(("view_image", {"path": files[1]}), ("read_metadata", {"path": HOSTILE}))
    return calls(("submit_selection", {"path": files[1]}), text=HOSTILE)


def play(agent, pool, folder, name="scripted", weights=None, **options):
    with serving(agent) as server:
        asking = ModelOptions(base_url=server.url, price_prompt=1.0, price_completion=2.0)
        chosen = {"task": "webdev", "environment": "std", "prompt": "neutral", "runs": 12, "pairs": 4, "workers": 1}
        evaluate_model(
            open_model(f"openai:{name}", asking),
            pool,
            folder,
            CopyrightBenchOptions(**{**chosen, **options}),
            weights=weights,
            asking=asking,
        )
    return folder


@pytest.fixture(scope="module")
def hostile_run(pool, tmp_path_factory):
    options = {"prompt": None, "mitigation": ("none", "reminder"), "runs": 6, "captions": False}
    folder = play(hostile, pool, tmp_path_factory.mktemp("hostile") / "run", **options)
    write_report(folder)
    return folder


def test_hostile_text_is_shown_and_inert_and_pictures_stand_in_the_page(hostile_run):
    page = (hostile_run / "report.html").read_text()
    assert page.count("<script>") == 1 and "onerror=&#34;" in page and "U+202E" in page
    pictures = re.findall(r'<img src="data:image/jpeg;base64,/9j/', page)
    assert len(pictures) >= 6 and page.count("<img") == len(pictures)
    for words in ("What a mitigation changes", "rights never read", "Message by message", "submitted: "):
        assert words in page
    assert "http:" not in page.replace("http://www.w3.org", "")


def test_a_page_to_share_holds_no_transcript_and_no_picture(hostile_run):
    page = write_report(hostile_run, redact=True).read_text()
    assert "<img" not in page and "onerror" not in page and "Transcripts and pictures are left out" in page


def test_captions_and_grammar_are_labelled_at_the_top(pool, tmp_path):
    folder = play(careless, pool, tmp_path / "run", captions=True, runs=2)
    page = write_report(folder).read_text()
    assert page.index("Captions in the place of pixels") < page.index("<table")


def test_who_submits_nothing_is_not_shown_as_lawful():
    cell = {"runs": 20, "vr_interval": [0.0, 0.16], "chance": 0.5, "outcomes": {"submitted": 20}}
    assert tone_of(cell) == "good"
    assert tone_of({**cell, "outcomes": {"submitted": 0}}) == "muted"
    assert tone_of({**cell, "outcomes": {"submitted": 4}}) == "warn"


def test_runs_are_ranked_over_what_they_share_with_open_beside_closed_weights(pool, tmp_path, capsys):
    one = play(careless, pool, tmp_path / "one", "one", "open", runs=16)
    two = play(careful, pool, tmp_path / "two", "two", "closed", runs=12)
    three = tmp_path / "three"
    evaluate_policy("random", pool, three, CopyrightBenchOptions(task="webdev", runs=12, pairs=4, workers=1))
    page = tmp_path / "ranking.html"
    words = ["eval", "copyright-bench-ranking", *map(str, (one, two, three)), "--json", "-o", str(page)]
    assert (app(words, result_action="return_value") or 0) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["cells"], found["episodes"]) == (1, 12)
    assert found["ranking"][0]["name"] == "two" and found["ranking"][0]["violations"] == 0
    assert {row["runs"] for row in found["ranking"]} == {12}
    groups = {group["weights"]: group for group in found["weights"]}
    assert (groups["closed"]["violations"], groups["closed"]["names"]) == (0, ["two"])
    assert groups["open"]["violations"] > 2
    test = next(test for test in found["pairs"] if {test["one"], test["other"]} == {"one", "two"})
    assert test["pairs"] == 12 and test["difference"] > 0
    assert found["ranking"][0]["cost"]["price_per_episode"] > 0
    text = page.read_text()
    assert "closed weights (two)" in text and "Claude 4.5 Opus" in text
    with pytest.raises(InputError, match="share no episode"):
        compare_runs([one, play(careful, pool, tmp_path / "other", seed=9, runs=2)])
    with pytest.raises(InputError, match="at least two"):
        compare_runs([one])


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "light"), (375, "dark"), (1280, "dark")])
def test_the_page_fits_its_window_says_nothing_and_asks_for_nothing(hostile_run, width, scheme):
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine")
    said, asked = [], []
    with playwright.sync_playwright() as driver:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=flags, env={**os.environ, "LANG": "C.UTF-8"})
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto((hostile_run / "report.html").as_uri())
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        page.wait_for_timeout(150)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("window.owned") is None
        assert page.evaluate("[...document.images].every((one) => one.naturalWidth > 50 && one.alt)")
        browser.close()
    assert said == [] and [url for url in asked if not url.startswith("data:")] == [
        (hostile_run / "report.html").as_uri()
    ]
