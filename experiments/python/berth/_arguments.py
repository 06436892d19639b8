"""Checks of arguments. An unusable argument is an InputError that names it and says what was expected."""

from __future__ import annotations

import errno
import math
import operator
import os
import reprlib
import typing
from collections.abc import Iterable, Mapping

from berth._errors import InputError

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 80


def shown(value: object) -> str:
    """A value as messages show it: on one line, cut off if it is long. A value without a repr is shown by its type."""
    try:
        return " ".join(_SHORT.repr(value).replace("\0", " ").split())
    except Exception:
        return f"a {type(value).__name__}"


def wrong(name: str, value: object, expected: str) -> InputError:
    """The error to raise for an unusable argument."""
    return InputError(f"{name}: error: {shown(value)}: expected {expected}")


def text(name: str, value: object, expected: str = "a text") -> str:
    """A text of Unicode without NUL characters, at which a message would end."""
    if not isinstance(value, str):
        raise wrong(name, value, expected)
    if "\0" in value:
        raise wrong(name, value, f"{expected} without a character 0")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise wrong(name, value, f"{expected} of Unicode characters") from None
    return str(value)


def text_of(name: str, value: object) -> str:
    """A value of any type as a text."""
    try:
        made = str(value)
    except Exception:
        raise wrong(name, value, "a value that can be written") from None
    return text(name, made)


def optional_text(name: str, value: object) -> str | None:
    return None if value is None else text(name, value, "a text, or None")


def texts(name: str, value: object) -> list[str]:
    """A text or several texts, as a list."""
    if isinstance(value, str):
        return [text(name, value)]
    if not isinstance(value, Iterable):
        raise wrong(name, value, "texts")
    return [text(name, one) for one in items(name, value, "texts")]


def items(name: str, value: object, expected: str) -> list[typing.Any]:
    """An iterable, as a list."""
    try:
        return list(typing.cast("Iterable[typing.Any]", value))
    except TypeError:
        raise wrong(name, value, expected) from None


def path(name: str, value: object, expected: str = "a path") -> str:
    """The path of a file or a folder."""
    place = path_and_more(name, value, expected)
    try:
        os.lstat(place)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise wrong(name, value, f"{expected} that is not too long for a path") from None
    return place


def path_and_more(name: str, value: object, expected: str) -> str:
    """A text that begins with a path, such as DIR:axis=value."""
    place = os.fsdecode(value) if isinstance(value, (str, os.PathLike)) else ""
    if not place:
        raise wrong(name, value, expected)
    if "\0" in place:
        raise wrong(name, value, f"{expected} without a character 0")
    try:
        os.fsencode(place)
    except UnicodeEncodeError:
        raise wrong(name, value, f"{expected} of Unicode characters") from None
    return place


def whole(name: str, value: object, least: int, most: int) -> int:
    """A whole number of Python or NumPy."""
    try:
        number = None if isinstance(value, bool) else operator.index(typing.cast("typing.SupportsIndex", value))
    except TypeError:
        number = None
    if number is None or not least <= number <= most:
        raise wrong(name, value, f"a whole number from {least} to {most}")
    return number


def optional_whole(name: str, value: object, least: int, most: int) -> int | None:
    return None if value is None else whole(name, value, least, most)


def threads(value: object) -> int | None:
    """A number of threads; None: as many as there are CPUs."""
    return optional_whole("threads", value, 1, 4096)


SECONDS_MAX = 9e9


def seconds(name: str, value: object) -> float:
    """A duration in seconds."""
    try:
        text_like = isinstance(value, (str, bytes, bytearray, bool))
        number = math.nan if text_like else float(typing.cast("typing.SupportsFloat", value))
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0 < number <= SECONDS_MAX:
        raise wrong(name, value, f"seconds: more than 0, and at most {SECONDS_MAX:g}")
    return number


def optional_seconds(name: str, value: object) -> float | None:
    return None if value is None else seconds(name, value)


def optional_number(name: str, value: object, expected: str) -> float | None:
    """A finite number of Python or NumPy, or None."""
    try:
        number = (
            math.nan
            if isinstance(value, (str, bytes, bytearray, bool))
            else float(typing.cast("typing.SupportsFloat", 0 if value is None else value))
        )
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise wrong(name, value, expected)
    return None if value is None else number


def flag(name: str, value: object) -> bool:
    """True or False of Python or NumPy; 1 and 0 mean the same."""
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return bool(value)
    if isinstance(value, int) and value in (0, 1):
        return bool(value)
    raise wrong(name, value, "True or False")


def mapping(name: str, value: object, expected: str) -> dict[str, typing.Any]:
    """A dict whose keys are texts; None counts as an empty one."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise wrong(name, value, expected)
    return {text(name, key, f"{expected}, of which each key is a text"): one for key, one in value.items()}


def optional_callable(name: str, value: object) -> None:
    if value is not None and not callable(value):
        raise wrong(name, value, "what can be called, or None")
