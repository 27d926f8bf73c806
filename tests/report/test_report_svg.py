import re

import pytest
from matplotlib.figure import Figure as Drawing

from cleartitle.report.plots import Panel, Series, bars, bubbles, ecdf, histograms
from cleartitle.report.svg import is_drawing, to_svg

SVG = '<svg xmlns="http://www.w3.org/2000/svg">{}</svg>'


def all_plots(name: str) -> list[str]:
    values = [0.1, 0.1, 0.55, None, 0.9]
    return [
        bars(name, ["MIT", "<script>alert(1)</script>", r"$\frac{1}{0}$ $", "a\u202eb\x00"], [
            Series("one", [0.5, 0.0, 0.25, 0.25]), Series('"><img src=x>', [1.0, None, 0.0, 0.0])], "share"),
        ecdf(name, [Series("model", values), Series("nothing", [])], "similarity", 0.6),
        histograms(name, [("BLEU-4", [Series("a", values), Series("b", values)])] * 3, 0.6),
        bubbles(name, [Panel("lines", [11, 12, 300, 40], True), Panel("comments", [0, 0, 3, 1])],
                [0.0, 1.0, 0.5, 0.7], [False, True, False, False], 0.6),
    ]  # fmt: skip


def test_drawings_are_safe_and_bring_no_style_attribute() -> None:
    for svg in all_plots("plot"):
        assert is_drawing(svg)
        assert not re.search(r"style=|<style|<script|<img|<metadata|http://(?!www\.w3\.org/2000/svg)", svg)
        assert "currentColor" in svg


def test_equal_data_give_equal_drawings() -> None:
    assert all_plots("plot") == all_plots("plot")


def test_ids_of_two_drawings_do_not_meet() -> None:
    ids = [set(re.findall(r'id="([^"]+)"', "".join(all_plots(name)))) for name in ("first", "second")]
    assert ids[0] and ids[1] and not ids[0] & ids[1]
    references = set(re.findall(r'(?:url\(|href=")#([\w-]+)', "".join(all_plots("first"))))
    assert references <= ids[0]


def test_many_points_give_a_drawing_of_bounded_size() -> None:
    count = 20_000
    lines = [11 + (place * 7919) % 380 for place in range(count)]
    heights = [(place * 104729 % 100_003) / 100_003 for place in range(count)]
    svg = bubbles("many", [Panel("lines", lines, True)], heights, [False] * count, 0.6)
    assert len(svg) < 400_000


def test_a_label_is_text_never_a_formula() -> None:
    svg = bars("labels", [r"$x^2$ and $"], [Series("one", [1.0])], "share")
    assert "$x^2$ and $" in svg


@pytest.mark.parametrize(
    "inner",
    [
        "<script>alert(1)</script>",
        "<foreignObject/>",
        "<image href='data:image/png;base64,AA'/>",
        "<use href='https://example.org/x#a'/>",
        "<path onclick='alert(1)' d=''/>",
        "<path style='fill:url(https://example.org)'/>",
        "<path clip-path='url(https://example.org)'/>",
        "<a href='#x'/>",
        "<g>",
    ],
)
def test_other_svg_is_no_drawing(inner: str) -> None:
    assert is_drawing(SVG.format("<g/>"))
    assert not is_drawing(SVG.format(inner))


def test_a_document_type_is_no_drawing() -> None:
    assert not is_drawing('<!DOCTYPE svg [<!ENTITY a "b">]>' + SVG.format("<g/>"))


def test_ink_follows_the_color_of_the_page() -> None:
    figure = Drawing(figsize=(1, 1))
    figure.text(0, 0, "word", color="#010203")
    assert re.search(r'<text[^>]*fill="currentColor"[^>]*>word</text>', to_svg(figure, "ink"))
