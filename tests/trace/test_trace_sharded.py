"""Shards answer as one index does, and say so when some of them do not answer."""

import importlib.util
import threading

import pytest
from trace_material import function, make_corpus, module

from cleartitle.errors import InputError
from cleartitle.trace import Index, IndexOptions, SearchOptions, build_index
from cleartitle.trace.sharded import RayShards, ShardedIndex, ThreadShards

COMMON = function(7777)
FEW = SearchOptions(common_projects=4)
QUERIES = [function(seed * 100 + 1) for seed in (0, 4, 8)] + [
    COMMON,
    COMMON + "\n" + function(401),
    "\n".join(f"    print({n}, question[{n}:])" for n in range(12)),
    "x = 1",
    "",
]


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    """One index of three segments, and the same three segments as three shards."""
    folder = tmp_path_factory.mktemp("shards")
    corpora = []
    for number in range(3):
        files = {f"m/{n}.py": module(n) for n in range(3 * number, 3 * number + 3)}
        # Common code counts over all shards: two projects each are not many, six are.
        projects = [
            make_corpus(folder, {"common.py": COMMON + function(60_000 + n)}, f"project{n}")
            for n in range(2 * number, 2 * number + 2)
        ]
        corpora.append([make_corpus(folder, files, f"part{number}"), *projects])
    build_index([corpus for part in corpora for corpus in part], folder / "whole", IndexOptions(workers=1))
    shards = []
    for number, part in enumerate(corpora):
        build_index(part, folder / f"shard{number}", IndexOptions(workers=1))
        shards.append(folder / f"shard{number}")
    return folder / "whole", shards


def facts(result):
    return result.state, result.words, result.matches


def test_shards_answer_as_one_index(paths):
    whole, shards = paths
    index = Index.open(whole)
    with ShardedIndex(ThreadShards(shards)) as sharded:
        answers = [sharded.search(query, options=FEW) for query in QUERIES]
    assert [facts(found) for found in answers] == [facts(index.search(query, options=FEW)) for query in QUERIES]
    assert {found.state for found in answers} == {"matches", "common", "none", "too_short"}
    for name in ("segments", "documents", "origins", "words", "source_bytes", "guaranteed_words"):
        assert answers[0].searched[name] == index.searched[name]
    assert answers[0].searched["partial"] is False


def test_one_absent_shard_gives_the_rest_and_says_so(paths):
    _, shards = paths
    held = ThreadShards(shards)
    with ShardedIndex(held) as sharded:
        assert sharded.search(QUERIES[1]).matches[0].path == "m/4.py"
        held._shards[1].index.segments[0].channels.clear()  # what a lost disk does: every look-up fails
        lost = sharded.search(QUERIES[1])
        assert (lost.searched["partial"], lost.searched["missing"]) == (True, [str(shards[1])])
        assert "m/4.py" not in {match.path for match in lost.matches}
        assert sharded.search(QUERIES[0]).matches[0].path == "m/0.py"
        whole = Index.open(shards[0]).searched["documents"] + Index.open(shards[2]).searched["documents"]
        assert lost.searched["documents"] == whole
        for shard in held._shards:
            shard.index.segments[0].channels.clear()
        with pytest.raises(InputError, match="none of 3 shards answers"):
            sharded.search(QUERIES[0])


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="extra cluster is not installed")
@pytest.mark.filterwarnings("ignore")
def test_ray_actors_answer_as_one_index_and_one_may_die(paths):
    import ray

    whole, shards = paths
    index = Index.open(whole)
    held = RayShards(shards, seconds=60)
    with ShardedIndex(held) as sharded:
        assert [facts(sharded.search(query, options=FEW)) for query in QUERIES] == [
            facts(index.search(query, options=FEW)) for query in QUERIES
        ]
        ray.kill(held.actors[2], no_restart=True)
        lost = sharded.search(QUERIES[2])
        assert (lost.searched["partial"], lost.searched["missing"]) == (True, [str(shards[2])])
        assert "m/8.py" not in {match.path for match in lost.matches}
        assert sharded.search(QUERIES[0]).matches[0].path == "m/0.py"


def test_threads_share_an_index(paths):
    """More blocks than the cache holds, many readers: every answer is the one a lone reader gets."""
    index = Index.open(paths[0])
    expected = [facts(index.search(query, options=FEW)) for query in QUERIES]
    import cleartitle.trace.segment as segment

    before, segment.HELD_BLOCKS = segment.HELD_BLOCKS, 1
    wrong: list[object] = []

    def read() -> None:
        try:
            for _ in range(4):
                answers = [facts(index.search(query, options=FEW)) for query in QUERIES]
                if answers != expected:
                    wrong.append(answers)
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        segment.HELD_BLOCKS = before
    assert not wrong
