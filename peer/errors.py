"""What can go wrong around a game: with the computer, the line, or what a person asked for."""


class PeerError(Exception):
    """The world failed, or the user asked for something impossible.

    The message is for a person: it says what happened and what to do.  It holds no secret.
    """


class HomeError(PeerError):
    """The folder where everything is kept can't be used."""


class StoreError(PeerError):
    """What is kept can't be read or written, or isn't there.  Nothing was changed."""
