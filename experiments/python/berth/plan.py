"""Plans: the least costly choice that keeps what is required, with a stated confidence."""

from __future__ import annotations

import concurrent.futures
import functools
import json
import os
import pathlib
import typing
import warnings
from collections.abc import Callable, Mapping, Sequence

from berth import _arguments, _berth, _experiment, _progress
from berth._errors import BerthError, InputError, line_of
from berth._executor import finished, result_of, submitted
from berth._scratch import Scratch
from berth.run import BerthWarning
from berth.sweep import Sweep, _run_point


class Plan:
    """What a plan found: docs/reference/plan.md.

    Attributes:
        folder: its directory, with `plan.html`.
        summary: the content of `plan.json`.
    """

    def __init__(self, folder: str | os.PathLike[str], keep: Scratch | None = None) -> None:
        self.folder = pathlib.Path(_arguments.path("folder", folder))
        self.sweep = Sweep(self.folder, keep)  # the points that were run, one for each choice and look
        try:
            self.summary: dict[str, typing.Any] = json.loads((self.folder / "plan.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(f"{self.folder}: error: {line_of(error)}: expected the folder of a plan") from None

    @property
    def answer(self) -> str | None:
        """The least costly choice that keeps what is required, such as `7 racks`; None if no choice does."""
        answer: str | None = self.summary["answer"]
        return answer

    @property
    def frontier(self) -> list[dict[str, typing.Any]]:
        """The choices that were tried, the least costly first."""
        frontier: list[dict[str, typing.Any]] = self.summary["frontier"]
        return frontier

    def __repr__(self) -> str:
        return f"<berth.Plan: {self.summary['text']}>"


def _run_elsewhere(
    native: _berth.Plan, executor: concurrent.futures.Executor | None, allow_code: bool, point: int
) -> str:
    """Runs a point in an executor or in this thread. Returns why it failed, or the empty text.

    Raises:
        InputError: the executor takes no call.
    """
    experiment = native.experiment(point)
    future = None
    if executor is not None:  # an executor that is none is an error of the caller, and not of the point
        future = next(finished([submitted(executor, _run_point, experiment, allow_code)]))
    try:
        files = _run_point(experiment, allow_code) if future is None else result_of(future, experiment)
    except BerthError as error:
        return str(error) or type(error).__name__
    except Exception as error:
        return line_of(error)
    native.put(point, files)
    return ""


def _runner(
    native: _berth.Plan, executor: concurrent.futures.Executor | None, allow_code: bool
) -> Callable[[int], str]:
    """What runs a point that the search asks for."""
    elsewhere = functools.partial(_run_elsewhere, native, executor, allow_code)
    return lambda point: elsewhere(point) if executor is not None or native.is_in_python(point) else native.run(point)


def _source(plan: _experiment.Experiment) -> tuple[str | None, str]:
    """The text of a plan, or the path of its file."""
    if isinstance(plan, Mapping):
        return _experiment.as_text(plan, "plan"), ""
    if isinstance(plan, str) and "\n" in plan:
        return _arguments.text("plan", plan), ""
    return None, _arguments.path("plan", plan, "a path, YAML text or a dict")


def plan(
    plan: _experiment.Experiment,
    executor: concurrent.futures.Executor | None = None,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    set: Mapping[str, typing.Any] | None = None,
    *,
    choose: str | Sequence[str] = (),
    require: str | Sequence[str] = (),
    confidence: float | None = None,
    replications: int | None = None,
    progress: _progress.Wanted = None,
    allow_code: bool = False,
) -> Plan:
    """Finds the least costly choice that keeps what is required.

    Args:
        plan: a plan or an experiment: the path of a file, YAML text (with a line break in it), or a dict.
        executor: runs the points, as for `berth.sweep`; one at a time, since each decides what comes next.
        out: the plan's directory. Points that are finished there are not run again. Without it, the plan is in a
            temporary directory, which is removed together with the returned object.
        threads: replications that run at a time without an executor; by default one for each CPU.
        set: changes to the experiment, by path.
        choose: what is chosen, such as `"levels[rack].count=4..12"`, or several of these.
        require: what must be kept, such as `"job_wait_s_p95<=10m"`, or several of these.
        confidence, replications: the probability with which all intervals hold, and the most replications of a choice.
        progress, allow_code: as for `berth.run`.

    Raises:
        InputError: the plan cannot be used as written.
        RuntimeError: a choice cannot run.

    Example:
        >>> found = berth.plan(experiment, choose="levels[server].count=1..9", require="job_wait_s_mean<=1h")
        >>> found.answer is None or found.answer.endswith("servers")
        True
    """
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise _arguments.wrong("executor", executor, "one with submit(), or None")
    at_a_time = _arguments.threads(threads) or os.cpu_count() or 1
    allow_code = _arguments.flag("allow_code", allow_code)
    sure = _arguments.optional_number("confidence", confidence, "a probability, or None")
    most = _arguments.optional_whole("replications", replications, 2, 100_000)
    text, file = _source(plan)
    keep = None
    if out is None:
        keep = Scratch()
        out = keep.path / "plan"
    place = _arguments.path("out", out)
    with _progress.shown(progress) as tell:
        native = _berth.Plan(
            text,
            file,
            _arguments.texts("choose", choose),
            _arguments.texts("require", require),
            "" if sure is None else repr(sure),
            "" if most is None else str(most),
            _experiment.overrides(None, set),
            place,
            allow_code,
            at_a_time,
            tell,
        )
        for warning in native.find_answer(_runner(native, executor, allow_code)):
            warnings.warn(warning, BerthWarning, stacklevel=2)
    return Plan(place, keep)
