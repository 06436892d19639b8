"""Scores of schedulers that a person or a program wrote. They run in a process of their own, with limits."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import json
import os
import pathlib
import resource
import secrets
import signal
import subprocess
import sys
import typing
import warnings
from collections.abc import Iterable, Mapping, Sequence

from berth import _arguments, _berth, _experiment
from berth._errors import BerthError, InputError, line_of
from berth._scratch import Scratch
from berth.run import BerthWarning
from berth.run import run as run_experiment
from berth.scheduler import named


@dataclasses.dataclass(frozen=True)
class Difference:
    """The difference of a metric between the evaluated scheduler and the baseline, in pairs of one experiment and seed.

    Attributes:
        pairs: the number of pairs.
        baseline, scheduler: the two means.
        mean: the mean of the differences.
        low, high: the 95 % interval of that mean, by Student's t; None for fewer than two pairs.
        p: the two-sided p-value; None for fewer than two pairs, or where no pair differs.
        better: whether the scheduler is better by this metric; None where neither direction of the metric is better, or
            both are equal.
    """

    pairs: int
    baseline: float
    scheduler: float
    mean: float
    low: float | None
    high: float | None
    p: float | None
    better: bool | None


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """The result of an evaluation.

    Attributes:
        score: the mean of the metric over all experiments and seeds; None where a run failed.
        scores: the metric by experiment number and seed.
        difference: the difference from the baseline; None where a run failed.
        error: why a run failed, in one line; None where no run failed.
        seconds: how long the scheduler's process ran.
    """

    score: float | None
    scores: dict[tuple[int, int], float]
    difference: Difference | None
    error: str | None
    seconds: float


_FILE_LIMIT = 64 << 20


def _text(experiment: _experiment.Experiment) -> tuple[str, str]:
    """An experiment in a form that another process can read: its kind, and its path or text."""
    if isinstance(experiment, Mapping):
        return "text", _experiment.as_text(experiment)
    if isinstance(experiment, str) and "\n" in experiment:
        return "text", experiment
    return "file", os.path.abspath(_arguments.path("experiments", experiment, "a path, YAML text or a dict"))


def _value(experiment: _experiment.Experiment, seed: int, metric: str, **options: typing.Any) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BerthWarning)
        return run_experiment(experiment, seed=seed, **options)[metric]


def _child() -> None:
    """The process in which the scheduler runs. It answers with one line for each run.

    Each line begins with a token that the scheduler does not know, so that none of its output is taken for an answer.
    """
    asked = json.load(sys.stdin)
    process = os.getpid()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the scheduler prints must not mix with the answers
    for kind, what in asked["experiments"]:
        # A text without a line break would be read as a path.
        experiment: _experiment.Experiment = what if kind == "file" else what + "\n"
        for seed in asked["seeds"]:
            try:
                scheduler = named(asked["scheduler"])
                answer: object = _value(experiment, seed, asked["metric"], scheduler=scheduler)
            except BerthError as error:
                answer = str(error).split("\n", 1)[0] or type(error).__name__
            except MemoryError:
                answer = f"out of memory: expected at most {asked['memory_limit']} bytes"
            except SystemExit as error:
                answer = f"it ended its process: {line_of(error)}"
            if os.getpid() != process:
                os._exit(1)  # this is a copy that the scheduler forked and left running
            print(asked["token"], json.dumps(answer), file=answers, flush=True)


def _limited(memory_limit: int) -> typing.Callable[[], None]:
    def set_limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (memory_limit, memory_limit))
        resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_LIMIT, _FILE_LIMIT))  # its output goes to a file

    return set_limit


def evaluate(
    source: str | os.PathLike[str],
    experiments: Iterable[_experiment.Experiment] | _experiment.Experiment,
    seeds: Sequence[int] = tuple(range(1, 11)),
    *,
    metric: str = "job_wait_s_mean",
    baseline: str | None = None,
    time_limit: float = 300,
    memory_limit: int = 4 << 30,
) -> Evaluation:
    """Runs a scheduler that is given as a file and compares it with a baseline.

    The scheduler runs in a process of its own, which is ended when it takes too much time or memory. That guards
    against mistakes, not against malice. The same arguments give the same scores.

    Args:
        source: `FILE.py:CLASS`.
        experiments: one experiment or several: paths, YAML texts or dicts.
        seeds: each experiment runs with each of them. No seed is given twice.
        metric: the metric to compare, as its mean over the replications of a run.
        baseline: another `FILE.py:CLASS`; without it, the scheduler that each experiment names.
        time_limit: seconds for all runs of the scheduler.
        memory_limit: bytes of address space.

    Returns:
        the evaluation. A failure of the scheduler is not an exception: `error` says what went wrong.

    Raises:
        InputError: an argument or an experiment cannot be used, or its run does not have the metric.

    Example:
        >>> _ = pathlib.Path("tightest.py").write_text('''
        ... class Tightest:
        ...     def score(self, pod, view):
        ...         return -(view.free - pod.demand).sum(axis=1)
        ... ''')
        >>> found = berth.evaluate("tightest.py:Tightest", experiment, seeds=[1, 2])
        >>> found.error, len(found.scores), found.difference.mean
        (None, 2, 0.0)
    """
    one = isinstance(experiments, (str, os.PathLike, Mapping))
    given: list[_experiment.Experiment] = (
        [typing.cast("_experiment.Experiment", experiments)]
        if one
        else _arguments.items("experiments", experiments, "paths, YAML texts or dicts")
    )
    texts = [_text(experiment) for experiment in given]
    numbers = _arguments.items("seeds", seeds, "whole numbers")
    numbers = [_arguments.whole("seeds", seed, 0, _experiment.SEED_MAX) for seed in numbers]
    for seed, times in collections.Counter(numbers).items():
        if times > 1:
            raise InputError(f"seeds: error: {seed} is given twice: expected each seed once")
    _arguments.text("metric", metric, "the name of a metric")
    baseline = _arguments.optional_text("baseline", baseline)
    time_limit = _arguments.seconds("time_limit", time_limit)
    memory_limit = _arguments.whole("memory_limit", memory_limit, 1, sys.maxsize)
    scheduler = _arguments.path("source", source, "FILE.py:CLASS")
    file, colon, name = scheduler.rpartition(":")
    if not colon or not os.path.isfile(file):
        raise InputError(f"{scheduler}: error: no scheduler: expected FILE.py:CLASS, of a file that is there")
    if not given or not numbers:
        raise InputError("evaluate: error: no experiments or no seeds: expected one of each at least")
    before = {}
    for number, experiment in enumerate(given):
        for seed in numbers:
            before[number, seed] = _value(experiment, seed, metric, scheduler=named(baseline) if baseline else None)
    asked = {
        "experiments": texts,
        "seeds": numbers,
        "metric": metric,
        "scheduler": f"{os.path.abspath(file)}:{name}",
        "memory_limit": memory_limit,
        "token": secrets.token_hex(),
    }
    answers, error, seconds = _ask_child(asked, time_limit, memory_limit)
    scores = dict(zip(before, answers))
    if error is not None:
        return Evaluation(None, scores, None, error, seconds)
    score = sum(scores.values()) / len(scores)
    return Evaluation(score, scores, _difference(metric, before, scores), None, seconds)


def _lines(file: typing.BinaryIO) -> list[str]:
    """The last lines of a file. Of a very long file, only the end is read."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - (1 << 20)))
    return file.read().decode(errors="replace").strip().splitlines()


