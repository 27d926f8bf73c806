"""How a service listens, and what it bears."""

import ipaddress
import os
from dataclasses import dataclass
from pathlib import Path

from cleartitle.errors import InputError

__all__ = ["TOKEN_VARIABLE", "ServeOptions", "is_loopback", "read_token"]

TOKEN_VARIABLE = "CLEARTITLE_SERVE_TOKEN"  # noqa: S105
SHORTEST_TOKEN = 16


@dataclass(frozen=True)
class ServeOptions:
    """Where a service listens, and its limits.

    ``host`` other than a loopback address needs a token, from the variable ``CLEARTITLE_SERVE_TOKEN`` or the first
    line of ``token_file``. ``port`` 0 takes a free one. ``workers`` is the number of search processes, by default one
    a core. ``max_body`` are the bytes of a request, ``max_texts`` the texts of a batch. ``seconds`` bounds a request
    from its first byte of body to its answer, waiting included; a search that takes longer is ended. At most
    ``requests`` are taken in at a time, ``per_client`` of them from one address. ``drain`` are the seconds that
    requests in flight have when the service is told to end. Without ``excerpts`` no line of an origin is shown.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    token_file: Path | None = None
    workers: int | None = None
    max_body: int = 2 << 20
    max_texts: int = 64
    seconds: float = 30.0
    requests: int = 128
    per_client: int = 64
    drain: int = 30
    excerpts: bool = True

    def __post_init__(self) -> None:
        for name in ("max_body", "max_texts", "requests", "per_client"):
            if getattr(self, name) < 1:
                raise InputError(f"--{name.replace('_', '-')} {getattr(self, name)}: must be at least 1")
        if self.workers is not None and not 1 <= self.workers <= 256:
            raise InputError(f"--workers {self.workers}: must be from 1 to 256")
        if not 0 <= self.port < 65536:
            raise InputError(f"--port {self.port}: must be from 0 to 65535")
        if not self.seconds > 0 or self.drain < 0:
            raise InputError("--seconds must be above 0, --drain at least 0")


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach an address; any name but ``localhost`` is taken for a public one."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def read_token(options: ServeOptions) -> str | None:
    """The token that requests need; None where none is asked for. The variable is taken out of the environment.

    Raises:
        InputError: a public address without a token, a file that cannot be read, a token that is too short or that no
            header can carry.
    """
    token = os.environ.pop(TOKEN_VARIABLE, None)
    source = TOKEN_VARIABLE
    if options.token_file is not None:
        source = str(options.token_file)
        try:
            token = options.token_file.read_text(encoding="utf-8").partition("\n")[0].strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not UTF-8"
            raise InputError(f"{source}: could not be read ({reason}); mend: name a file with the token") from None
    if token is None:
        if not is_loopback(options.host):
            raise InputError(
                f"--host {options.host}: others reach this address; mend: set {TOKEN_VARIABLE}, or name a --token-file"
            )
        return None
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(
            f"{source}: a token has at least {SHORTEST_TOKEN} signs, ASCII and no blanks; mend: openssl rand -hex 24"
        )
    return token
