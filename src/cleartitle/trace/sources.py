"""The stored text of a matched work."""

import pyarrow.compute as pc

from cleartitle.trace.index import Index

__all__ = ["text_of"]


def text_of(index: Index, swhid: str) -> str | None:
    """The text of a content of the index; None if it holds no such content or no texts.

    Raises:
        InputError: a damaged store.
    """
    for segment in index.segments:
        if not segment.has_texts:
            continue
        document = pc.index(segment.documents["swhid"], swhid).as_py()  # pyright: ignore[reportAttributeAccessIssue]
        if document >= 0:
            return segment.text(document).decode("utf-8", "replace")
    return None
