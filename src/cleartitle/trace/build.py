"""Build an index: fingerprint on all cores, write one segment a corpus, publish it at once or not at all."""

import shutil
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cleartitle.corpus import Corpus
from cleartitle.errors import InputError
from cleartitle.files import read_json, write_json
from cleartitle.jobs import locked, map_shards
from cleartitle.options import as_record, fingerprint
from cleartitle.tables import part_paths, read_table
from cleartitle.trace.license_store import LICENSES, write_license_texts
from cleartitle.trace.options import IndexOptions
from cleartitle.trace.prepare import prepare, prepare_shards
from cleartitle.trace.schema import FORMAT, ORIGINS, PREPARED
from cleartitle.trace.segment_writer import Chunk, seal_segment, write_segment

__all__ = ["build_index", "clear", "publish", "read_manifest"]

DOCUMENT_COLUMNS = [name for name in PREPARED.names if not name.endswith(("_keys", "_positions"))]


def build_index(
    corpora: Sequence[Path | str], output: Path | str, options: IndexOptions | None = None
) -> dict[str, Any]:
    """Add each corpus to the index in ``output`` as a segment of its own, and return the manifest.

    A corpus that the index holds already, by content and options, is left as it is. Readers see the new segment when
    it is whole. A killed build goes on where it was.

    Raises:
        InputError: no corpus, another build at work, or an index of another format or other options.
    """
    options = options or IndexOptions()
    output = Path(output)
    opened = [Corpus.open(path) for path in corpora]
    output.mkdir(parents=True, exist_ok=True)
    with locked(output):
        manifest = _manifest(output, options)
        for corpus in opened:
            key = fingerprint(options, corpus=corpus.key, format=FORMAT)
            if not any(key in segment["holds"] for segment in manifest["segments"]):
                _add(corpus, output, key, options)
                segments = [*manifest["segments"], {"name": key, "holds": [key], "corpora": [corpus.key]}]
                manifest = {**manifest, "segments": segments}
                write_json(output / "index.json", manifest)
        clear(output, manifest)
    return manifest


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of an index.

    Raises:
        InputError: no index, a damaged one, or one of another format.
    """
    if not (path / "index.json").is_file():
        raise InputError(f"{path}: not an index; mend: cleartitle trace index CORPUS -o {path}")
    manifest = read_json(path / "index.json")
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        found = manifest.get("format") if isinstance(manifest, dict) else None
        raise InputError(f"{path}: index format {found}, this version reads {FORMAT}; mend: build the index again")
    return manifest


def _manifest(output: Path, options: IndexOptions) -> dict[str, Any]:
    if not (output / "index.json").is_file():
        return {"format": FORMAT, "options": as_record(options), "segments": []}
    manifest = read_manifest(output)
    if manifest["options"]["texts"] != options.texts:
        held = "with" if manifest["options"]["texts"] else "without"
        raise InputError(f"{output}: an index {held} texts; mend: the same choice, or another folder")
    return manifest


def _add(corpus: Corpus, output: Path, key: str, options: IndexOptions) -> None:
    work = output / ".work" / key
    parts = work / "prepared"
    operation = partial(prepare, with_texts=options.texts)
    map_shards(operation, prepare_shards(corpus), parts, key=key, workers=options.workers, label="fingerprint")
    building = work / "segment"
    shutil.rmtree(building, ignore_errors=True)
    building.mkdir(parents=True)
    names = [path.name for path in part_paths(parts)]
    record = write_segment(
        building,
        _chunks(corpus.path, parts, names),
        partial(_postings, parts, names),
        len(names),
        cap_share=options.common_share,
        cap_least=options.common_least,
    )
    write_license_texts(building, corpus.license_texts().select(LICENSES.names).to_pylist())
    seal_segment(building, {**record, "texts": options.texts})
    publish(building, output / "segments" / key)


def publish(building: Path, target: Path) -> None:
    """Give a finished segment its name."""
    target.parent.mkdir(exist_ok=True)
    shutil.rmtree(target, ignore_errors=True)
    building.replace(target)


def clear(output: Path, manifest: dict[str, Any]) -> None:
    """Remove what no manifest names: work in progress, and segments of before."""
    shutil.rmtree(output / ".work", ignore_errors=True)
    for path in (output / "segments").glob("*"):
        if path.name not in {segment["name"] for segment in manifest["segments"]}:
            shutil.rmtree(path, ignore_errors=True)


def _chunks(corpus: Path, prepared: Path, names: list[str]) -> Iterator[Chunk]:
    for name in names:
        table = read_table(prepared / name, DOCUMENT_COLUMNS).combine_chunks()
        contents = pq.ParquetFile(corpus / "contents" / name).read(
            columns=["swhid", "header_license", "copyright_lines"]
        )
        places = pq.ParquetFile(corpus / "occurrences" / name).read()
        content = pc.index_in(places["swhid"], contents["swhid"])  # pyright: ignore[reportAttributeAccessIssue]
        origins = places.append_column("header_license", contents["header_license"].take(content)).append_column(
            "copyright_lines", contents["copyright_lines"].take(content)
        )
        # The best place of each content first: not vendored before vendored.
        order = pc.sort_indices(  # pyright: ignore[reportAttributeAccessIssue]
            pa.table({"content": content, "vendored": places["is_vendored"]}),
            [("content", "ascending"), ("vendored", "ascending")],
        )
        counts = np.bincount(content.to_numpy(), minlength=len(table)).astype(np.uint32)
        yield Chunk(
            swhids=table["swhid"],
            languages=table["language"],
            sizes=table["size"].to_numpy(),
            words=table["words"].to_numpy(),
            lines=_flat(table["lines"], np.dtype("u1"))[0].tobytes(),
            line_counts=_flat(table["lines"], np.dtype("u1"))[1].astype(np.uint32),
            syncs=_flat(table["syncs"], np.dtype("<u4"))[0],
            **_blocks(table),
            origins=origins.take(order).select(ORIGINS.names).cast(ORIGINS),
            origin_counts=counts,
        )


def _blocks(table: pa.Table) -> dict[str, Any]:
    """Blocks of texts, and where in them each document stands."""
    has_block = table["block"].is_valid().to_numpy()
    if not has_block.any():
        nothing = np.zeros(len(table), np.uint32)
        return {"blocks": [], "block_of": nothing, "offsets": nothing}
    sizes = table["size"].to_numpy().astype(np.uint64)
    starts = np.cumsum(sizes) - sizes
    holder = np.maximum.accumulate(np.where(has_block, np.arange(len(table)), 0))
    return {
        "blocks": table["block"].drop_null().to_pylist(),
        "block_of": (np.cumsum(has_block) - 1).astype(np.uint32),
        "offsets": (starts - starts[holder]).astype(np.uint32),
    }


def _postings(
    prepared: Path, names: list[str], channel: str
) -> Iterator[Iterator[tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]]]:
    for name in names:
        table = read_table(prepared / name, ["words", f"{channel}_keys", f"{channel}_positions"])
        keys, _ = _flat(table[f"{channel}_keys"], np.dtype("<u8"))
        words, counts = _flat(table[f"{channel}_positions"], np.dtype("<u4"))
        lengths = table["words"].to_numpy().astype(np.uint64)
        bases = (np.cumsum(lengths) - lengths).astype(np.uint32)
        yield iter([(keys, words + np.repeat(bases, counts))])


def _flat(column: pa.ChunkedArray, kind: np.dtype[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """All values of a column of binary arrays in one array, and how many each row has."""
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], column.type)
    offsets = np.frombuffer(array.buffers()[1], np.int64)[array.offset : array.offset + len(array) + 1]
    data = array.buffers()[2]
    values = np.frombuffer(data, np.uint8)[offsets[0] : offsets[-1]] if data is not None else np.empty(0, np.uint8)
    return values.view(kind) if len(values) else np.empty(0, kind), np.diff(offsets) // kind.itemsize
