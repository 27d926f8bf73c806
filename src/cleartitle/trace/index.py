"""Search an index: look up, vote, verify, rank."""

from pathlib import Path
from typing import Any

from cleartitle.errors import InputError
from cleartitle.trace.build import read_manifest
from cleartitle.trace.matches import Result, State
from cleartitle.trace.options import SearchOptions
from cleartitle.trace.policy import load_policy
from cleartitle.trace.rank import rank
from cleartitle.trace.segment import Segment
from cleartitle.trace.verify import Found, verify
from cleartitle.trace.votes import Candidates, Sightings, Votes, candidates, sightings_of, vote
from cleartitle.trace.words import CHANNELS, SHORTEST, WordStream, word_stream

__all__ = ["Index", "answer", "index_stamp", "search"]


class Index:
    """An index, open for reading; safe to share between threads."""

    def __init__(self, path: Path, manifest: dict[str, Any], segments: list[Segment]) -> None:
        self.path, self.manifest, self.segments = path, manifest, segments

    @classmethod
    def open(cls, path: str | Path) -> "Index":
        """Open an index folder.

        Raises:
            InputError: no index, a damaged one, or one of another format.
        """
        path = Path(path)
        manifest = read_manifest(path)
        try:
            return cls(path, manifest, _segments(path, manifest))
        except InputError:
            # Segments may have been merged between the two looks.
            renewed = read_manifest(path)
            if renewed == manifest:
                raise
            return cls(path, renewed, _segments(path, renewed))

    @property
    def searched(self) -> dict[str, Any]:
        """What a search looks through, in plain JSON values."""
        records = [segment.record for segment in self.segments]
        return {
            "index": str(self.path),
            "segments": len(records),
            **{
                name: sum(record[name] for record in records)
                for name in ("documents", "origins", "words", "source_bytes")
            },
            "guaranteed_words": {channel.name: channel.guarantee for channel in CHANNELS},
        }

    def search(
        self,
        text: str | bytes,
        language: str | None = None,
        limit: int = 10,
        *,
        path: str | None = None,
        options: SearchOptions | None = None,
    ) -> Result:
        """Works that share words with ``text``, best first; at most ``limit`` of them.

        With ``language`` only documents of that language count.
        """
        options = options or SearchOptions()
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        query = word_stream(data)
        if len(query) < SHORTEST:
            return Result(path, "too_short", len(query), self.searched, ())
        votes, best = self.look(query, language, options)
        sightings = sightings_of(votes, best)
        found = self.compare(query, votes, best, sightings, options)
        return answer(path, data, query, found, limit, sightings, self.searched)

    def look(
        self, query: WordStream, language: str | None, options: SearchOptions
    ) -> tuple[list[list[Votes]], list[Candidates]]:
        """What each segment knows of the runs of a query, and its best documents."""
        votes = [vote(segment, query) for segment in self.segments]
        best = [
            candidates(segment, found, language, options) for segment, found in zip(self.segments, votes, strict=True)
        ]
        return votes, best

    def compare(
        self,
        query: WordStream,
        votes: list[list[Votes]],
        best: list[Candidates],
        sightings: Sightings,
        options: SearchOptions,
    ) -> list[Found]:
        """The documents that match, in no order.

        ``votes`` and ``best`` are of this index, ``sightings`` of all that is searched.
        """
        least = sightings.least_score(options)
        return [
            found
            for segment, votes_here, chosen in zip(self.segments, votes, best, strict=True)
            for document, score in zip(chosen.documents, chosen.scores.tolist(), strict=True)
            if score >= least
            and (found := verify(segment, document, query, votes_here, sightings.projects, options)) is not None
        ]


def answer(
    path: str | None,
    data: bytes,
    query: WordStream,
    found: list[Found],
    limit: int,
    sightings: Sightings,
    searched: dict[str, Any],
) -> Result:
    """Put what was found in order and say what it comes to."""
    matches = rank(found, data, query, limit)
    state: State = "none"
    if any(not match.common for match in matches):
        state = "matches"
    elif matches or sightings.mostly_common(len(query)):
        state = "common"
    return Result(path, state, len(query), searched, tuple(matches))


def search(
    text: str | bytes, index: "Index | Path | str | None" = None, *, language: str | None = None, limit: int = 10
) -> Result:
    """Works that share words with ``text``, best first: ``Index.search`` for a single question.

    Without ``index`` the one that ``.cleartitle.toml`` names (``[trace] index``) is searched.

    Raises:
        InputError: no index is named, or it cannot be opened.
    """
    if index is None:
        index = load_policy(None).index
        if index is None:
            raise InputError("no index named; mend: pass one, or set index under [trace] in .cleartitle.toml")
    opened = index if isinstance(index, Index) else Index.open(index)
    return opened.search(text, language, limit)


def index_stamp(path: Path) -> tuple[int, int, int] | None:
    """What differs when a folder holds another index than before, to be looked at often; None where it holds none."""
    try:
        state = (path / "index.json").stat()
    except OSError:
        return None
    return state.st_mtime_ns, state.st_ino, state.st_size


def _segments(path: Path, manifest: dict[str, Any]) -> list[Segment]:
    return [Segment(path / "segments" / segment["name"]) for segment in manifest["segments"]]
