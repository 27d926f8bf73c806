"""The HTTP API: what it answers, what it refuses, what it tells of itself."""

import json
import socket
import time
from pathlib import Path

import jsonschema
import pytest
from serving import Service, until
from trace_material import function, module

from cleartitle.trace import Index, IndexOptions, build_index


def validator(service: Service, name: str) -> jsonschema.Draft202012Validator:
    document = json.loads(service.ask("GET", "/openapi.json")[2])
    return jsonschema.Draft202012Validator({**document, "$ref": f"#/components/schemas/{name}"})


def test_the_answer_is_that_of_the_index_and_fits_the_schema(service: Service, served_index: Path) -> None:
    texts = [function(101), function(302), "def f(): pass", "word " * 400, function(777)]
    results = service.trace(texts=texts, limit=3)
    index = Index.open(served_index)
    check = validator(service, "Answer")
    check.validate({"results": results})
    assert [result["state"] for result in results[:2]] == ["matches", "matches"]
    for text, result in zip(texts, results, strict=True):
        expected = json.loads(json.dumps(index.search(text, limit=3).as_json()))
        expected["searched"]["index"] = served_index.name
        assert result == expected


def test_excerpts_hold_lines_of_matched_words_and_no_others(service: Service) -> None:
    (result,) = service.trace(text=function(101, 14), excerpts=True)
    validator(service, "Result").validate(result)
    match = result["matches"][0]
    wanted = {line for span in match["spans"] for line in range(span["origin"][0], span["origin"][1] + 1)}
    source = module(1, "gpl").split("\n")
    shown = {block["first"] + n: line for block in match["excerpt"] for n, line in enumerate(block["lines"])}
    assert set(shown) == wanted and len(wanted) < len(source) / 2
    assert all(source[number - 1] == line for number, line in shown.items())


def test_language_counts_and_lone_surrogates_do_no_harm(service: Service) -> None:
    assert service.trace(text=function(101), language="java")[0]["matches"] == []
    assert service.trace(text=function(101), language=None)[0]["matches"]
    status, _, body = service.ask("POST", "/v1/trace", b'{"text": "\\ud800 \\u0000 ' + b"a " * 50 + b'"}')
    assert status == 200 and json.loads(body)["results"][0]["state"] == "none"


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"{", 400, "not JSON"),
        (b"\xff\xfe\xfd", 400, "not JSON"),
        (b"[" * 200_000, 400, "not JSON"),
        (b'{"text": ' + b"9" * 5000 + b"}", 400, "not JSON"),
        ([], 422, "the body"),
        ({}, 422, "either text or texts"),
        ({"text": "a", "texts": ["b"]}, 422, "either text or texts"),
        ({"text": 5}, 422, "text: must have type"),
        ({"texts": []}, 422, "texts: must have minItems 1"),
        ({"texts": ["a"] * 65}, 422, "texts: must have maxItems 64"),
        ({"texts": ["a", 1]}, 422, "texts[1]: must have type"),
        ({"text": "a", "limit": 0}, 422, "limit: must have minimum 1"),
        ({"text": "a", "limit": 1e400}, 422, "limit: must have type"),
        ({"text": "a", "language": "cobol"}, 422, "language: must have enum"),
        ({"text": "a", "secret": "sesame"}, 422, "a field that is not known"),
    ],
)
def test_a_wrong_body_is_refused_in_one_line_without_its_text(service, body, status, words) -> None:
    found, headers, answer = service.ask("POST", "/v1/trace", body)
    error = json.loads(answer)["error"]
    assert (found, headers["content-type"]) == (status, "application/json")
    assert words in error and "\n" not in error and "sesame" not in error and len(error) < 300


def test_other_types_methods_and_addresses_are_refused(service: Service) -> None:
    plain = {"Content-Type": "text/plain"}
    assert service.ask("POST", "/v1/trace", {"text": "a"}, plain)[0] == 415
    assert service.ask("POST", "/v1/trace", {"text": "a"}, {"Content-Encoding": "gzip"})[0] == 415
    status, headers, _ = service.ask("GET", "/v1/trace")
    assert (status, headers["allow"]) == (405, "POST")
    assert service.ask("GET", "/v1/trace/")[0] == 404
    assert service.ask("GET", "/../../etc/passwd")[0] == 404


def test_pages_of_other_sites_are_refused(service: Service) -> None:
    for headers in ({"Host": "rebound.example:80"}, {"Origin": "https://evil.example"}, {"Origin": "null"}):
        for method, path in (("GET", "/"), ("GET", "/health"), ("POST", "/v1/trace")):
            assert service.ask(method, path, {"text": "a"}, headers)[0] == 403
    assert service.ask("GET", "/health", headers={"Host": f"localhost:{service.port}"})[0] == 200


