"""Headers of JPEG files: taken apart and put together byte for byte, and filled up to any size."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench.jpeg_segments import join, pad, split


def jpeg() -> bytes:
    stream = io.BytesIO()
    Image.effect_noise((60, 40), 50).convert("RGB").save(stream, "JPEG", exif=b"Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0")
    return stream.getvalue()


DATA = jpeg()


def test_a_file_is_put_together_as_it_was():
    segments, rest = split(DATA)
    assert join(segments, rest) == DATA and {segment.marker for segment in segments} >= {0xE0, 0xE1, 0xDB, 0xC0}


@given(st.integers(4, 200_000))
def test_filling_gives_the_size_and_leaves_the_picture(missing):
    filled = pad(DATA, len(DATA) + missing)
    assert len(filled) == len(DATA) + missing
    with Image.open(io.BytesIO(filled)) as image, Image.open(io.BytesIO(DATA)) as original:
        assert image.tobytes() == original.tobytes()


@pytest.mark.parametrize("missing", [-5, 1, 2, 3])
def test_what_cannot_be_filled_is_refused(missing):
    with pytest.raises(ValueError, match="cannot add"):
        pad(DATA, len(DATA) + missing)


@given(st.binary(max_size=300) | st.integers(0, len(DATA)).map(lambda end: DATA[:end]))
def test_hostile_bytes_are_an_error_or_a_header(data):
    try:
        segments, rest = split(data)
    except InputError:
        return
    assert join(segments, rest) == data
