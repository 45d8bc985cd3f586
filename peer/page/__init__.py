"""The face of the game in a browser: a small server on the loopback, and the seat behind it."""

from peer.page.face import Face, has_browser, open_browser, page
from peer.page.seat import PageSeat

__all__ = ["Face", "PageSeat", "has_browser", "open_browser", "page"]