def test_too_large_bodies_are_refused_before_they_are_read(service: Service) -> None:
    status, headers, _ = service.ask("POST", "/v1/trace", b"x", {"Content-Length": str(3 << 20)})
    assert (status, headers["connection"]) == (413, "close")
    with socket.create_connection(("127.0.0.1", service.port), 10) as stream:
        head = f"POST /v1/trace HTTP/1.1\r\nHost: localhost:{service.port}\r\nContent-Type: application/json\r\n"
        stream.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        answer = b""
        try:
            for _ in range(64):
                stream.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
        except OSError:
            pass  # closed while there was more to come
        try:
            answer = stream.recv(65536)
        except ConnectionResetError:
            answer = b"HTTP/1.1 413 (reset)"
    assert answer.startswith(b"HTTP/1.1 413")


def test_the_log_is_json_and_holds_no_text(service: Service) -> None:
    service.trace(text=function(302).replace("def ", "def needle_in_no_log_"))
    service.ask("GET", "/needle_in_no_log?needle_in_no_log=1")
    service.ask("POST", "/v1/trace", {"text": "needle_in_no_log", "limit": "needle_in_no_log"})
    until(lambda: service.events("request")[-1]["status"] == 422)
    text = "".join(service.log)
    assert "needle_in_no_log" not in text and "Traceback" not in text
    last = service.events("request")[-1]
    assert (last["route"], last["method"], last["status"], last["refused"]) == ("/v1/trace", "POST", 422, "schema")
    ids = [line["id"] for line in service.events("request")]
    assert len(set(ids)) == len(ids)


def test_metrics_count_what_happens_and_can_be_parsed(service: Service) -> None:
    before = service.metric('cleartitle_texts_total{state="too_short"}')
    service.trace(texts=["a", "b", "c"])
    text = service.ask("GET", "/metrics")[2].decode()
    assert service.metric('cleartitle_texts_total{state="too_short"}') == before + 3
    assert service.metric("cleartitle_workers") == 2
    assert service.metric("cleartitle_index_documents") == 7
    counts = [line for line in text.splitlines() if line.startswith("cleartitle_search_seconds")]
    values = [float(line.rpartition(" ")[2]) for line in counts if "_bucket" in line]
    assert values == sorted(values) and values[-1] == service.metric("cleartitle_search_seconds_count") >= 3
    parser = pytest.importorskip("prometheus_client.parser", reason="prometheus_client is not installed")
    families = {family.name: family for family in parser.text_string_to_metric_families(text)}
    assert families["cleartitle_requests"].type == "counter"
    assert families["cleartitle_request_seconds"].type == "histogram"


def test_health_says_what_is_served(service: Service, served_index: Path) -> None:
    status, headers, body = service.ask("GET", "/health")
    health = json.loads(body)
    validator(service, "Health").validate(health)
    assert (status, health["status"], health["index"]["name"]) == (200, "ok", served_index.name)
    assert str(served_index.parent) not in body.decode()
    assert headers["cache-control"] == "no-store" and "server" not in headers


def test_the_document_is_openapi_and_its_limits_are_those_of_the_service(service: Service) -> None:
    document = json.loads(service.ask("GET", "/openapi.json")[2])
    assert document["openapi"].startswith("3.1") and set(document["paths"]) == {
        "/v1/trace",
        "/health",
        "/metrics",
        "/openapi.json",
    }
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    assert document["components"]["schemas"]["Question"]["properties"]["texts"]["maxItems"] == 64


def test_an_index_without_texts_shows_none(tmp_path: Path, served_index: Path) -> None:
    build_index([served_index.parent / "corpus"], tmp_path / "bare", IndexOptions(texts=False, workers=1))
    service = Service(tmp_path / "bare")
    try:
        (result,) = service.trace(text=function(101), excerpts=True)
        assert result["matches"][0]["excerpt"] is None
        assert json.loads(service.ask("GET", "/health")[2])["index"]["texts"] is False
    finally:
        assert service.end() == 0


def test_a_slow_head_does_not_hold_a_connection(service: Service) -> None:
    with socket.create_connection(("127.0.0.1", service.port), 20) as stream:
        start = time.monotonic()
        stream.sendall(b"POST /v1/trace HTTP/1.1\r\n")
        stream.settimeout(0.5)
        ended = False
        while not ended and time.monotonic() < start + 15:
            try:
                stream.sendall(b"X-Slow: 1\r\n")
                ended = stream.recv(1024) == b""
            except TimeoutError:
                continue
            except OSError:
                ended = True
        assert ended and 8 < time.monotonic() - start < 13
