"""Schedulers in Python."""

from __future__ import annotations

import copy
import importlib.util
import inspect
import os
import pathlib
import sys
import typing
from collections.abc import Callable

from berth import _arguments, _berth
from berth._berth import Act, Job, Pod, ProfileView, Server, View
from berth._errors import InputError, SchedulerError, line_of

__all__ = ["Act", "Job", "Pod", "ProfileView", "Scheduler", "Server", "View", "register"]

_DECISIONS = ("schedule", "order", "select", "score")
_METHODS = (*_DECISIONS, "begin", "submitted", "started", "evicted", "ended", "server_changed")

_registered: dict[str, typing.Any] = {}


class Scheduler:
    """Decides which jobs start where. Derive from it and write `schedule`, or any of `order`, `select` and `score`.

        >>> class FirstFit(berth.Scheduler):
        ...     def schedule(self, view, act):
        ...         for job in view.waiting:
        ...             fits = (view.free >= job.demand).all(axis=1)
        ...             if job.size == 1 and fits.any():
        ...                 act.start(job, [(int(fits.argmax()), 1)])
        >>> round(berth.run(experiment, seed=1, scheduler=FirstFit)["job_wait_s_mean"])
        897

    Without `schedule`, the experiment's profile makes all decisions but those of these methods. `score(pod, view)`
    gives a number for each server, and the pod goes to the server with the highest number among those on which it
    fits; of equal ones, to the first. `select(pod, candidates, view)` returns one of those servers directly, or None.

        >>> class Tightest(berth.Scheduler):
        ...     def score(self, pod, view):
        ...         return -(view.free - pod.demand).sum(axis=1)
        >>> round(berth.run(experiment, seed=1, scheduler=Tightest)["job_wait_s_mean"])
        897

    `order(queue, view)` returns the waiting jobs in the order in which they are to be tried.

        class SmallestFirst(berth.Scheduler):
            def order(self, queue, view):
                return sorted(queue, key=lambda job: job.size)

    Each replication has an object of its own. It should seed its random choices with `view.seed`, so that the same
    seed gives the same run.

    It may also have `begin(view)`, which is called before anything happens, and methods that are called when
    something happens: `submitted(job)`, `started(job)`, `evicted(job)`, `ended(job)`, `server_changed(server, up)`.
    They may look, but decide nothing.
    """

    # None of the methods is defined here: a class has exactly those that its author wrote.


def register(name: str, scheduler: type | Callable[..., typing.Any]) -> None:
    """Registers a scheduler under a name, by which experiments refer to it: `scheduler: {python: NAME}`.

    Args:
        name: letters, digits and underscores.
        scheduler: a class, or a callable that makes an object when it is called with the experiment's `params`.

    Raises:
        InputError: the name cannot be used, or the scheduler cannot be called.

    Example:
        >>> class Emptiest(berth.Scheduler):
        ...     def __init__(self, weight=1):
        ...         self.weight = weight
        ...     def score(self, pod, view):
        ...         return self.weight * view.free.sum(axis=1)
        >>> berth.register("emptiest", Emptiest)
        >>> scheduler = {"python": "emptiest", "params": {"weight": 2}}
        >>> round(berth.run(experiment, seed=1, set={"spec.scheduler": scheduler})["job_wait_s_mean"])
        897
    """
    if not isinstance(name, str) or not name.isidentifier() or not name.isascii():
        raise _arguments.wrong("register", name, "a name of letters, digits and underscores")
    if not callable(scheduler):
        raise _arguments.wrong("register", scheduler, "a class")
    if inspect.isclass(scheduler):
        _check_methods_run(scheduler, scheduler.__name__)
    _registered[name] = scheduler


def _loaded(file: str, name: str) -> typing.Any:
    """An object of a Python file. The file is read anew each time."""
    module_name = f"berth_scheduler_{pathlib.Path(file).stem}"
    spec = importlib.util.spec_from_file_location(module_name, file)
    if spec is None or spec.loader is None:
        raise InputError(f"{file}: error: not a Python file: expected FILE.py:CLASS")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # dataclasses and pickles of the file need it
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        line = error.__traceback__
        while line is not None and line.tb_next is not None:
            line = line.tb_next
        at = f":{line.tb_lineno}" if line is not None and line.tb_frame.f_code.co_filename == file else ""
        raise InputError(f"{file}{at}: error: {line_of(error)}: expected a file that Python can read") from error
    if not hasattr(module, name):
        raise InputError(f"{file}: error: it has no {name}: expected FILE.py:CLASS")
    return getattr(module, name)


def named(text: str) -> typing.Any:
    """The object that `FILE.py:CLASS` names.

    Raises:
        InputError: there is no such file, or it has no such class.
    """
    file, colon, name = text.rpartition(":")
    if not colon or not os.path.isfile(file):
        raise InputError(f"{text}: error: no scheduler: expected FILE.py:CLASS, of a file that is there")
    return _loaded(os.path.abspath(file), name)


