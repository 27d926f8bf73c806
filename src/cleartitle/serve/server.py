"""Open an index to others: listen, answer, drain."""

import asyncio
import logging
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from cleartitle.errors import InputError, require
from cleartitle.jobs import default_workers
from cleartitle.serve.desk import Desk
from cleartitle.serve.guard import Guard
from cleartitle.serve.log import JsonLines, log
from cleartitle.serve.metrics import Metrics
from cleartitle.serve.options import ServeOptions, is_loopback, read_token

__all__ = ["bound_socket", "serve"]


def serve(
    path: Path | str,
    options: ServeOptions = ServeOptions(),  # noqa: B008
    *,
    listening: Callable[[str], None] = lambda _: None,
    quiet: bool = False,
) -> None:
    """Serve an index over HTTP until SIGTERM or SIGINT; then requests in flight are answered, and it returns.

    ``listening`` is called with the address once requests are answered. The log goes to standard error as JSON lines,
    with ``quiet`` warnings and errors only.

    Raises:
        InputError: the index cannot be opened, the port is taken, or a public address has no token.
        MissingExtraError: the extra ``serve`` is not installed.
    """
    for module in ("starlette", "uvicorn", "jsonschema"):
        require(module, "serve")
    token = read_token(options)
    with bound_socket(options) as listener:
        JsonLines.install(logging.WARNING if quiet else logging.INFO)
        asyncio.run(_run(Path(path), options, token, listener, listening))


async def _run(
    path: Path, options: ServeOptions, token: str | None, listener: socket.socket, listening: Callable[[str], None]
) -> None:
    from cleartitle.serve.app import make_app
    from cleartitle.serve.http import Server, config

    metrics = Metrics()
    desk = Desk(path, options.workers or default_workers(), options.excerpts, metrics)
    port = listener.getsockname()[1]
    guard = Guard(options, token, port)
    app = make_app(desk, guard, options, metrics, has_token=token is not None)
    try:
        await desk.open()
        host = f"[{options.host}]" if ":" in options.host else options.host
        address = f"http://{host}:{port}/"
        if not is_loopback(options.host):
            log("not_encrypted", logging.WARNING, mend="let a proxy with TLS stand before this address")
        log("listening", address=address, **desk.health["index"], workers=desk.health["workers"])
        listener.listen(1024)
        listening(address)
        await Server(config(app, options)).serve(sockets=[listener])
        log("ended")
    finally:
        await desk.close()


@contextmanager
def bound_socket(options: ServeOptions) -> Generator[socket.socket]:
    """A bound socket; it listens when the index is open."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # With the protocol named asyncio sends at once; else the body of an answer would wait 40 ms for word of its head.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((options.host, options.port))
        except OSError as error:
            raise InputError(
                f"{options.host} port {options.port}: {error.strerror or error}; "
                "mend: choose another --port, or 0 for a free one"
            ) from None
        yield listener
