import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

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
    """A page with everything that it said and asked for."""

    def __init__(self, browser: Any, run: Path, width: int = 1280, scheme: str = "light", script: bool = True) -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, java_script_enabled=script
        )
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: self.said.append(dialog.message))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto((run / "report.html").as_uri())

    def rows(self, caption: str, column: int) -> list[str]:
        """Visible texts of one column of the table with a caption."""
        return self.page.evaluate(
            """([caption, column]) => {
                const tables = [...document.querySelectorAll("table")];
                const table = tables.find((one) => one.caption.textContent === caption);
                const rows = [...table.querySelectorAll("tbody tr:not(.group-title)")].filter((row) => !row.hidden);
                return rows.map((row) => row.cells[column].textContent.trim());
            }""",
            [caption, column],
        )


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "light"), (375, "dark")])
def test_the_page_renders_in_silence_and_asks_for_nothing(
    browser: Any, copying_run: Path, harmless_run: Path, width: int, scheme: str
) -> None:
    for run in (copying_run, harmless_run):
        visit = Visit(browser, run, width, scheme)
        visit.page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        visit.page.wait_for_timeout(100)
        assert visit.said == []
        assert visit.asked == [(run / "report.html").as_uri()]
        assert visit.page.evaluate("window.owned") is None
        assert visit.page.title().startswith("Does replayed")
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
        assert visit.page.locator("svg").count() >= 5
        assert visit.page.evaluate("[...document.querySelectorAll('svg')].every((one) => one.clientWidth > 300)")
        visit.context.close()


def test_a_column_sorts_both_ways_and_says_so(browser: Any, copying_run: Path) -> None:
    visit = Visit(browser, copying_run)
    box = visit.page.locator("div.table", has=visit.page.get_by_text("All striking cases", exact=True)).last
    head = box.locator("thead th", has_text="license").first
    names = visit.rows("All striking cases", 2)
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert visit.rows("All striking cases", 2) == sorted(names, key=str.lower)
    head.locator("button").press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert visit.rows("All striking cases", 2) == sorted(names, key=str.lower, reverse=True)
    visit.context.close()


def test_numbers_sort_as_numbers_within_their_group(browser: Any, copying_run: Path) -> None:
    visit = Visit(browser, copying_run)
    box = visit.page.locator("div.table", has=visit.page.locator("caption", has_text="LiCoEval table"))
    box.locator("thead th", has_text="# perm.").locator("button").click()
    cases = visit.rows("LiCoEval table", 5)
    names = visit.rows("LiCoEval table", 0)
    ranked = cases[names.index("Codestral-22B-v0.1") :][:8]
    assert ranked == ["87", "79", "41", "39", "36", "26", "26", "22"]
    assert names[0] == "replayed copies"
    visit.context.close()


def test_search_and_choice_narrow_a_table(browser: Any, copying_run: Path) -> None:
    visit = Visit(browser, copying_run)
    box = visit.page.locator("div.table", has=visit.page.locator("caption", has_text="LiCoEval table"))
    everything = visit.rows("LiCoEval table", 0)
    box.get_by_label("Search this table").fill("gpt-4")
    assert sorted(visit.rows("LiCoEval table", 0)) == ["GPT-4-Turbo", "GPT-4o"]
    assert box.get_by_role("status").inner_text() == f"2 of {len(everything)} rows"
    box.get_by_label("Search this table").fill("")
    box.get_by_label("ranked").select_option(label="no copyleft case")
    assert "GLM-4-9B-Chat" in visit.rows("LiCoEval table", 0)
    assert "GPT-4o" not in visit.rows("LiCoEval table", 0)
    assert visit.said == []
    visit.context.close()


def test_cases_expand_collapse_and_can_be_searched(browser: Any, copying_run: Path) -> None:
    visit = Visit(browser, copying_run)
    section = visit.page.locator("#cases")
    cases = section.locator(":scope > details.group")
    assert cases.count() == 6
    section.get_by_role("button", name="Expand all").click()
    assert section.locator(":scope > details.group[open]").count() == 6
    section.get_by_role("button", name="Collapse all").click()
    assert section.locator(":scope > details.group[open]").count() == 0
    section.get_by_label("Search these cases").fill("lantern")
    assert section.locator(":scope > details.group:visible").count() == 1
    visit.context.close()


def test_without_a_script_the_page_still_reads(browser: Any, copying_run: Path) -> None:
    visit = Visit(browser, copying_run, script=False)
    assert visit.page.get_by_text("answers are strikingly similar").first.is_visible()
    assert visit.page.locator("caption", has_text="LiCoEval table").is_visible()
    assert visit.page.locator("thead button").count() == 0
    visit.page.locator("#cases summary").nth(1).click()
    assert visit.said == []
    visit.context.close()


def test_text_stands_off_its_ground_in_both_themes(browser: Any, copying_run: Path) -> None:
    contrast = """() => {
        const lightness = (color) => {
            const parts = color.match(/[\\d.]+/g).slice(0, 3).map((part) => {
                const share = Number(part) / 255;
                return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
            });
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
        };
        const ground = (element) => {
            for (let one = element; one; one = one.parentElement) {
                const color = getComputedStyle(one).backgroundColor;
                if (!color.startsWith("rgba(0, 0, 0, 0")) return color;
            }
            return "rgb(255, 255, 255)";
        };
        const poor = [];
        for (const element of document.querySelectorAll("p, li, td, th, dt, dd, summary, .badge, mark, a, .n, .note")) {
            const pair = [lightness(getComputedStyle(element).color), lightness(ground(element))].sort((a, b) => b - a);
            const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
            if (ratio < 4.5) poor.push(`${element.tagName}.${element.className} ${ratio.toFixed(2)}`);
        }
        return [...new Set(poor)];
    }"""
    for scheme in ("light", "dark"):
        visit = Visit(browser, copying_run, scheme=scheme)
        assert visit.page.evaluate(contrast) == []
        visit.context.close()
