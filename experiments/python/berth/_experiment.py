"""Experiments as people give them: a file, YAML text or a dict."""

from __future__ import annotations

import json
import os
import typing
from collections.abc import Mapping

from berth import _berth
from berth._errors import InputError

Experiment = typing.Union[str, "os.PathLike[str]", Mapping[str, typing.Any]]


def _plain(value: object) -> object:
    """What JSON does not know: numbers of NumPy, paths."""
    if hasattr(value, "item"):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise InputError(
        f"experiment: error: a value of type {type(value).__name__}: expected text, numbers, lists and dicts"
    )


def as_text(value: object) -> str:
    """A document as JSON, which is YAML, so that messages can show its lines.

    Raises:
        InputError: a value that no document can hold.
    """
    try:
        return json.dumps(value, indent=2, default=_plain, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"experiment: error: {error}: expected text, numbers, lists and dicts") from None


def overrides(seed: int | None, changes: Mapping[str, typing.Any] | None) -> list[str]:
    """`seed` and `set` in the form of the command's options."""
    if changes is not None and not isinstance(changes, Mapping):
        raise InputError("set: error: not a dict: expected paths and values, such as {'spec.until': '1d'}")
    all_of_them = dict(changes or {})
    if seed is not None:
        all_of_them["spec.seed"] = seed
    return [f"{path}={json.dumps(value, default=_plain)}" for path, value in all_of_them.items()]


def load(
    experiment: Experiment,
    seed: int | None,
    changes: Mapping[str, typing.Any] | None,
    scheduler: str | None = None,
    keep_profile: bool = False,
) -> _berth.Experiment:
    """Reads an experiment. `scheduler` names one in Python, in the place of what decides there; with
    `keep_profile`, beside the profile that is there.

    A text with a line break is YAML, any other text the path of a file. Relative names in YAML text and
    in dicts are relative to the working directory.

    Raises:
        InputError: what is wrong with it, with file, line and column.
    """
    changed = overrides(seed, changes)
    if isinstance(experiment, Mapping):
        return _berth.Experiment.of_text(as_text(experiment), "experiment", changed, scheduler, keep_profile)
    if isinstance(experiment, str) and "\n" in experiment:
        return _berth.Experiment.of_text(experiment, "experiment", changed, scheduler, keep_profile)
    if isinstance(experiment, (str, os.PathLike)):
        return _berth.Experiment.of_file(os.fspath(experiment), changed, scheduler, keep_profile)
    raise InputError(f"experiment: error: a {type(experiment).__name__}: expected a path, YAML text or a dict")
