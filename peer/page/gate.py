"""Who gets in: the browser that was given an address with a token, and no other.

A page anywhere on the web can make a browser send requests to the loopback; so can other programs
and other people on this computer.  Each is stopped by something of its own:

    a name that is made to mean 127.0.0.1 (DNS rebinding)      the Host header is not ours: 421
    another site's script that opens a WebSocket or posts      the Origin is not ours: 403
    somebody who only knows the port                           no token, no cookie: 403
    somebody who finds a used address in a history or a log    a token is good for one time

A cookie belongs to all ports of a host, so its name has the port in it.
"""

import secrets
from collections.abc import Mapping
from typing import Final

LOOPBACK: Final = "127.0.0.1"
TOKEN_BYTES: Final = 32


class Gate:
    """The door of one page, on one port of the loopback."""

    def __init__(self, port: int) -> None:
        self.host: Final = f"{LOOPBACK}:{port}"
        self.origin: Final = f"http://{self.host}"
        self._cookie_name: Final = f"whitby_{port}"
        self._cookie: Final = secrets.token_urlsafe(TOKEN_BYTES)
        self._tokens: Final[set[str]] = set()

    def __repr__(self) -> str:
        return f"Gate({self.host!r})"

    def new_address(self) -> str:
        """An address that lets one browser in, one time.  SECRET until it was used."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._tokens.add(token)
        return f"{self.origin}/?token={token}"

    def redeem(self, token: str) -> str | None:
        """The `Set-Cookie` header for whoever brings a fresh token; it is used up."""
        if token not in self._tokens:  # 256 random bits: how long looking takes tells nothing
            return None
        self._tokens.remove(token)
        return f"{self._cookie_name}={self._cookie}; Path=/; HttpOnly; SameSite=Strict"

    def refusal(self, headers: Mapping[str, str], *, needs_origin: bool) -> int | None:
        """The status to turn a request away with, whoever sends it; None if it may go on.

        `needs_origin`: a WebSocket, which every browser opens with an `Origin`.
        """
        if headers.get("host") != self.host:
            return 421
        if headers.get("origin") != self.origin and (needs_origin or "origin" in headers):
            return 403
        return None

    def knows(self, headers: Mapping[str, str]) -> bool:
        """Whether the request brings our cookie."""
        for cookie in headers.get("cookie", "").split(";"):
            name, _, value = cookie.strip().partition("=")
            if name == self._cookie_name and value.isascii():
                return secrets.compare_digest(value, self._cookie)
        return False
