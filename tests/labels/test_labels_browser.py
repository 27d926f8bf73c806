"""The page in a real browser: silent, keyboard only, and going on after its server was killed."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from label_runs import Page, until

from cleartitle.labels import read_labels

pytestmark = pytest.mark.browser
CHROMIUM = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS, env={**os.environ, "LANG": "C.UTF-8"})
        yield opened
        opened.close()


class Visit:
    """The page with all that it said and asked for."""

    def __init__(self, browser: Any, address: str, width: int = 1280, scheme: str = "light") -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: self.said.append(dialog.message))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(address)
        self.page.wait_for_selector("#item:not([hidden])")

    def state(self) -> str:
        return self.page.inner_text("#state")

    def press(self, key: str, state: str) -> None:
        """One key, after the time in which a doubled key is passed over, and what the page then says."""
        self.page.wait_for_timeout(300)
        self.page.keyboard.press(key)
        until(lambda: state in self.state())


@pytest.fixture(scope="module")
def opened(judged_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("page")
    page = Page(folder, str(judged_run), "--limit", "20", "--output", "labels")
    yield page
    page.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (375, "light"), (375, "dark")])
def test_hostile_texts_do_not_run_and_the_page_asks_its_own_server_only(
    browser: Any, opened: Page, width: int, scheme: str
) -> None:
    visit = Visit(browser, opened.addresses["rater"], width, scheme)
    seen = ""
    for number in range(2, 23):
        seen += visit.page.inner_text("#panels")
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
        if number < 23 and not visit.page.is_disabled("#next"):
            visit.page.keyboard.press("n")
            until(lambda number=number: f"question {number}" in visit.state())
    assert "<script>window.owned = 1</script>" in seen and "[U+202E]" in seen
    assert visit.page.evaluate("window.owned") is None
    assert visit.said == []
    base = opened.addresses["rater"].partition("?")[0]
    assert visit.asked and all(url.startswith(base) for url in visit.asked)
    assert visit.page.locator("img, iframe, a").count() == 0
    assert visit.page.locator("#panels script, #panels svg").count() == 0
    visit.context.close()


def test_the_keyboard_does_all_and_a_killed_server_loses_nothing(
    browser: Any, judged_run: Path, tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    words = (str(judged_run), "--limit", "4", "--controls", "0.2", "--output", "labels")
    first = open_page(*words)
    visit = Visit(browser, first.addresses["rater"])
    visit.press("1", "1 of 5 answered, question 2")
    visit.page.keyboard.press("c")
    visit.page.keyboard.type("names 1 and 2 agree")
    visit.page.keyboard.press("Escape")
    visit.press("2", "2 of 5 answered, question 3")
    visit.press("p", "2 of 5 answered, question 2")
    assert visit.page.input_value("#comment") == "names 1 and 2 agree"
    assert visit.page.get_attribute("button[data-number='2']", "aria-pressed") == "true"
    visit.press("3", "2 of 5 answered, question 3")
    labels = read_labels(tmp_path / "labels" / "striking-rater.csv")
    assert [one.answer for one in labels] == ["copied", "independent", "unsure"]
    assert 0.2 < labels[0].seconds < 60 and labels[1].comment == labels[2].comment == "names 1 and 2 agree"
    first.kill()
    visit.page.wait_for_timeout(300)
    visit.page.keyboard.press("1")
    visit.page.wait_for_selector("#problem:not([hidden])")
    assert "Every answer up to here is kept" in visit.page.inner_text("#problem")
    visit.context.close()
    again = open_page(*words)
    visit = Visit(browser, again.addresses["rater"])
    assert "2 of 5 answered, question 3" in visit.state()
    for number in (3, 4, 5):
        visit.press("2", f"{number} of 5 answered")
    visit.page.wait_for_selector("#end:not([hidden])")
    visit.page.keyboard.press("Enter")
    assert again.wait() == "labels/striking-rater.csv: 5 of 5 answered\n"
    assert visit.said == []
    visit.context.close()


def test_a_license_is_written_and_a_wrong_one_is_told(
    browser: Any, judged_run: Path, tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    opened = open_page(str(judged_run), "--task", "license", "--limit", "3", "--controls", "0", "--output", "labels")
    visit = Visit(browser, opened.addresses["rater"])
    visit.page.wait_for_timeout(300)
    visit.page.keyboard.press("1")
    visit.page.keyboard.type("no such thing 12")
    visit.page.keyboard.press("Enter")
    visit.page.wait_for_selector("#problem:not([hidden])")
    assert "is no SPDX expression" in visit.page.inner_text("#problem")
    assert "0 of 3 answered" in visit.state()
    visit.page.keyboard.press("Control+a")
    visit.page.keyboard.type("gpl-3.0+")
    visit.press("Enter", "1 of 3 answered, question 2")
    visit.press("3", "2 of 3 answered, question 3")
    opened.close()
    found = read_labels(tmp_path / "labels" / "license-rater.csv")
    assert [one.answer for one in found] == ["GPL-3.0-or-later", "none"]
    visit.context.close()
