import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from report_runs import BIDI, CONTROLS, HOSTILE, IMAGE, SCRIPT, TEMPLATE

from cleartitle.report import (
    Block,
    Cell,
    Column,
    Fact,
    Facts,
    Figure,
    Group,
    KeyFigure,
    KeyFigures,
    Mark,
    MarkedText,
    Notes,
    Paragraph,
    RowGroup,
    Section,
    SideBySide,
    Table,
    TextBox,
    render,
)
from cleartitle.report.plots import Series, bars

EVIL = " ".join(HOSTILE)
VOID = {"meta", "link", "br", "img", "input"}


class Page(HTMLParser):
    """Elements with their attributes, and all text outside of style and script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.raw: dict[str, str] = {"style": "", "script": ""}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID and self.rawdata[self.rawdata.find(self.get_starttag_text() or "") :]:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"{tag} closes {self.open[-3:]}"
        self.open.pop()

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in self.raw:
            self.raw[self.open[-1]] += data
        else:
            self.text += data


def all_blocks(text: str) -> list[Block]:
    """Every kind of block with ``text`` in every place of it."""
    cells = [Cell(text, text, "bad"), Cell.number(1.5, text)]
    columns = [Column(text, "code", text, True), Column(text, "number")]
    table = Table(text, columns, [RowGroup([cells], text, True, text)], text)
    marked = MarkedText(text, text, [Mark(0, 5, "shared"), Mark(3, 9, "comment")], text)
    return [
        Paragraph(text, lead=True),
        KeyFigures([KeyFigure(text, text, text, text, text, "warn")]),
        table,
        Figure(text, bars("evil", [text], [Series(text, [1.0])], text), text, table),
        SideBySide(marked, marked),
        TextBox(marked),
        TextBox(marked, collapsed=False),
        Facts([Fact(text, [text, text])]),
        Notes(text, [text]),
        Group(text, [Paragraph(text), Group(text, [TextBox(marked)])], [(text, "bad")]),
    ]


def page_of(text: str) -> str:
    return render(text, [Section("one", text, all_blocks(text)), Section("two", text, [])], text, {text: text})


@pytest.mark.parametrize("text", [*HOSTILE, EVIL])
def test_hostile_text_stays_text_in_every_place(text: str) -> None:
    source = page_of(text)
    page, harmless = Page(source), Page(page_of("harmless words"))
    boxed = [element for element in page.elements if element != ("mark", {}) and element[0] not in ("span", "mark")]
    plain = [element for element in harmless.elements if element[0] not in ("span", "mark")]
    assert [tag for tag, _ in boxed] == [tag for tag, _ in plain]
    assert [sorted(attributes) for _, attributes in boxed] == [sorted(attributes) for _, attributes in plain]
    assert page.open == []


def test_only_our_own_style_and_script_are_allowed_by_the_policy() -> None:
    source = page_of(EVIL)
    page = Page(source)
    (policy,) = [
        attributes["content"] or ""
        for tag, attributes in page.elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    for tag, directive in (("style", "style-src"), ("script", "script-src")):
        digest = base64.b64encode(hashlib.sha256(page.raw[tag].encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert source.index("Content-Security-Policy") < source.index("<style>")


def test_nothing_in_the_page_can_load_or_run() -> None:
    page = Page(page_of(EVIL))
    for tag, attributes in page.elements:
        assert tag not in ("iframe", "object", "embed", "base", "form", "img", "audio", "video")
        assert not any(name.startswith("on") or name in ("style", "src", "srcset", "action") for name in attributes)
        for name in ("href", "xlink:href"):
            assert (attributes.get(name) or "#").startswith("#") or attributes[name] == "data:,"
    assert sum(tag == "script" for tag, _ in page.elements) == 1


def test_hidden_signs_are_shown_as_code_points() -> None:
    source = page_of(BIDI + CONTROLS)
    assert "U+202E" in source and "U+0000" in source and "U+FEFF" in source
    assert not set(source) & set("\u202e\u2066\u2069\x00\x07\x1b\u200b\ufeff")


def test_template_syntax_is_not_evaluated() -> None:
    text = Page(page_of(TEMPLATE)).text
    assert "{{7*7}}" in text and "49" not in text


def test_a_long_text_is_cut_with_a_line_that_says_where_the_whole_stands() -> None:
    box = TextBox(MarkedText("answer", "word " * 200_000, (), "the folder generations of the run"))
    text = Page(render("t", [Section("one", "One", [box])])).text
    assert "Shown: the first 20,000 of 1,000,000 characters." in text
    assert "The whole text stands in the folder generations of the run." in text
    assert len(text) < 30_000


def test_equal_sections_give_equal_pages() -> None:
    assert page_of(EVIL) == page_of(EVIL)


def test_a_figure_that_is_no_drawing_is_refused() -> None:
    figure = Figure("caption", "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "words")
    with pytest.raises(ValueError, match="drawing"):
        render("t", [Section("one", "One", [figure])])


@pytest.mark.parametrize("ids", [("one", "one"), ("One",), ("a b",), ("",), ('x"onload="',)])
def test_ids_of_sections_must_be_plain_and_unique(ids: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="ids of sections"):
        render("t", [Section(identity, "One", []) for identity in ids])


def test_tables_are_marked_up_for_screen_readers() -> None:
    page = Page(page_of("words"))
    heads = [attributes for tag, attributes in page.elements if tag == "th"]
    assert {attributes.get("scope") for attributes in heads} == {"col", "row", "rowgroup"}
    assert any(tag == "caption" for tag, _ in page.elements)
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 2 for before, after in zip(levels, levels[1:], strict=False))


def test_scripts_and_images_of_a_corpus_appear_as_words() -> None:
    text = Page(page_of(SCRIPT + IMAGE)).text
    assert SCRIPT in text and "<img src=x onerror=" in text
