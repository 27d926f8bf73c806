"""Answers are bounded, redirects careful, patience limited."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpus_material import Server

from cleartitle.web import Web, WebError, shown


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def quick(**how: object) -> Web:
    return Web(timeout=5, sleep=lambda _: None, **how)  # pyright: ignore[reportArgumentType]


def test_an_answer_has_status_headers_and_body(server: Server) -> None:
    server.answer = lambda *_: (404, {"X-One": "1"}, b"[1]")
    reply = quick().get(f"{server.url}/a")
    assert (reply.status, reply.headers["x-one"], reply.json()) == (404, "1", [1])


def test_a_server_error_is_tried_again_and_then_reported(server: Server) -> None:
    answers = iter([(500, {}, b""), (503, {}, b""), (200, {}, b"ok")])
    server.answer = lambda *_: next(answers)
    assert quick().get(server.url).body == b"ok"
    server.answer = lambda *_: (500, {}, b"")
    with pytest.raises(WebError, match=r"no answer after 4 tries \(status 500\)"):
        quick().get(f"{server.url}/x?token=secret")


def test_nobody_there_is_an_error_with_the_reason() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(WebError, match="refused"):
            quick(pauses=(1,)).get(f"http://127.0.0.1:{port}/")


def test_a_server_that_says_nothing_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(WebError, match="no answer in time"):
        Web(timeout=0.2, pauses=()).get(f"http://127.0.0.1:{silent.getsockname()[1]}/")


def test_an_answer_that_is_no_http_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as odd:

        def talk() -> None:
            connection, _ = odd.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(b"SSH-2.0-OpenSSH\r\n")

        thread = threading.Thread(target=talk)
        thread.start()
        with pytest.raises(WebError, match="no answer after 1 tries"):
            Web(timeout=5, pauses=()).get(f"http://127.0.0.1:{odd.getsockname()[1]}/")
        thread.join()


def test_too_many_bytes_are_refused(server: Server, tmp_path: Path) -> None:
    server.answer = lambda *_: (200, {}, b"x" * 1000)
    for target in (None, tmp_path / "t"):
        with pytest.raises(WebError, match="over 999 bytes"):
            quick().get(server.url, most=999, target=target)
    assert list(tmp_path.iterdir()) == []


def test_a_file_takes_its_name_only_when_it_is_whole(server: Server, tmp_path: Path) -> None:
    answers = iter([(200, {"Content-Length": "99"}, b"short"), (200, {}, b"torn"), (200, {}, b"whole")])
    server.answer = lambda *_: next(answers)
    target = tmp_path / "t"
    quick().get(server.url, target=target, whole=lambda path: path.read_bytes() == b"whole")
    assert target.read_bytes() == b"whole"
    assert len(list(tmp_path.iterdir())) == 1


def test_only_an_answer_200_becomes_the_file(server: Server, tmp_path: Path) -> None:
    server.answer = lambda *_: (404, {}, b"not found")
    assert quick().get(server.url, target=tmp_path / "t").status == 404
    assert not (tmp_path / "t").exists()


def test_redirects_are_followed_and_secrets_stay_with_their_host(server: Server) -> None:
    other = Server()
    other.answer = lambda path, _: (200, {}, path.encode())
    server.answer = lambda path, _: (
        (302, {"Location": f"{other.url}/there is?a=b"}, b"") if path == "/b" else (307, {"Location": "b"}, b"")
    )
    reply = quick().get(f"{server.url}/a", {"Authorization": "Bearer x", "Accept": "y"})
    other.close()
    assert reply.body == b"/there%20is?a=b"
    assert [headers.get("authorization") for _, headers in server.requests] == ["Bearer x"] * 2
    ((_, headers),) = other.requests
    assert ("authorization" in headers, headers["accept"]) == (False, "y")


@pytest.mark.parametrize("place", ["file:///etc/passwd", "ftp://127.0.0.1/x", "https:", "javascript:1", "http://[::1"])
def test_redirects_to_other_schemes_are_not_followed(server: Server, place: str) -> None:
    server.answer = lambda *_: (302, {"Location": place}, b"")
    with pytest.raises(WebError, match=r"no http or https address|cannot be read"):
        quick(pauses=()).get(server.url)


def test_circles_end(server: Server) -> None:
    server.answer = lambda *_: (301, {"Location": "/again"}, b"")
    with pytest.raises(WebError, match="more than 5 redirects"):
        quick().get(server.url)
    assert len(server.requests) == 6


@pytest.mark.parametrize("url", ["/etc/passwd", "file:///etc/passwd", "", "http:///x", "https://"])
def test_only_http_and_https_are_asked(url: str) -> None:
    with pytest.raises(WebError, match="no http or https address"):
        quick().get(url)


def test_an_address_is_shown_without_what_may_be_secret() -> None:
    assert shown("https://user:word@example.org:8443/a/b?token=x#y") == "https://example.org:8443/a/b"