def _ask_child(
    asked: dict[str, typing.Any], time_limit: float, memory_limit: int
) -> tuple[list[float], str | None, float]:
    """The values of the runs before the first that failed, and the reason for that failure."""
    folder = Scratch()
    cannot_begin = (f"its process cannot begin with {memory_limit} bytes of memory", 0.0)
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(folder.path / "said", "wb+") as said, open(folder.path / "errors", "wb+") as errors:
        try:
            child = subprocess.Popen(
                [sys.executable, "-c", "from berth.evaluation import _child; _child()"],
                stdin=subprocess.PIPE,
                stdout=said,
                stderr=errors,
                env={**os.environ, "PYTHONPATH": os.pathsep.join([str(pathlib.Path(__file__).parents[1]), *sys.path])},
                preexec_fn=_limited(memory_limit),
                start_new_session=True,
            )
        except (OSError, subprocess.SubprocessError):
            return [], *cannot_begin
        late = False
        try:
            child.communicate(json.dumps(asked).encode(), timeout=time_limit)
        except subprocess.TimeoutExpired:
            late = True
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)  # also ends the processes that it started
            child.wait()
        lines = _lines(said)
        last = (_lines(errors) or [""])[-1]
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime
    values: list[float] = []
    for line in lines:
        token, _, told = line.partition(" ")
        if token != asked["token"]:
            continue
        answer = json.loads(told)
        if isinstance(answer, str):
            return values, answer, seconds
        values.append(answer)
    if late:
        return values, f"it took longer than {time_limit:g} s", seconds
    if len(values) < len(asked["experiments"]) * len(asked["seeds"]):
        return values, f"its process ended with status {child.returncode}{last and f': {last}'}", seconds
    return values, None, seconds


def _difference(
    metric: str, baseline: Mapping[tuple[int, int], float], scores: Mapping[tuple[int, int], float]
) -> Difference:
    pairs = [(baseline[pair], scores[pair]) for pair in baseline]
    n, baseline_mean, other_mean, mean, half, p = _berth.paired_difference(pairs)
    direction = _berth.metric_record(metric)[1]
    better = None if not direction or mean == 0 else (mean < 0) == (direction == "lower")
    interval = n > 1
    return Difference(
        n,
        baseline_mean,
        other_mean,
        mean,
        mean - half if interval else None,
        mean + half if interval else None,
        p,
        better,
    )
