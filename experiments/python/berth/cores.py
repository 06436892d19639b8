"""The allocation cores, one decision per call: the requests and answers of `berth place --jsonl` and the like."""

from __future__ import annotations

import json
import typing
from collections.abc import Callable, Mapping

from berth import _arguments, _berth, _experiment
from berth._errors import InputError

Document = dict[str, typing.Any]


def _ask(verb: str, answer: Callable[[str], str], request: Mapping[str, typing.Any]) -> Document:
    if not isinstance(request, Mapping):
        raise _arguments.wrong(verb, request, "a request, which is a dict")
    told: Document = json.loads(answer(_experiment.as_json(verb, request, allow_nan=False)))
    if list(told) == ["error"]:
        raise InputError(f"{verb}: error: {told['error']}")
    return told


def place(request: Mapping[str, typing.Any]) -> Document:
    """Places a group on a hierarchical topology: docs/reference/place.md.

    Raises:
        InputError: the request cannot be used.

    Example:
        >>> servers = [{"name": name, "capacity": [8], "allocated": [4]} for name in ("a", "b", "c")]
        >>> topology = {"levels": ["rack", "server"], "tree": {"name": "rack", "children": servers}}
        >>> berth.place({"topology": topology, "group": {"size": 3, "demand": [4], "levelConstraints": []}})["placed"]
        3
    """
    return _ask("place", _berth.place, request)


def allocate(request: Mapping[str, typing.Any]) -> Document:
    """Allocates devices, or places groups of pods, on servers: docs/reference/allocate.md.

    Raises:
        InputError: the request cannot be used.

    Example:
        >>> card = "resource/group/gpu/{}/cards"
        >>> container = {"name": "main", "requests": {card.format("a"): 1}}
        >>> node = {"allocatable": {card.format(0): 1, card.format(1): 1}}
        >>> berth.allocate({"node": node, "pod": {"runningContainers": [container]}})["containers"]
        {'main': {'allocateFrom': {'resource/group/gpu/a/cards': 'resource/group/gpu/0/cards'}}}
    """
    return _ask("allocate", _berth.allocate, request)


def candidates(request: Mapping[str, typing.Any]) -> Document:
    """Finds allocation candidates over resource providers: docs/reference/candidates.md.

    Raises:
        InputError: the request cannot be used.

    Example:
        >>> provider = {"uuid": "00000000-0000-0000-0000-000000000001", "inventories": {"VCPU": {"total": 8}}}
        >>> answers = berth.candidates({"providers": [provider], "queries": ["resources=VCPU:2", "resources=VCPU:9"]})
        >>> [len(answer["body"]["allocation_requests"]) for answer in answers["answers"]]
        [1, 0]
    """
    return _ask("candidates", _berth.candidates, request)


def quota(request: Mapping[str, typing.Any]) -> Document:
    """Computes runtimes, admission or validity of elastic quota trees: docs/reference/quota.md.

    Raises:
        InputError: the request cannot be used.

    Example:
        >>> one = {"Name": "one", "Min": 10, "Request": 5, "SharedWeight": 40, "Lent": True}
        >>> two = {"Name": "two", "Min": 15, "Request": 90, "SharedWeight": 60, "Lent": True}
        >>> berth.quota({"kind": "redistribute", "total": 60, "nodes": [one, two]})
        {'runtime': {'one': 5, 'two': 55}}
    """
    return _ask("quota", _berth.quota, request)
