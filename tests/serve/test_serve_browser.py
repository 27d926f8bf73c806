"""The page in a real browser: silent, inert to hostile texts, by keyboard, on small screens, with a token."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import HOSTILE, Service, until
from trace_material import function

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
TOKEN = "correct-horse-battery-staple"


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

    def search(self, text: str) -> str:
        self.page.fill("#text", text)
        self.page.focus("#text")
        self.page.keyboard.press("Control+Enter")
        until(lambda: self.page.inner_text("#state").endswith("."))
        return self.page.inner_text("#state")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (375, "light"), (375, "dark")])
def test_origins_stand_beside_the_text_and_hostile_ones_do_not_run(
    browser: Any, service: Service, width: int, scheme: str, tmp_path: Path
) -> None:
    visit = Visit(browser, service.address, width, scheme)
    page = visit.page
    page.wait_for_selector("#language option[value=python]", state="attached")
    assert "7 files" in page.inner_text("#index")
    state = visit.search(HOSTILE + "\n" + function(101).replace("return", "return  ") + "\nlast = 1\n")
    assert "2 matches" in state
    seen = page.inner_text("#matches")
    assert "<script>window.owned = 1</script>" in seen and "[U+202E]" in seen and "<b>evil</b>/x.py" in seen
    assert "strong copyleft" in seen and "same-license" in seen and "Grace Example" in seen
    assert page.evaluate("window.owned") is None
    assert page.locator("#matches :is(img, iframe, script, svg, b)").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    both = page.locator("article").first.locator("figure")
    assert both.count() == 2
    for side in (both.first, both.last):
        marked = side.locator(".row.exact")
        assert marked.count() > 5 and "c0" in marked.first.get_attribute("class")
        assert marked.first.locator(".tag").inner_text() == "1"
    left, right = both.first.bounding_box(), both.last.bounding_box()
    assert (left["y"] == right["y"]) == (width > 800)
    page.screenshot(
        path=os.environ.get("CLEARTITLE_SHOTS", str(tmp_path)) + f"/serve-{width}-{scheme}.png", full_page=True
    )
    assert visit.said == [] and all(url.startswith(service.address) for url in visit.asked)
    visit.context.close()


def test_the_keyboard_leads_through_the_matches(browser: Any, service: Service) -> None:
    visit = Visit(browser, service.address)
    page = visit.page
    visit.search(function(101) + function(202) + function(303))
    focused = "document.activeElement.closest('article')?.querySelector('h2').textContent"
    assert page.evaluate(focused) is None
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    first = page.evaluate(focused)
    page.keyboard.press("n")
    assert first.startswith("1. ") and page.evaluate(focused).startswith("2. ")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator("article .now").count() >= 2
    page.keyboard.press("p")
    assert page.evaluate(focused) == first
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "text"
    assert "Nothing found" in visit.search(
        "nothing of this stands in any of the files that the index holds, not at all"
    )
    assert page.locator("article").count() == 0
    assert "Too short" in visit.search("a few words")
    assert visit.said == []
    visit.context.close()


def test_a_file_is_opened_and_a_language_chosen(browser: Any, service: Service, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(function(101))
    visit = Visit(browser, service.address)
    visit.page.wait_for_selector("#language option[value=java]", state="attached")
    visit.page.set_input_files("#file", tmp_path / "mine.py")
    visit.page.wait_for_selector("article")
    visit.page.select_option("#language", "java")
    assert "Nothing found" in visit.search(function(101))
    visit.context.close()


def test_problems_are_told_and_a_token_is_asked_for(browser: Any, served_index: Path, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN)
    service = Service(served_index, "--token-file", str(tmp_path / "token"), "--max-body", "20000")
    visit = Visit(browser, service.address)
    page = visit.page
    try:
        page.fill("#text", function(101))
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#problem:not([hidden])")
        assert "asks for a token" in page.inner_text("#problem")
        page.keyboard.type("wrong")
        page.keyboard.press("Enter")
        until(lambda: "wrong" in page.inner_text("#problem"))
        page.fill("#token", TOKEN)
        assert "1 match" in visit.search(function(101))
        page.fill("#text", "word " * 10000)
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#problem:not([hidden])")
        assert "larger than 20,000 bytes" in page.inner_text("#problem")
    finally:
        service.end()
    page.keyboard.press("Control+Enter")
    until(lambda: "does not answer" in page.inner_text("#problem"))
    visit.context.close()
