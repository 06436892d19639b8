"""The exceptions of berth."""

import difflib
import re
from collections.abc import Iterable

_PLACE = re.compile(r"^(?P<file>[^\n]*?):(?P<line>\d+):(?P<column>\d+): error: (?P<message>[^\n]*)")
_OPTION = re.compile(r"^--(?P<argument>[a-z]+)(?=: error: )")
_NAME = re.compile(r"^(?P<file>[^\n:]+): error: (?P<message>[^\n]*)")


def line_of(error: BaseException) -> str:
    """An exception as its type and its text, as far as it has one."""
    try:
        text = str(error)
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class BerthError(Exception):
    """The base of all exceptions of berth's own."""


class InputError(BerthError, ValueError):
    """An input that cannot be used as written: an experiment, a file, a request, an argument.

    Its text holds up to 20 messages, as the command prints them. The attributes are those of the
    first one.

    Attributes:
        file: the file, or what stands for it; None where the message names none.
        line, column: counted from 1, columns in bytes; None where the whole file is meant.
        message: what is wrong, without the place.
        expected: what was expected instead; None where the message does not say.

    Example:
        >>> try:
        ...     berth.run(experiment.replace("count: 2000", "count: many"))
        ... except berth.InputError as error:
        ...     print(error.line, error.column, error.message)
        15 16 found 'many': expected a whole number of at least 1
    """

    def __init__(self, text: str) -> None:
        text = _OPTION.sub(r"\g<argument>", text)  # an option of the command is an argument here
        super().__init__(text)
        found = _PLACE.match(text)
        named = found or _NAME.match(text)
        self.file = named["file"] if named else None
        self.line = int(found["line"]) if found else None
        self.column = int(found["column"]) if found else None
        self.message = named["message"] if named else text.split("\n", 1)[0]
        expected = re.search(r": expected (.*)$", self.message)
        self.expected = expected[1] if expected else None


class UnknownName(InputError, KeyError):
    """An InputError about a metric or column that does not exist. It is also a KeyError, as for any mapping."""

    __str__ = BerthError.__str__  # unlike KeyError's, it does not show the text as a literal


def unknown(name: str, what: str, expected: str, names: Iterable[str]) -> UnknownName:
    """The error to raise for a name that does not exist. It suggests the nearest of `names`."""
    near = difflib.get_close_matches(name, list(names), 1)
    hint = f" (did you mean '{near[0]}'?)" if near else ""
    return UnknownName(f"{name}: error: {what}: expected {expected}{hint}")


class SchedulerError(BerthError, RuntimeError):
    """A scheduler from outside berth asked for something impossible, raised an exception, or did not answer."""


class InvariantError(BerthError, RuntimeError):
    """A bug in berth: after an event, an invariant does not hold."""


class Interrupted(BerthError, RuntimeError):
    """A run was told to stop, and left no results."""


class Timeout(BaseException):
    """Ends a call of a scheduler that takes too long. Callers of berth never see it."""
