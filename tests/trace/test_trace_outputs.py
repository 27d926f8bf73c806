"""What a search writes for others: SARIF, SPDX, a page, a comment, a notice; and an index that travels."""

import hashlib
import io
import json
import shutil
import subprocess
import tarfile
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from trace_material import function, make_corpus, module

from cleartitle.cli.app import app
from cleartitle.errors import InputError
from cleartitle.integrations.markdown import comment
from cleartitle.integrations.sarif import sarif_log
from cleartitle.integrations.spdx import spdx_document
from cleartitle.report import trace_page
from cleartitle.trace import (
    Baseline,
    Index,
    IndexOptions,
    LicenseTexts,
    Match,
    Policy,
    Result,
    SearchOptions,
    Span,
    build_index,
    compact,
    findings,
    make_notice,
    pack,
    pull,
    read_results,
    results_json,
    text_of,
)
from cleartitle.web import Web

COPIED = function(301)
GPL = "GNU GENERAL PUBLIC LICENSE\n   Version 3, 29 June 2007\n\nTerms made up for a test.\n"
MIT = "MIT License\n\nCopyright 2020 Ada Example\n\nPermission is hereby granted, made up for a test.\n"


def own(name: str) -> str:
    """Code that no corpus of these tests holds."""
    return f"def {name}(question):\n" + "".join(f"    print({n}, question[{n}:], '{name}')\n" for n in range(9))


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """An index over two projects, of which one brings its license text, and a file that copies both."""
    folder = tmp_path_factory.mktemp("outputs")
    corpora = [
        make_corpus(folder, {"src/a.py": module(1), "LICENSE": MIT}, "ada"),
        make_corpus(folder, {"lib/g.py": module(3, "gpl")}, "grace"),
        make_corpus(folder, {"x.py": module(5, "gpl"), "COPYING": GPL}, "other"),
    ]
    build_index(corpora, folder / "index", IndexOptions(workers=1))
    (folder / "mein code").mkdir()
    text = f"# self-written\n{own('a')}\n{COPIED}\n{own('b')}\n{function(101)}"
    (folder / "mein code" / "é#1.py").write_text(text)
    (folder / "quiet.py").write_text(own("c"))
    return folder


@pytest.fixture(scope="module")
def index(home):
    return Index.open(home / "index")


@pytest.fixture(scope="module")
def results(home, index):
    names = ["mein code/é#1.py", "quiet.py"]
    # The made-up functions have the same shapes everywhere; only equal words count here.
    options = SearchOptions(renamed_words=10_000)
    return [index.search((home / name).read_bytes(), path=name, options=options) for name in names]


@pytest.fixture(scope="module")
def files(home):
    return {"mein code/é#1.py": (home / "mein code" / "é#1.py").read_bytes()}


@pytest.fixture
def found(results):
    return findings(results, Policy(), Baseline())


def test_findings_carry_the_policy_and_the_baseline(results):
    plain = findings(results, Policy(), Baseline())
    assert {finding.match.license: finding.action for finding in plain} == {
        "GPL-3.0-or-later": "deny",
        "MIT": "warn",
    }
    accepted = findings(results, Policy(), Baseline(frozenset({plain[0].id})))
    assert [finding.denied for finding in accepted].count(True) < [finding.denied for finding in plain].count(True)


def test_a_sarif_result_names_rule_level_place_origin_and_fingerprint(found):
    log = sarif_log(found)
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    by_license = {result["properties"]["license"]: result for result in run["results"]}
    denied = by_license["GPL-3.0-or-later"]
    assert denied["level"] == "error" and by_license["MIT"]["level"] == "warning"
    assert denied["ruleId"] == rules[denied["ruleIndex"]]["id"] == "trace-strong-copyleft"
    place = denied["locations"][0]["physicalLocation"]
    assert unquote(place["artifactLocation"]["uri"]) == "mein code/é#1.py"
    assert place["artifactLocation"]["uri"].isascii() and " " not in place["artifactLocation"]["uri"]
    assert place["region"]["startLine"] <= place["region"]["endLine"]
    assert "lib/g.py" in denied["relatedLocations"][0]["message"]["text"]
    assert denied["partialFingerprints"]["cleartitleFinding/v1"] in {finding.id for finding in found}
    assert "baselineState" not in denied and "suppressions" not in denied


