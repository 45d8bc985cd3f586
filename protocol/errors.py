"""What can go wrong, and whose fault it is.

Code that reads bytes does not know whose bytes they are, so it raises `InvalidError` with the
rule that was broken.  Whoever does know (the table, which sits opposite a peer; the verifier,
which reads who signed) turns it into a `RemoteProtocolError` that names the culprit.
"""

from enum import Enum


class Fault(Enum):
    """The MUST that was broken.  The value is the code that travels and that vectors name."""

    MALFORMED = "malformed"
    """The bytes cannot be read as what they should be: type, number of fields or length."""

    NON_CANONICAL = "non-canonical"
    """They can be read, but a value has one encoding here, and this is another one."""

    TOO_LARGE = "too-large"
    """Longer, or nested deeper, than anything this protocol sends."""

    BAD_ELEMENT = "bad-element"
    """Not the canonical encoding of a group element, or the identity where it must not be."""

    BAD_SCALAR = "bad-scalar"
    """Not below the order of the group, or zero where it must not be."""

    BAD_SEAL = "bad-seal"
    """A sealed message that does not open: the wrong key, or altered on the way."""

    UNEXPECTED = "unexpected"
    """A message of a kind that is known, or isn't, but cannot come now or from this side."""

    BROKEN_CHAIN = "broken-chain"
    """An entry that does not continue the record: its number or its previous hash is wrong."""

    BAD_SIGNATURE = "bad-signature"
    """The signature is not its author's."""

    BAD_KEY_SHARE = "bad-key-share"
    """A key share that repeats, negates or cancels the other side's."""

    BAD_PROOF = "bad-proof"
    """A proof that does not hold for this statement, here and now."""

    BAD_OPENING = "bad-opening"
    """What was opened is not what was committed to."""

    EQUIVOCATION = "equivocation"
    """Two different signed entries for one place in the record."""

    REFLECTION = "reflection"
    """Our own message, played back to us."""

    ILLEGAL_ACTION = "illegal-action"
    """The rules of the game do not allow this action now."""

    STATE_MISMATCH = "state-mismatch"
    """The two sides disagree on the public state of the game after this entry."""


class ProtocolError(Exception):
    """Base of everything `protocol` raises on purpose."""


class LocalProtocolError(ProtocolError):
    """Our own code called out of turn.  Nothing was changed and nothing needs sending."""


class InvalidError(ProtocolError):
    """Some bytes break the rule `fault`.  No blame: see the module's first lines."""

    def __init__(self, fault: Fault, detail: str) -> None:
        super().__init__(f"{detail} ({fault.value})")
        self.fault = fault
        self.detail = detail


class RemoteProtocolError(InvalidError):
    """A peer broke a MUST.

    `side` is the culprit (0 host, 1 guest); `evidence` the signed entries that show it, in
    their order, or empty where nothing was signed.  The table that raised this is finished.
    """

    def __init__(
        self, fault: Fault, detail: str, *, side: int, evidence: tuple[bytes, ...] = ()
    ) -> None:
        super().__init__(fault, detail)
        self.side = side
        self.evidence = evidence


class LostEntriesError(ProtocolError):
    """The other side has entries that we signed and don't have: this is an old copy of a game.

    To go on from here would be to sign a second entry for a place, so it can't be done.
    """


class IncompatibleError(ProtocolError):
    """The two sides share no version, no game or no options.  Nobody's fault."""