def _has(scheduler: object, method: str) -> bool:
    return callable(getattr(scheduler, method, None))


class Hooks(typing.NamedTuple):
    """The decisions that a scheduler takes over from a profile.

    Attributes:
        any: it makes some decisions, and the profile makes all others.
        order: the order of the queue is one of its decisions.
    """

    any: bool = False
    order: bool = False


def hooks_of(scheduler: object) -> Hooks:
    """The decisions that a scheduler, or a class, makes beside a profile; none, where it decides everything."""
    if _has(scheduler, "schedule"):
        return Hooks()
    return Hooks(any(_has(scheduler, one) for one in ("order", "select", "score")), _has(scheduler, "order"))


def _check_methods_run(made: object, name: str) -> None:
    """Checks that no method of a scheduler, or of a class, only makes something that runs later.

    Raises:
        InputError: a method is `async`, or has a `yield`. What order() yields is an order, however.
    """
    for method in _METHODS:
        try:
            function = getattr(made, method, None)
        except Exception:
            continue  # it is told when the method is called
        is_async = inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
        if is_async or (method != "order" and inspect.isgeneratorfunction(function)):
            what = "async" if is_async else "a generator"
            raise InputError(
                f"scheduler: error: {method}() of {name} is {what}, and nothing would run it: expected a method "
                "without yield and async"
            )


def _checked(made: object, maker: str | None = None) -> object:
    """A scheduler or a class that makes at least one decision. `maker` is what made the scheduler."""
    name = made.__name__ if inspect.isclass(made) else type(made).__name__
    if maker is not None and name != maker:
        name = f"{_arguments.shown(made)}, which {maker} made,"
    if not _has(made, "schedule") and not hooks_of(made).any:
        raise InputError(
            f"scheduler: error: {name} has neither schedule(view, act) nor order(queue, view), "
            "select(pod, candidates, view) or score(pod, view): expected a berth.Scheduler"
        )
    if not _has(made, "schedule") and _has(made, "select") and _has(made, "score"):
        raise InputError(
            f"scheduler: error: {name} has select() and score(), and both choose servers: expected one of them"
        )
    _check_methods_run(made, name)
    return made


def _alike(first: object, name: str, make: Callable[[], object]) -> tuple[Callable[[int, int], object], Hooks]:
    """The function that makes the scheduler of each replication, and the decisions that the first one makes.

    Raises:
        SchedulerError, from the function: `make` made something that does not make the same decisions.
    """
    hooks, decides = hooks_of(first), _has(first, "schedule")
    methods = [f"{one}()" for one in _DECISIONS if _has(first, one)]

    def made(replication: int, seed: int) -> object:
        scheduler = make()
        if (hooks_of(scheduler), _has(scheduler, "schedule")) != (hooks, decides):
            raise SchedulerError(
                f"scheduler: error: replication {replication}: {name} made {_arguments.shown(scheduler)}: expected an "
                f"object with {' and '.join(methods[:1] if decides else methods)}"
            )
        return scheduler

    return made, hooks


def maker(named: tuple[str, str, str, str], given: object | None) -> tuple[Callable[[int, int], object], Hooks]:
    """The function that makes the scheduler of each replication, and the decisions that this scheduler makes.

    Args:
        named: the experiment's own scheduler: its kind, file, object, and its params as YAML.
        given: the argument `scheduler`, or None.
    """
    _, file, name, params_text = named
    if given is None:
        params = _berth.yaml_map(params_text) if params_text else {}
        cls = _loaded(file, name) if file else _registered.get(name)
        if cls is None:
            known = ", ".join(sorted(_registered)) or "none is registered"
            raise InputError(
                f"scheduler: error: '{name}' is not registered: expected FILE.py:CLASS, or one of: {known}"
            )
        try:
            first = _checked(cls(**params), name)
        except InputError:
            raise
        except Exception as error:
            what = f"{name}({', '.join(params)}): {line_of(error)}"
            raise InputError(f"scheduler: error: {what}: expected params with which it can be made") from error
        return _alike(first, name, lambda: cls(**params))
    if inspect.isclass(given):
        _checked(given)
        return _alike(given, given.__name__, given)
    _checked(given)
    try:
        copy.deepcopy(given)
    except Exception as error:
        raise InputError(
            f"scheduler: error: {type(given).__name__} cannot be copied, and each replication needs one of its own: "
            f"expected a class ({line_of(error)})"
        ) from error
    return _alike(given, f"the copy of {type(given).__name__}", lambda: copy.deepcopy(given))


def name_of(given: object) -> str:
    """The name by which an experiment can refer to a given scheduler object: its file and class, if it is in a file."""
    cls = given if inspect.isclass(given) else type(given)
    try:
        file = inspect.getsourcefile(cls)
    except (TypeError, OSError):  # it was typed in and has no file
        file = None
    if file is None or not file.endswith(".py") or not os.path.exists(file) or "." in cls.__qualname__:
        return cls.__name__
    return f"{os.path.abspath(file)}:{cls.__name__}"