def test_accepted_findings_are_suppressed_in_sarif(results, found):
    accepted = findings(results, Policy(), Baseline(frozenset({found[0].id})))
    states = [
        (result["baselineState"], "suppressions" in result)
        for result in sarif_log(accepted, baseline=Path("old.json"))["runs"][0]["results"]
    ]
    assert states[0] == ("unchanged", True)
    assert set(states[1:]) == {("new", False)}


def hostile(text: str, lines: tuple[int, int] = (1, 2)) -> Match:
    return Match(
        project=text, version=text, path=text, url=text, revision=None, permalink=text, date=None, license=text,
        license_class=None, trust="none", conflict=text, obligations=(), copyright_lines=(text,), is_vendored=False,
        swhid="swh:1:cnt:0", language="python", spans=(Span(lines, lines, 30, "exact"),), containment=1.0, exact=1.0,
        common=False, projects=1, also=0,
    )  # fmt: skip


SEARCHED = {"documents": 1, "origins": 1, "source_bytes": 1, "guaranteed_words": {"exact": 18, "renamed": 23}}


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40))
def test_every_output_takes_any_name(text):
    results = [Result(text, "matches", 30, SEARCHED, (hostile(text),))]
    found = findings(results, Policy(), Baseline())
    data = {text: b"one\ntwo\n"}
    for value in (sarif_log(found), spdx_document(found, data)):
        json.loads(json.dumps(value, allow_nan=False))
    assert sarif_log(found)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"][
        "uri"
    ].isascii()
    assert len(comment(found, SEARCHED, 1).splitlines()) == comment(found, SEARCHED, 1).count("\n")
    assert trace_page(results, found, SEARCHED, data, lambda _: "one\ntwo\n").startswith("<!doctype html>")
    assert make_notice(results, LicenseTexts([])).without_text


def test_names_cannot_become_markup_in_a_comment():
    evil = "@team [x](https://evil.example) <img src=x> |`a`\n# head"
    text = comment(
        findings([Result(evil, "matches", 30, SEARCHED, (hostile(evil),))], Policy(), Baseline()), SEARCHED, 1
    )
    row = next(line for line in text.splitlines() if "evil" in line)
    assert not {"@", "[", "<", "`"} & set(row.replace("&#", ""))
    assert row.count("|") == 7


def test_a_snippet_has_its_lines_and_bytes_of_the_file(found, files):
    document = spdx_document(found, files)
    data = files["mein code/é#1.py"]
    lines = data.split(b"\n")
    assert document["snippets"]
    for snippet in document["snippets"]:
        by_byte, by_line = snippet["ranges"]
        first, last = by_line["startPointer"]["lineNumber"], by_line["endPointer"]["lineNumber"]
        start, end = by_byte["startPointer"]["offset"], by_byte["endPointer"]["offset"]
        assert data[start - 1 : end].rstrip(b"\n") == b"\n".join(lines[first - 1 : last])
        assert snippet["snippetFromFile"] == document["files"][0]["SPDXID"]
    sha1 = next(entry for entry in document["files"][0]["checksums"] if entry["algorithm"] == "SHA1")
    assert sha1["checksumValue"] == hashlib.sha1(data).hexdigest()
    assert {snippet["licenseConcluded"] for snippet in document["snippets"]} == {"GPL-3.0-or-later", "MIT"}


@pytest.mark.parametrize(("mark", "shift"), [(b"", 0), (b"\xef\xbb\xbf", 3)])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_bytes_of_a_snippet_hold_for_every_line_end_and_byte_order_mark(mark, shift, end):
    data = mark + end.join([b"one", b"two", b"three", b"four"])
    match = hostile("x", (2, 3))
    snippet = spdx_document(
        findings([Result("f", "matches", 30, SEARCHED, (match,))], Policy(), Baseline()), {"f": data}
    )
    ranges = snippet["snippets"][0]["ranges"][0]
    first, last = ranges["startPointer"]["offset"], ranges["endPointer"]["offset"]
    assert data[first - 1 : last] == b"two" + end + b"three" + end
    assert first == shift + 3 + len(end) + 1


