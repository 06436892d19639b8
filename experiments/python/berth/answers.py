"""Questions about finished runs: how they differ, why a pod waited, what they look like."""

from __future__ import annotations

import json
import os
import pathlib
import tempfile
import typing
import warnings
from collections.abc import Callable, Iterable, Mapping

from berth import _arguments, _berth, _experiment
from berth._errors import InputError, Interrupted, line_of
from berth.run import BerthWarning, Run
from berth.table import Table

AnyRun = typing.Union[Run, str, "os.PathLike[str]"]


class Answer:
    """An answer of a command: a text for people, and the same answer as data.

    Attributes:
        data: the JSON that the command writes.
    """

    def __init__(self, data: dict[str, typing.Any], text: str) -> None:
        self.data = data
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        import html

        # Some notebooks have no fixed-width font for <pre>, and the columns need one.
        return (
            f'<pre style="font-family: monospace; line-height: 1.3; overflow-x: auto">{html.escape(self._text)}</pre>'
        )


class Comparison(Answer):
    """Runs compared with the first of them, replications paired by seed: docs/reference/compare.md."""

    def __init__(self, data: dict[str, typing.Any], csv: str, text: str) -> None:
        super().__init__(data, text)
        self._csv = csv

    @property
    def metrics(self) -> Table:
        """A row for each metric of each run: both means, their difference with its interval, and a verdict."""
        names = {"baseline": "category", "run": "category", "metric": "name", "pairs": "integer"}
        words = {"better": "category", "verdict": "category"}
        return Table(_berth.read_csv(self._csv, "comparison", "a row for each metric of each run", {**names, **words}))

    def verdict(self, metric: str, run: str | None = None) -> str:
        """The verdict on a metric: better, worse, higher, lower, equal, no difference shown, ...

        Raises:
            InputError: the metric or the run is not in the comparison.
        """
        _arguments.text("metric", metric)
        _arguments.optional_text("run", run)
        for compared in self.data["comparisons"]:
            if run is None or compared["run"] == run:
                for row in compared["metrics"]:
                    if row["metric"] == metric:
                        return str(row["verdict"])
        raise InputError(f"{metric}: error: it was not compared: expected one of comparison.metrics")


def _located(name: str, runs: Iterable[AnyRun]) -> list[tuple[str, str]]:
    """Labels and folders of the runs. If a label occurs before, a number is added to it."""
    located: list[tuple[str, str]] = []
    for run in runs:
        if isinstance(run, Run):
            label, folder = run.label, os.fspath(run.folder)
        elif isinstance(run, (str, os.PathLike)):
            label, place = _berth.find_run(_arguments.path_and_more(name, run, "a path"))
            folder = os.fspath(place)
        else:
            raise _arguments.wrong(name, run, "a Run or a run directory")
        same = sum(1 for other, _ in located if other == label or other.startswith(f"{label} ("))
        located.append((f"{label} ({same + 1})" if same else label, folder))
    return located


def compare(
    baseline: AnyRun,
    *others: AnyRun,
    metrics: Iterable[str] = (),
    all: bool = False,
) -> Comparison:
    """Compares runs with the first of them, with replications paired by seed.

    Args:
        baseline, others: Runs, run directories, or points of a sweep as `SWEEPDIR:axis=value,...`.
        metrics: show only these, with the verdicts that they have among all metrics; empty: show all.
        all: show every metric in the text, including those without a difference.

    Raises:
        InputError: one of them is not a run, or the runs have no seed or no pod in common.

    Example:
        >>> five = berth.run(experiment, seed=1, set={"spec.topology.spec.levels[server].count": 5})
        >>> berth.compare(run, five, metrics=["job_wait_s_mean"]).verdict("job_wait_s_mean")
        'better'
    """
    if not others:
        raise InputError("compare: error: one run: expected two or more")
    wanted, everything = _arguments.texts("metrics", metrics), _arguments.flag("all", all)
    data, csv, text = _berth.compare(_located("compare", (baseline, *others)), wanted, everything)
    return Comparison(json.loads(data), csv, text)


def why(run: AnyRun, job: str, replication: int | None = None) -> Answer:
    """Tells what happened to a pod, a job or a group, and why it waited: docs/reference/why.md.

    The run is computed again and watched.

    Args:
        run: a Run, or its directory.
        job: its name as in the tables.
        replication: the replication to look at; by default the first one that has such a job.

    Raises:
        InputError: there is no such job; the message names the nearest.

    Example:
        >>> print(str(berth.why(run, "generate-8")).splitlines()[1])
          It waited 10 min 34 s: its one failed attempt stopped at filter.
    """
    name = _arguments.text("job", job, "the name of a job")
    number = _arguments.optional_whole("replication", replication, 0, 2**32 - 1)
    ((_, folder),) = _located("run", (run,))
    answer = _berth.why(folder, name, number)
    if answer is None:
        raise Interrupted(f"{job}: interrupted: no answer")
    data, text = answer
    return Answer(json.loads(data), text)


