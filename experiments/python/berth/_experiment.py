"""Experiments as users give them: a file, YAML text or a dict."""

from __future__ import annotations

import json
import os
import typing
from collections.abc import Mapping

from berth import _arguments, _berth
from berth._errors import InputError

Experiment = typing.Union[str, "os.PathLike[str]", Mapping[str, typing.Any]]


SEED_MAX = 2**63 - 1


def plain(value: object) -> object:
    """Converts values that JSON does not know: numbers and arrays of NumPy, and paths."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a value of type {type(value).__name__}")


def as_json(name: str, value: object, **options: typing.Any) -> str:
    """An argument's value as JSON.

    Raises:
        InputError: a value that JSON cannot hold.
    """
    try:
        return json.dumps(value, default=plain, **options)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{name}: error: {error}: expected text, numbers, lists and dicts") from None


def as_text(value: object, name: str = "experiment") -> str:
    """A document as JSON. It is also YAML, so messages can show its lines.

    Raises:
        InputError: a value that no document can hold.
    """
    return _arguments.text(name, as_json(name, value, indent=2, ensure_ascii=False))


def overrides(seed: int | None, changes: Mapping[str, typing.Any] | None) -> list[str]:
    """`seed` and `set` in the form of the command's options."""
    all_of_them = _arguments.mapping("set", changes, "a dict of paths and values, such as {'spec.until': '1d'}")
    if seed is not None:
        all_of_them["spec.seed"] = _arguments.whole("seed", seed, 0, SEED_MAX)
    return [f"{path}={as_json('set', value)}" for path, value in all_of_them.items()]


def load(
    experiment: Experiment,
    seed: int | None,
    changes: Mapping[str, typing.Any] | None,
    scheduler: str | None = None,
    keep_profile: bool = False,
) -> _berth.Experiment:
    """Reads an experiment. `scheduler` names a Python scheduler that replaces the one in the experiment; with
    `keep_profile`, it is added beside the experiment's profile.

    A text with a line break is YAML, any other text the path of a file. Relative names in YAML text and
    in dicts are relative to the working directory.

    Raises:
        InputError: the experiment is wrong; the error has file, line and column.
    """
    changed = overrides(seed, changes)
    if isinstance(experiment, Mapping):
        return _berth.Experiment.of_text(as_text(experiment), "experiment", changed, scheduler, keep_profile)
    if isinstance(experiment, str) and "\n" in experiment:
        text = _arguments.text("experiment", experiment)
        return _berth.Experiment.of_text(text, "experiment", changed, scheduler, keep_profile)
    place = _arguments.path("experiment", experiment, "a path, YAML text or a dict")
    return _berth.Experiment.of_file(place, changed, scheduler, keep_profile)
