import doctest
import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "licenses.md"


def test_the_examples_of_the_page_give_what_they_show():
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 3
    runner = doctest.DocTestRunner()
    for number, block in enumerate(blocks):
        example = doctest.DocTestParser().get_doctest(block, {}, f"block {number}", str(PAGE), 0)
        assert example.examples
        runner.run(example)
    assert runner.summarize(verbose=False).failed == 0
