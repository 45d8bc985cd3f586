"""After a game: the two play again over the same line, or go, and neither loses the last entry.

Nobody knows whether the last thing it said has arrived, unless it hears something back: here that
is the other side's wish to play again, or its goodbye.
"""

from contextlib import suppress
from typing import Final

import trio

from peer.link import Link, LinkLostError
from peer.seat import Notice, Quit, Said, Seat
from peer.speech import tr
from peer.tasks import unless
from protocol.errors import InvalidError
from protocol.line import Again, Bye, Chat, Reason, Refusal

FAREWELL_SECONDS: Final = 5
"""How long the last to speak waits until the other has everything."""


async def part(link: Link, seat: Seat) -> bool:
    """Ask both whether they would play again; returns whether they do.

    Whoever returns has heard that the other side has the whole record too.

    Raises:
        LinkLostError: the line is gone before that, or the other side says nothing any more.
        InvalidError: the other side sends what can't be read.
    """
    ours = theirs = False
    while not (ours and theirs):
        ask = (lambda: seat.wait(None)) if ours else seat.again
        match await unless(ask, link.wait_readable):
            case True:
                ours = True
                await link.send(Again())
            case False | Quit():
                await _say_bye(link)
                await _wait_for_bye(link)
                return False
            case None:
                match await link.receive():
                    case Again() if not theirs:
                        theirs = True
                        if not ours:
                            seat.tell(Notice(tr("The other side would like to play again.")))
                    case Chat(text):
                        seat.tell(Said(text))
                    case Bye(reason=Reason.DONE):
                        await _say_bye(link)
                        return False
                    case Bye() | Refusal():
                        raise LinkLostError("The connection was closed.")
    return True


async def _say_bye(link: Link) -> None:
    with trio.move_on_after(FAREWELL_SECONDS), suppress(LinkLostError):
        await link.send(Bye(Reason.DONE))


async def _wait_for_bye(link: Link) -> None:
    """Until the other side has said goodbye too: then it has all that we sent."""
    with trio.move_on_after(FAREWELL_SECONDS), suppress(InvalidError):
        while not isinstance(message := await link.receive(), Bye | Refusal):
            pass
        if message == Bye(Reason.DONE):  # another may have been said before the last entry came
            return
    raise LinkLostError("The connection was closed.")