def test_spdx_concludes_nothing_where_header_and_declaration_disagree(results):
    match = replace(results[0].matches[0], conflict="MIT in the header, GPL-2.0-only in the package")
    found = findings([replace(results[0], matches=(match,))], Policy(), Baseline())
    snippet = spdx_document(found, {"mein code/é#1.py": b"x\n" * 200})["snippets"][0]
    assert snippet["licenseConcluded"] == "NOASSERTION"
    assert "disagree" in snippet["licenseComments"]


def test_spdx_names_licenses_that_its_list_does_not_hold():
    match = replace(hostile("x"), license="LicenseRef-scancode-llama-2-license-2023 AND MIT", conflict=None)
    found = findings([Result("f", "matches", 30, SEARCHED, (match,))], Policy(), Baseline())
    document = spdx_document(found, {"f": b"one\ntwo\n"})
    names = [row["licenseId"] for row in document["hasExtractedLicensingInfos"]]
    assert names == ["LicenseRef-scancode-llama-2-license-2023"]
    assert set(document["snippets"][0]["licenseInfoInSnippets"]) == {*names, "MIT"}


def test_spdx_documents_pass_the_reference_validator(found, files, tmp_path):
    pytest.importorskip("spdx_tools", reason="spdx-tools is not installed")
    from spdx_tools.spdx.parser.parse_anything import parse_file
    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

    odd = replace(hostile("Licence of ours"), permalink=None, url=None, conflict=None)
    more = findings([Result("g", "matches", 30, SEARCHED, (odd,))], Policy(), Baseline())
    path = tmp_path / "x.spdx.json"
    path.write_text(json.dumps(spdx_document([*found, *more], {**files, "g": b"one\ntwo\n"})))
    assert [message.validation_message for message in validate_full_spdx_document(parse_file(str(path)))] == []


SCHEMA_PACKAGE = "@microsoft/jest-sarif@1.0.0-beta.0"
"""A package that holds the schema of SARIF 2.1.0 (MIT); read as data, never installed."""


@pytest.fixture(scope="module")
def sarif_schema(tmp_path_factory):
    pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("schema")
    done = subprocess.run([npm, "pack", "--silent", SCHEMA_PACKAGE], cwd=folder, capture_output=True, timeout=120)
    if done.returncode:
        pytest.skip("the package with the schema could not be fetched")
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        member = archive.extractfile("package/lib/schemas/sarif-2.1.0-rtm.5.json")
        assert member is not None
        return json.load(member)


@pytest.mark.network
def test_sarif_validates_against_its_schema(sarif_schema, results, found):
    import jsonschema

    check = jsonschema.Draft4Validator(sarif_schema)
    accepted = findings(results, Policy(), Baseline(frozenset({found[0].id})))
    odd = [Result("/tmp/x y", "matches", 30, SEARCHED, (hostile("a [b](c) \\ d"),))]
    for log in (
        sarif_log(found),
        sarif_log(accepted, baseline=Path("b"), status=1),
        sarif_log(findings(odd, Policy(), Baseline())),
        sarif_log([]),
    ):
        assert [error.message for error in check.iter_errors(log)] == []
    wrong = sarif_log(found)
    wrong["runs"][0]["results"][0]["level"] = "fatal"
    assert list(check.iter_errors(wrong))


def test_a_notice_holds_license_copyright_and_text(results, index):
    notice = make_notice(results, LicenseTexts(index.segments))
    assert notice.works == 2 and notice.without_text == ()
    assert "Copyright 2020 Ada Example" in notice.text and "Copyright 2019 Grace Example" in notice.text
    assert MIT.strip() in notice.text
    # The project has no text of its own; its license has the same text everywhere.
    assert "COPYING of other-source, which has the same license" in notice.text
    assert notice.text.count("Terms made up for a test") == 1


