"""What the readers share."""

from collections.abc import Iterator, Sequence

from cleartitle.corpus.documents import Skipped
from cleartitle.corpus.options import CorpusOptions
from cleartitle.corpus.text import printable

__all__ = ["OtherFiles", "chunks"]


class OtherFiles:
    """Files that are no source in a wanted language: one line for all of a source, not one each."""

    def __init__(self) -> None:
        self.count = 0
        self.names: list[str] = []

    def add(self, path: str) -> None:
        """Count one file."""
        self.count += 1
        if len(self.names) < 3:
            self.names.append(printable(path, 60))

    def skipped(self, label: str) -> list[Skipped]:
        """The line, if there was any such file."""
        if not self.count:
            return []
        names = ", ".join(self.names) + (", ..." if self.count > len(self.names) else "")
        noun = "file" if self.count == 1 else "files"
        line = f"{printable(label)}: {self.count} {noun} in no wanted language ({names})"
        return [Skipped("other_files", line, self.count)]


def chunks(files: Sequence[tuple[str, int]], options: CorpusOptions) -> Iterator[list[tuple[str, int]]]:
    """Cut a list of names with sizes into shards by the limits of the options."""
    chunk: list[tuple[str, int]] = []
    size = 0
    for item in files:
        if chunk and (len(chunk) >= options.shard_files or size + item[1] > options.shard_bytes):
            yield chunk
            chunk, size = [], 0
        chunk.append(item)
        size += item[1]
    if chunk:
        yield chunk
