"""A person in front of the page: consent, three tasks, coming back, the end."""

import shutil

import pytest
from human_study_server import PAIRS, make_pool, serving

from cleartitle.labels.human_study import Study, StudyOptions

sync_playwright = pytest.importorskip("playwright.sync_api").sync_playwright

CHROMIUM = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)
FLAGS = ["--no-sandbox", "--disable-dev-shm-usage"]
pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")]


@pytest.fixture
def study(tmp_path):
    study = Study(tmp_path / "study", make_pool(tmp_path / "pool", pairs=6), StudyOptions(pairs=PAIRS, people=20))
    yield study
    study.close()


def test_a_person_goes_through_the_page_in_a_browser(study):
    with serving(study) as server, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        problems = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.goto(server.address)
        assert page.locator("#join").is_disabled()
        page.check("#agree")
        page.click("#join")
        page.wait_for_selector(".file")
        own = page.url
        assert "#person=" in own and page.locator(".file").count() == 2 * PAIRS
        for number in range(3):
            page.locator(".file").nth(number).click()
            page.wait_for_selector("#chosen")
            page.click("#properties summary")
            page.wait_for_selector("#metadata dt")
            page.click("#submit")
            page.click("#yes")
            after = "#end:not([hidden])" if number == 2 else f"#state:text-is('Task {number + 2} of 3')"
            page.wait_for_selector(after)
            if number == 0:
                other = browser.new_page()
                other.goto(own)
                other.wait_for_selector(".file")
                assert other.inner_text("#state") == "Task 2 of 3"
                other.close()
        page.wait_for_selector("#end:not([hidden])")
        assert "rights in images" in page.inner_text("#debriefing")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        browser.close()
    (person,) = study.people.values()
    assert person.finished == 3 and not problems
    names = [call["name"] for call in person.calls[0]]
    assert names == ["view_image", "get_dimensions", "get_file_size", "read_metadata", "submit_selection"]
    assert person.calls[0][-1]["seconds"] > 0
