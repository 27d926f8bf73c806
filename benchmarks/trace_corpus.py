"""The corpora of the trace benchmark: packages by name and version, read as data through the corpus readers.

The projects of ``HELD_OUT`` never enter an index, so that what a search reports for their functions has another cause.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cleartitle.corpus import Corpus, CorpusOptions, build
from cleartitle.files import canonical_json, write_json
from cleartitle.tables import part_paths, write_table

__all__ = ["HELD_OUT", "INDEXED", "SMOKE", "SMOKE_HELD_OUT", "corpus_of", "make_corpus", "shuffled", "subset"]

INDEXED = {
    "python": [
        "starter", "pypi:ansible==14.5.0", "pypi:transformers==5.23.0", "pypi:homeassistant==2026.11.0",
        "pypi:sympy==1.14.0", "pypi:plotly==7.1.0", "pypi:kubernetes==37.0.2",
        "pypi:wagtail==8.0.1", "pypi:zope==6.3", "pypi:diffusers==0.42.1",
    ],
    "c": [
        "starter-c", "debian:wireshark=4.0.17-0+deb12u3", "debian:postgresql-15=15.18-0+deb12u1",
        "debian:ffmpeg=7:5.1.9-0+deb12u1", "debian:openssl=3.0.20-1~deb12u2", "debian:systemd=252.39-1~deb12u2",
        "debian:samba=2:4.17.12+dfsg-0+deb12u4", "debian:qemu=1:7.2+dfsg-7+deb12u18",
        "debian:mesa=22.3.6-1+deb12u2",
    ],
    "cpp": [
        "starter-cpp", "debian:qtbase-opensource-src=5.15.8+dfsg-11+deb12u3", "debian:boost1.81=1.81.0-5+deb12u1",
        "debian:vtk9=9.1.0+really9.1.0+dfsg2-5+deb12u1", "debian:godot=3.2.3-stable-1",
        "debian:wxwidgets3.2=3.2.2+dfsg-2",
    ],
    "java": [
        "starter-java", "debian:openjdk-17=17.0.19+10-1~deb12u2", "debian:bouncycastle=1.72-2",
        "debian:derby=10.14.2.0-2", "debian:tomcat10=10.1.55-1~deb12u1", "debian:libspring-java=4.3.30-2",
        "debian:jython=2.7.3+repack1-1",
    ],
    "csharp": ["starter-csharp", "debian:mono=6.8.0.105+dfsg-3.3+deb12u1"],
}  # fmt: skip
"""What the index holds, by language."""

HELD_OUT = {
    "python": ["pypi:celery==5.7.0", "pypi:buildbot==4.3.0", "pypi:nltk==3.10.4"],
    "c": ["debian:curl=7.88.1-10+deb12u15", "debian:vim=2:9.0.1378-2+deb12u2"],
    "cpp": ["debian:mumble=1.3.4-4", "debian:ogre-1.12=1.12.10+dfsg2-3"],
    "java": ["debian:groovy=2.4.21-8", "debian:libhibernate3-java=3.6.10.Final-12"],
    "csharp": ["debian:flatbuffers=2.0.8+dfsg1-2", "debian:grpc=1.51.1-3"],
}
"""What the index does not hold."""

SUFFIXES = {"python": "py", "c": "c", "cpp": "cpp", "java": "java", "csharp": "cs"}

SMOKE = {"python": ["pypi:boltons==26.2.0", "pypi:mutagen==1.48.1", "pypi:urwid==5.1.0"]}
SMOKE_HELD_OUT = {"python": ["pypi:absl-py==2.5.1"]}


def make_corpus(specs: list[str], language: str, folder: Path) -> Path:
    """Build the corpus of one language, unless it is there."""
    build(specs, folder, CorpusOptions(languages=(language,)))
    return folder


def shuffled(corpus: Path, seed: int) -> list[str]:
    """Ids of all contents of a corpus in an order that the seed gives."""
    ids = [swhid for batch in Corpus.open(corpus).contents() for swhid in batch.column("swhid").to_pylist()]
    np.random.default_rng(seed).shuffle(ids)
    return ids


def _key(corpus: str, label: dict[str, object]) -> str:
    return hashlib.sha256(canonical_json([corpus, label]).encode()).hexdigest()[:16]


def subset(corpus: Path, folder: Path, keep: set[str], label: dict[str, Any]) -> Path:
    """A corpus of the contents in ``keep``, with all places where they stand; ``label`` names it in its key."""
    if (folder / "corpus.json").is_file():
        return folder
    wanted = pa.array(sorted(keep))
    for name in ("contents", "occurrences"):
        for path in part_paths(corpus / name):
            table = pq.ParquetFile(path).read()
            chosen = table.filter(pc.is_in(table["swhid"], wanted))  # pyright: ignore[reportAttributeAccessIssue]
            write_table(folder / name / path.name, chosen)
    record = json.loads((corpus / "corpus.json").read_text(encoding="utf-8"))
    write_json(folder / "corpus.json", {**record, "key": _key(record["key"], label)})
    return folder


def corpus_of(texts: dict[str, str], language: str, folder: Path) -> Path:
    """A corpus of texts as they are, one project each, through a data set in JSON lines."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder.with_name(f"{folder.name}.jsonl")
    with source.open("w", encoding="utf-8") as stream:
        for number, text in enumerate(texts.values()):
            row = {"content": text, "path": f"{number}.{SUFFIXES[language]}", "repo_name": f"p{number}"}
            stream.write(json.dumps(row) + "\n")
    build([f"jsonl:{source}"], folder, CorpusOptions(languages=(language,), workers=1, max_line_chars=2**20))
    return folder
