"""The allocation cores, one decision a call: the requests and answers of `berth place --jsonl` and its like."""

from __future__ import annotations

import json
import typing
from collections.abc import Callable, Mapping

from berth import _berth
from berth._errors import InputError

Document = dict[str, typing.Any]


def _ask(verb: str, answer: Callable[[str], str], request: Mapping[str, typing.Any]) -> Document:
    if not isinstance(request, Mapping):
        raise InputError(f"{verb}: error: a request of type {type(request).__name__}: expected a dict")
    try:
        text = json.dumps(request)
    except (TypeError, ValueError) as error:
        raise InputError(f"{verb}: error: {error}: expected a request of text, numbers, lists and dicts") from None
    told: Document = json.loads(answer(text))
    if list(told) == ["error"]:
        raise InputError(f"{verb}: error: {told['error']}")
    return told


def place(request: Mapping[str, typing.Any]) -> Document:
    """Places a group on a hierarchical topology: docs/reference/place.md.

    Raises:
        InputError: it is no request.
    """
    return _ask("place", _berth.place, request)


def allocate(request: Mapping[str, typing.Any]) -> Document:
    """Allocates devices, or places groups of pods, on servers: docs/reference/allocate.md.

    Raises:
        InputError: it is no request.
    """
    return _ask("allocate", _berth.allocate, request)


def candidates(request: Mapping[str, typing.Any]) -> Document:
    """Finds allocation candidates over resource providers: docs/reference/candidates.md.

    Raises:
        InputError: it is no request.
    """
    return _ask("candidates", _berth.candidates, request)


def quota(request: Mapping[str, typing.Any]) -> Document:
    """Computes runtimes, admission or validity of elastic quota trees: docs/reference/quota.md.

    Raises:
        InputError: it is no request.
    """
    return _ask("quota", _berth.quota, request)
