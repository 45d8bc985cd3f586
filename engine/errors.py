"""What the rules can refuse.  Every one is a ValueError, and nothing has changed when it is raised.

The rules do not know who asked, so no error here names a culprit.
"""


class RulesError(ValueError):
    """Base of everything `engine` raises on purpose."""


class IllegalActionError(RulesError):
    """The action can be read, but the rules do not allow it now."""


class MalformedActionError(RulesError):
    """The text does not name an action."""


class UnexpectedAnswerError(RulesError):
    """An answer to something that the state did not ask for."""


class InvalidAnswerError(RulesError):
    """The answer to what was asked, but not a possible one: a face twice, no permutation..."""


class InvalidOptionsError(RulesError):
    """No game is played with these options."""


class MalformedStateError(RulesError):
    """The bytes are not the encoding of a state."""