class PageAnswer(Answer):
    """An answer that is also a page."""

    def __init__(self, data: dict[str, typing.Any], text: str, page: str) -> None:
        super().__init__(data, text)
        self._page = page

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the page, which is complete in itself, to a file.

        Raises:
            InputError: the file cannot be written.
        """
        path = _arguments.path("file", file)
        try:
            pathlib.Path(path).write_text(self._page, encoding="utf-8")
        except (OSError, ValueError) as error:
            raise InputError(f"{path}: error: {line_of(error)}: expected to be able to write there") from None


def _page_answer(name: str, answer: tuple[str, str, str, list[str]] | None) -> PageAnswer:
    if answer is None:
        raise Interrupted(f"{name}: interrupted: no answer")
    data, text, page, told = answer
    for warning in told:
        warnings.warn(warning, BerthWarning, stacklevel=3)
    return PageAnswer(json.loads(data), text, page)


def forecast(
    state: AnyRun,
    *,
    at: str | None = None,
    job: str | os.PathLike[str] | None = None,
    history: str | os.PathLike[str] | None = None,
    format: str | None = None,
    nodes: str | os.PathLike[str] | None = None,
    lenient: bool = False,
    check: int = 0,
    replications: int = 100,
    seed: int = 1,
    horizon: str = "30d",
    threads: int | None = None,
) -> PageAnswer:
    """Tells when waiting jobs start, with 10, 50 and 90 % of the chances: docs/reference/forecast.md.

    Args:
        state: a Run or its directory; or the file of an experiment with `running`, of what kubectl lists, or of what
            Slurm lists of its jobs.
        at: of a run, the moment from which to look ahead, such as "5d".
        job: the file of a job that is only proposed, or the name of one that waits.
        history: for a state, a trace of the jobs of the past.
        format: the format of `history`; by default what its beginning looks like.
        nodes: for Slurm's jobs, what `scontrol show node -o` prints.
        lenient: leave out what a list has of jobs that cannot be placed; otherwise it is refused.
        check: of a run, how many past moments are forecast, too, and compared with what came.
        replications, seed: how often the future is drawn, and the seed.
        horizon: how far to look ahead.
        threads: by default one for each CPU.

    Raises:
        InputError: something cannot be read, or does not go together.

    Example:
        >>> [job] = berth.forecast(run, at="10h", replications=20).data["jobs"]
        >>> job["start_s"]["p10"] < job["start_s"]["p50"] < job["start_s"]["p90"]
        True
    """
    folder = _located("state", (state,))[0][1] if isinstance(state, Run) else _arguments.path("state", state)
    answer = _berth.forecast(
        os.fspath(folder),
        None if nodes is None else _arguments.path("nodes", nodes),
        _arguments.flag("lenient", lenient),
        _arguments.optional_text("at", at),
        None if job is None else _arguments.path("job", job),
        None if history is None else _arguments.path("history", history),
        _arguments.optional_text("format", format),
        _arguments.whole("check", check, 0, 100_000),
        _arguments.whole("replications", replications, 9, 10_000),
        _arguments.whole("seed", seed, 0, 2**53),
        _arguments.text("horizon", horizon),
        _arguments.threads(threads),
    )
    return _page_answer("forecast", answer)


def calibrate(
    experiment: _experiment.Experiment,
    *,
    explain: int = 10,
    set: Mapping[str, typing.Any] | None = None,
    threads: int | None = None,
) -> PageAnswer:
    """Tells how near an experiment comes to the starts that its traces recorded: docs/reference/calibrate.md.

    Args:
        experiment: a file, YAML text or a dict, as for `run`.
        explain: of how many of the jobs that differ most to tell why they waited.
        set: changes of the experiment, by path.
        threads: by default one for each CPU.

    Raises:
        InputError: the experiment is wrong, or no trace of it says when jobs started.

    Example:
        >>> month = berth.run(experiment, seed=1, set={"spec.replications": 1})  # it plays the part of a recording
        >>> columns = {"name": "job", "submit": "submit_s", "start": "start_s", "finish": "finish_s"}
        >>> columns["gpus"] = "demand_nvidia_com_gpu"
        >>> trace = {"format": "csv", "file": str(month.folder / "jobs.csv"), "columns": columns}
        >>> berth.calibrate(experiment, set={"spec.workload": [{"trace": trace}]}).data["headline"]
        'mean wait as recorded, to half a percent; 100 % of 2000 jobs start within 10 min of the recorded start'
    """
    loaded = _experiment.load(experiment, None, set)
    number = _arguments.whole("explain", explain, 0, 1000)
    return _page_answer("calibrate", _berth.calibrate(loaded, number, _arguments.threads(threads)))


Text = typing.Literal["svg", "csv"]
Binary = typing.Literal["pdf", "png"]


def drawn(write: Callable[[str], None], format: str) -> str | bytes:
    """The content of the file that `write` writes: text for SVG and CSV, bytes for the other formats.

    Raises:
        InputError: there is no such format. Errors of `write`, which are InputError and RuntimeError, pass through.
    """
    known = (*typing.get_args(Text), *typing.get_args(Binary))
    if _arguments.text("format", format) not in known:
        raise InputError(f"format: error: unknown format {format!r}: expected one of {', '.join(known)}")
    with tempfile.TemporaryDirectory(prefix="berth-") as place:
        out = pathlib.Path(place) / f"figure.{format}"
        write(os.fspath(out))
        return out.read_text(encoding="utf-8") if format in typing.get_args(Text) else out.read_bytes()
