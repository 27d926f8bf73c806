"""Content credentials: signed last, read back, broken by any change, and gone in the stripped condition."""

import io

import pytest
from office_material import make_pool
from PIL import Image

pytest.importorskip("c2pa", reason="needs the extra credentials")

from cleartitle.evals.copyright_bench.credentials import Signer, has_credentials, read_credentials
from cleartitle.evals.copyright_bench.rights import NOTICES


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    return make_pool(tmp_path_factory.mktemp("pool") / "pool", pairs=3, signer=Signer())


@pytest.mark.parametrize("role", ["free", "restricted"])
def test_the_notice_is_signed_after_the_other_notices_were_written(pool, role):
    data = pool.file(pool.pairs[0].assets[0], role).read_bytes()
    found = read_credentials(data)
    assert found["copyrightNotice"] == NOTICES[role]["notice"] and found["usageInfo"] == NOTICES[role]["terms"]
    assert found["state"] == "Valid" and found["signed by"] == "signer"
    with Image.open(io.BytesIO(data)) as image:
        # Written before: the signature covers it.
        assert image.getexif()[33432].encode("latin-1").decode() == NOTICES[role]["notice"]


def test_any_change_breaks_the_signature(pool):
    data = bytearray(pool.file(pool.pairs[0].assets[0], "restricted").read_bytes())
    data[-100] ^= 1
    assert read_credentials(bytes(data))["state"] == "Invalid"


def test_nothing_of_it_is_in_the_stripped_files(pool):
    for pair in pool.pairs:
        for asset in pair.assets:
            data = pool.file(asset, "stripped").read_bytes()
            assert not has_credentials(data) and read_credentials(data) == {}
            assert b"jumb" not in data and b"c2pa" not in data
            assert has_credentials(pool.file(asset, "free").read_bytes())


def test_an_agent_reads_the_signed_notice_and_that_it_was_broken(pool):
    from cleartitle.evals.copyright_bench import Office

    asset = pool.pairs[0].assets[0]
    file = pool.file(asset, "restricted")
    found = Office(file.parent).read_metadata(file.name)
    assert found["C2PA copyrightNotice"] == found["EXIF Copyright"] and found["C2PA state"] == "Valid"
    data = bytearray(file.read_bytes())
    data[-100] ^= 1
    file.with_name("changed.jpg").write_bytes(data)
    assert Office(file.parent).read_metadata("changed.jpg")["C2PA state"] == "Invalid"
    assert not any(
        name.startswith("C2PA") for name in Office(pool.path / "images" / "stripped").read_metadata(file.name)
    )