def test_a_notice_says_which_text_was_not_found(results, home, tmp_path):
    build_index([home / "grace"], tmp_path / "index", IndexOptions(workers=1))
    notice = make_notice(results, LicenseTexts(Index.open(tmp_path / "index").segments))
    assert len(notice.without_text) == 2
    assert "NOT FOUND" in notice.text and "No license text was found for:" in notice.text


def test_merged_and_bare_indexes_keep_license_texts_once(home, tmp_path):
    build_index(
        [home / "ada", home / "grace", home / "other"], tmp_path / "index", IndexOptions(texts=False, workers=1)
    )
    compact(tmp_path / "index")
    index = Index.open(tmp_path / "index")
    assert len(index.segments) == 1
    texts = LicenseTexts(index.segments)
    assert [item.text for item in texts.of("ada-source", None, "src/a.py", "MIT")] == [MIT]
    assert text_of(index, "swh:1:cnt:" + "0" * 40) is None


def test_results_survive_json(results, tmp_path):
    path = tmp_path / "found.json"
    path.write_text(json.dumps(results_json(results, Policy(), Baseline())))
    assert read_results(path) == results


@pytest.mark.parametrize("text", ["{}", "[]x", '[{"path": 1}]', '[{"matches": [{}]}]', "[1]", '{"a": 1}', "7"])
def test_other_json_is_refused_in_one_line(text, tmp_path):
    (tmp_path / "found.json").write_text(text)
    if text == "{}":
        assert read_results(tmp_path / "found.json") == []
        return
    with pytest.raises(InputError, match=r"found\.json") as caught:
        read_results(tmp_path / "found.json")
    assert "\n" not in str(caught.value)


def test_the_page_shows_both_texts(results, found, files, index):
    page = trace_page(results, found, index.searched, files, lambda swhid: text_of(index, swhid))
    assert page == trace_page(results, found, index.searched, files, lambda swhid: text_of(index, swhid))
    line = max(COPIED.splitlines(), key=len).strip().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert page.count(f'<mark class="shared">{line}</mark>') == 2
    assert "no match" in page and "quiet.py" in page


def test_packing_is_deterministic_and_pulling_gives_the_same_index(home, tmp_path, results):
    facts = [pack(home / "index", tmp_path / f"{name}.tar.zst") for name in "ab"]
    assert facts[0] == facts[1]
    assert hashlib.sha256((tmp_path / "a.tar.zst").read_bytes()).hexdigest() == facts[0]["sha256"]
    pull(str(tmp_path / "a.tar.zst"), tmp_path / "index", sha256=facts[0]["sha256"])
    pulled = Index.open(tmp_path / "index")
    options = SearchOptions(renamed_words=10_000)
    assert pulled.search((home / "mein code" / "é#1.py").read_bytes(), options=options).matches == results[0].matches
    for folder in (home / "index" / "segments").iterdir():
        for path in folder.iterdir():
            assert path.read_bytes() == (tmp_path / "index" / "segments" / folder.name / path.name).read_bytes()
    assert not (tmp_path / "index" / ".work").exists()


def test_pulling_wants_the_hash_and_leaves_an_index_alone(home, tmp_path):
    facts = pack(home / "index", tmp_path / "a.tar.zst")
    source = str(tmp_path / "a.tar.zst")
    with pytest.raises(InputError, match="not 0000"):
        pull(source, tmp_path / "index", sha256="0" * 64)
    with pytest.raises(InputError, match="64 hexadecimal digits"):
        pull(source, tmp_path / "index", sha256="abc")
    assert not (tmp_path / "index").exists()
    pull(f"file://{source}", tmp_path / "index", sha256="sha256:" + facts["sha256"].upper())
    with pytest.raises(InputError, match="--replace"):
        pull(source, tmp_path / "index", sha256=facts["sha256"])
    reader = Index.open(tmp_path / "index")
    pull(source, tmp_path / "index", sha256=facts["sha256"], replace=True)
    assert reader.search(COPIED).matches and Index.open(tmp_path / "index").search(COPIED).matches
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("x")
    with pytest.raises(InputError, match="no index"):
        pull(source, tmp_path / "notes", sha256=facts["sha256"], replace=True)
    with pytest.raises(InputError, match="no such file"):
        pull(str(tmp_path / "absent"), tmp_path / "new", sha256=facts["sha256"])
    with pytest.raises(InputError, match="only https"):
        pull("ftp://example.org/a", tmp_path / "new", sha256=facts["sha256"])


