"""Rows of a table by their key, made one at a time: a large table is not a dictionary a row."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

__all__ = ["Rows"]

Row = dict[str, Any]


class Rows(Mapping[Hashable, Row]):
    """Rows of ``table`` by the values of the ``key`` columns, alone or as a tuple, in the order of the table.

    ``finish`` is given the key and the row and returns what a reader gets.
    """

    def __init__(
        self, table: pa.Table, key: Sequence[str], finish: Callable[[Any, Row], Row] = lambda _, row: row
    ) -> None:
        self.table = table.combine_chunks()
        self.finish = finish
        columns = [table[name].to_pylist() for name in key]
        keys = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
        self.places: dict[Hashable, int] = {one: place for place, one in enumerate(keys)}

    def __getitem__(self, key: Hashable) -> Row:
        return self.finish(key, self.table.slice(self.places[key], 1).to_pylist()[0])

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def column(self, name: str) -> dict[Any, Any]:
        """One value by key."""
        return dict(zip(self.places, self.table[name].to_pylist(), strict=True))