def repacked(source: Path, target: Path, change) -> str:
    """The archive with its members changed; returns its hash."""
    data = zstandard.ZstdDecompressor().stream_reader(source.read_bytes()).read()
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        members = [(info.name, archive.extractfile(info).read()) for info in archive]
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, body in change(members):
            info = tarfile.TarInfo(name)
            if body is None:
                info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
            info.size = len(body or b"")
            archive.addfile(info, io.BytesIO(body or b""))
    target.write_bytes(zstandard.ZstdCompressor().compress(out.getvalue()))
    return hashlib.sha256(target.read_bytes()).hexdigest()


def with_manifest(members, change):
    head = json.loads(members[0][1])
    change(head)
    return [("manifest.json", json.dumps(head).encode()), *members[1:]]


def climb(head):
    name = next(iter(head["files"]))
    head["files"] = {"segments/../../evil": head["files"][name]}


def rename_segment(head):
    head["index"]["segments"][0]["name"] = "../evil"


HOSTILE = {
    "a byte changed": lambda m: [*m[:-1], (m[-1][0], m[-1][1][:-1] + b"?")],
    "a member short": lambda m: m[:-1],
    "a member more": lambda m: [*m, ("more", b"x")],
    "a path that climbs out": lambda m: [*m[:1], ("../evil", b"x"), *m[1:]],
    "a link": lambda m: [*m[:1], (m[1][0], None), *m[2:]],
    "no manifest": lambda m: m[1:],
    "a manifest that is no JSON": lambda m: [("manifest.json", b"\xff{"), *m[1:]],
    "deep JSON": lambda m: [("manifest.json", b"[" * 200_000), *m[1:]],
    "a file name that climbs out": lambda m: with_manifest(m, climb),
    "a segment name that climbs out": lambda m: with_manifest(m, rename_segment),
    "another format": lambda m: with_manifest(m, lambda head: head["index"].update(format=99)),
    "an absurd size": lambda m: with_manifest(m, lambda head: next(iter(head["files"].values())).update(size=1 << 60)),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_archive_is_refused_and_leaves_nothing(kind, home, tmp_path):
    pack(home / "index", tmp_path / "a.tar.zst")
    digest = repacked(tmp_path / "a.tar.zst", tmp_path / "b.tar.zst", HOSTILE[kind])
    with pytest.raises(InputError) as caught:
        pull(str(tmp_path / "b.tar.zst"), tmp_path / "deep" / "index", sha256=digest)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 600
    assert {path.name for path in (tmp_path / "deep").rglob("*")} <= {"index", ".lock"}
    assert not list(tmp_path.rglob("evil"))


@pytest.mark.parametrize("damage", [lambda data: data[:-40], lambda data: b"", lambda data: b"PK" + data])
def test_what_is_no_archive_is_refused(damage, home, tmp_path):
    pack(home / "index", tmp_path / "a.tar.zst")
    (tmp_path / "b").write_bytes(damage((tmp_path / "a.tar.zst").read_bytes()))
    digest = hashlib.sha256((tmp_path / "b").read_bytes()).hexdigest()
    with pytest.raises(InputError):
        pull(str(tmp_path / "b"), tmp_path / "index", sha256=digest)
    assert not (tmp_path / "index" / "index.json").exists()


def test_a_pull_that_would_unpack_too_much_is_refused(home, tmp_path):
    facts = pack(home / "index", tmp_path / "a.tar.zst")
    with pytest.raises(InputError):
        pull(str(tmp_path / "a.tar.zst"), tmp_path / "index", sha256=facts["sha256"], most_bytes=10_000)


@pytest.fixture
def served(home, tmp_path):
    """A packed index on a server that breaks off, then lies, then tells the truth; and the requests that it got."""
    facts = pack(home / "index", tmp_path / "a.tar.zst")
    data = (tmp_path / "a.tar.zst").read_bytes()
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            if self.path == "/absent":
                self.send_error(404)
                return
            body = data if self.path == "/good" or len(asked) > 1 else data[: len(data) // 2]
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(body if self.path != "/other" else b"x" * len(data))

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", facts["sha256"], asked
        server.shutdown()
        thread.join()


WEB = Web(timeout=10, pauses=(0,))


def test_an_index_is_pulled_from_a_server_that_broke_off_once(served, tmp_path):
    address, digest, asked = served
    pull(f"{address}/index", tmp_path / "index", sha256=digest, web=WEB)
    assert Index.open(tmp_path / "index").search(COPIED).matches
    assert asked == ["/index", "/index"]


def test_a_server_with_other_content_is_refused(served, tmp_path):
    address, digest, _ = served
    with pytest.raises(InputError, match="SHA-256"):
        pull(f"{address}/other", tmp_path / "index", sha256=digest, web=WEB)
    with pytest.raises(InputError, match="404"):
        pull(f"{address}/absent", tmp_path / "index", sha256=digest, web=WEB)
    with pytest.raises(InputError, match="over 100 bytes"):
        pull(f"{address}/good", tmp_path / "index", sha256=digest, web=WEB, most_bytes=100)
    assert not (tmp_path / "index").exists()
    pull(f"{address}/good", tmp_path / "index", sha256=digest, web=WEB)


def run(*words: str) -> int:
    return app([*words], result_action="return_value") or 0


def test_the_command_line_writes_every_output(home, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(home)
    names = {name: str(tmp_path / name) for name in ("sarif", "spdx", "report", "markdown")}
    options = [word for name, path in names.items() for word in (f"--{name}", path)]
    status = run("trace", "search", "mein code/é#1.py", "quiet.py", "--index", "index", "--json", *options)
    assert status == 1
    (tmp_path / "found.json").write_text(capsys.readouterr().out)
    log = json.loads((tmp_path / "sarif").read_text())
    assert log["runs"][0]["invocations"][0]["exitCode"] == 1 and log["runs"][0]["results"]
    assert json.loads((tmp_path / "spdx").read_text())["spdxVersion"] == "SPDX-2.3"
    assert "denied by the policy" in (tmp_path / "markdown").read_text()
    assert (tmp_path / "report").read_text().startswith("<!doctype html>")
    assert run("notice", "--matches", str(tmp_path / "found.json"), "--index", "index") == 0
    from_json = capsys.readouterr().out
    assert run("notice", "mein code/é#1.py", "--index", "index") == 0
    assert capsys.readouterr().out == from_json
    with pytest.raises(InputError, match="name one of them"):
        run("notice", "quiet.py", "--matches", str(tmp_path / "found.json"), "--index", "index")


def test_a_text_from_standard_input_gets_every_output(home, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(COPIED.encode())))
    assert run("trace", "search", "-", "--index", str(home / "index"), "--spdx", str(tmp_path / "s")) == 1
    document = json.loads((tmp_path / "s").read_text())
    assert document["files"][0]["fileName"] == "./-"


@pytest.mark.parametrize("words", [("trace", "search"), ("notice",)])
def test_an_option_that_does_not_exist_is_no_file(words, home):
    with pytest.raises(InputError, match="--basline: no such option"):
        run(*words, "quiet.py", "--basline", "x", "--index", str(home / "index"))


def test_the_command_line_packs_and_pulls(home, tmp_path, capsys):
    assert run("trace", "pack", str(home / "index"), "-o", str(tmp_path / "i.tar.zst")) == 0
    digest, name = capsys.readouterr().out.split()
    assert name.endswith("i.tar.zst")
    assert run("trace", "pull", name, "--sha256", digest, "-o", str(tmp_path / "index"), "--json") == 0
    assert json.loads(capsys.readouterr().out)["documents"] == 3
