"""Sweeps: an experiment at all combinations of some values."""

from __future__ import annotations

import concurrent.futures
import contextlib
import csv
import functools
import html
import io
import os
import pathlib
import typing
import warnings
from collections.abc import Callable, Generator, Mapping

from berth import _arguments, _berth, _experiment, _progress
from berth._errors import BerthError, InputError, line_of
from berth._executor import Point, finished, misuse, result_of, submitted
from berth._scratch import Scratch, is_file_name
from berth.answers import Binary, Text, drawn
from berth.run import BerthWarning, Run, open_run
from berth.run import run as run_experiment
from berth.table import Table


class SweepError(BerthError, RuntimeError):
    """Points of a sweep failed. The finished points stay in the sweep's directory.

    Attributes:
        failed: (name of the point, what is wrong with it).
    """

    def __init__(self, message: str, failed: list[tuple[str, str]]) -> None:
        super().__init__(message, failed)
        self.failed = failed

    def __str__(self) -> str:
        shown = 10
        lines = [str(self.args[0]), *(f"point {name}: {why}" for name, why in self.failed[:shown])]
        if len(self.failed) > shown:
            lines.append(f"and {len(self.failed) - shown} more")
        return "\n".join(lines)


def _text_of(file: pathlib.Path) -> str:
    """The text of a file in a sweep's directory.

    Raises:
        InputError: the file does not exist or is not text.
    """
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        what = error.strerror if isinstance(error, OSError) else "no text"
        raise InputError(f"{file}: error: {what}: expected the file of a sweep") from None


def _points_of(file: pathlib.Path) -> list[dict[str, str]]:
    """The rows of points.csv.

    Raises:
        InputError: the file is not what a sweep writes.
    """
    try:
        rows = list(csv.DictReader(io.StringIO(_text_of(file)), strict=True))
    except csv.Error as error:
        raise InputError(f"{file}: error: {error}: expected the file of a sweep") from None
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values() or not {"point", "key"} <= row.keys():
            raise InputError(f"{file}:{number}:1: error: a row that lacks columns: expected the file of a sweep")
    return rows


class Sweep:
    """A finished sweep: its points, and the metrics at each of them.

    Attributes:
        folder: its directory.
    """

    def __init__(self, folder: str | os.PathLike[str], keep: Scratch | None = None) -> None:
        self.folder = pathlib.Path(_arguments.path("folder", folder))
        self._keep = keep  # a temporary directory that is removed when nothing uses it any more
        self._points = _points_of(self.folder / "points.csv")

    @property
    def axes(self) -> dict[str, list[str]]:
        """The values of each axis, as text, in the order of their first appearance."""
        names = [name for name in (self._points[0] if self._points else {}) if name not in ("point", "key")]
        return {name: list(dict.fromkeys(point[name] for point in self._points)) for name in names}

    @property
    def points(self) -> list[dict[str, str]]:
        """The values of each point, by axis."""
        return [{axis: point[axis] for axis in self.axes} for point in self._points]

    @property
    def results(self) -> Table:
        """A row for each point and replication, with a column for each axis and each metric."""
        text = _text_of(self.folder / "results.csv")
        types = {axis: "category" for axis, values in self.axes.items() if not all(map(_is_number, values))}
        types.update({"replication": "integer", "seed": "unsigned integer"})
        return Table(
            _berth.read_csv(text, os.fspath(self.folder / "results.csv"), "a row for each point and replication", types)
        )

    def run(self, **values: object) -> Run:
        """The run of one point, given by the values of its axes. An axis that leaves no choice may be omitted.

        Raises:
            InputError: there is no such point, or more than one.
        """
        chosen = ",".join(f"{axis}={_arguments.text_of(axis, value)}" for axis, value in values.items())
        _, folder = _berth.find_run(_arguments.path_and_more("run", f"{self.folder}:{chosen}", "a path"))
        return open_run(folder, self._keep, chosen or None)

    @typing.overload
    def plot(
        self,
        figure: str = "lines",
        metric: str | None = None,
        *,
        x: str | None = None,
        by: str | None = None,
        panel: str | None = None,
        where: Mapping[str, object] | None = None,
        format: Text = "svg",
    ) -> str: ...
    @typing.overload
    def plot(
        self,
        figure: str = "lines",
        metric: str | None = None,
        *,
        x: str | None = None,
        by: str | None = None,
        panel: str | None = None,
        where: Mapping[str, object] | None = None,
        format: Binary,
    ) -> bytes: ...
    def plot(
        self,
        figure: str = "lines",
        metric: str | None = None,
        *,
        x: str | None = None,
        by: str | None = None,
        panel: str | None = None,
        where: Mapping[str, object] | None = None,
        format: str = "svg",
    ) -> str | bytes:
        """A figure of the sweep: docs/reference/report.md.

        Args:
            figure: lines, heat-map, small-multiples or sweep-distributions.
            metric: the metric to show; by default the first one of the results.
            x, by, panel: the axes of the figure, of its lines and of its panels; by default the first axes.
            where: values of axes, by name: only points with these values are shown.
            format: text: "svg", or "csv" with the numbers of the figure; bytes: "pdf" or "png".

        Raises:
            InputError: there is no such figure, metric, axis, value or format.
            RuntimeError: Node.js or, for "pdf" and "png", rsvg-convert is missing, or failed.
        """
        _arguments.text("figure", figure, "the name of a figure")
        for name, value in {"metric": metric, "x": x, "by": by, "panel": panel}.items():
            _arguments.optional_text(name, value)
        values = _arguments.mapping("where", where, "a dict of axes and values")
        chosen = [f"{axis}={_arguments.text_of('where', value)}" for axis, value in values.items()]
        return drawn(lambda out: _berth.plot_sweep(self.folder, figure, metric, x, by, panel, chosen, out), format)

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><td style="text-align: left">{html.escape(axis)}</td>'
            f'<td style="text-align: left">{html.escape(", ".join(values))}</td></tr>'
            for axis, values in self.axes.items()
        )
        try:
            metric = "job_wait_s_mean" if len(set(self.results["job_wait_s_mean"])) > 1 else None
            figure = self.plot(metric=metric)
            figure = figure[figure.index("<svg") :]
        except (InputError, RuntimeError):
            figure = ""  # if nothing varies, or without Node.js, only the axes are shown
        return f"<p>a sweep of {len(self)} points</p><table>{rows}</table>{figure}"

    def __len__(self) -> int:
        return len(self._points)

    def __reduce__(self) -> tuple[typing.Any, ...]:
        if self._keep is None:
            return (Sweep, (os.fspath(self.folder),))
        files = sorted(file for file in self.folder.rglob("*") if file.is_file())
        return (_of_files, ({file.relative_to(self.folder).as_posix(): file.read_bytes() for file in files},))

    def __repr__(self) -> str:
        axes = ", ".join(f"{name} ({len(values)})" for name, values in self.axes.items())
        return f"<berth.Sweep: {len(self)} points over {axes}>"


def _of_files(files: dict[str, bytes]) -> Sweep:
    """A sweep in a temporary folder with these files, by their paths in it."""
    keep = Scratch()
    folder = keep.path / "sweep"
    for name, text in files.items():
        if not all(map(is_file_name, name.split("/"))):
            raise InputError(f"sweep: error: {_arguments.shown(name)}: expected the path of a file in a sweep's folder")
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)
    return Sweep(folder, keep)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _run_point(experiment: str, allow_code: bool) -> dict[str, bytes]:
    """Runs a point, in the current process or in an executor's worker, and returns the files of its run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BerthWarning)  # the files have them
        run = run_experiment(experiment, threads=1, progress=False, allow_code=allow_code)
    return {name: run.file(name) for name in run.files}


Failures = list[tuple[int, str]]
Outcomes = Generator[tuple[int, Callable[[], dict[str, bytes]]], None, None]


def _in_turn(native: _berth.Sweep, points: list[int], allow_code: bool) -> Outcomes:
    """Runs points one after the other in this thread, where Ctrl-C ends them. Python runs one at a time anyway."""
    for point in points:
        yield point, functools.partial(_run_point, native.experiment(point), allow_code)


def _in_executor(
    executor: concurrent.futures.Executor, native: _berth.Sweep, points: list[int], allow_code: bool
) -> Outcomes:
    """Runs points in an executor, and yields them in the order in which they finish."""
    waiting: dict[int, tuple[int, Point]] = {}  # by the id of the future, which need not have a hash
    try:
        for point in points:
            future = submitted(executor, _run_point, native.experiment(point), allow_code)
            if id(future) in waiting:
                raise misuse("submit() returned one Future for two points")
            waiting[id(future)] = point, future
        for done in finished([future for _, future in waiting.values()]):
            # The files of a point need not be kept until all points are done.
            point, _ = waiting.pop(id(done))
            yield point, functools.partial(result_of, done, native.experiment(point))
    finally:
        for _, future in waiting.values():
            with contextlib.suppress(Exception):
                future.cancel()


def _take(native: _berth.Sweep, total: int, outcomes: Outcomes, tell: _progress.Tell | None) -> Failures:
    """Takes the files of each point when it finishes, and returns why points failed."""
    failed: Failures = []
    with contextlib.closing(outcomes):
        for ended, (point, files_of) in enumerate(outcomes, len(native) - total + 1):
            try:
                files = files_of()
            except BerthError as error:
                failed.append((point, str(error) or type(error).__name__))
            except Exception as error:
                failed.append((point, line_of(error)))
            else:
                native.put(point, files)
            if tell is not None:
                tell(f"{native.name}: {ended} of {len(native)} points", ended, len(native))
    return failed


def _run_points(
    native: _berth.Sweep,
    executor: concurrent.futures.Executor | None,
    threads: int,
    allow_code: bool,
    tell: _progress.Tell | None,
) -> Failures:
    """Runs the missing points, and returns why points failed."""
    missing = native.missing()
    if executor is not None:
        return sorted(_take(native, len(missing), _in_executor(executor, native, missing, allow_code), tell))
    in_python = [point for point in missing if native.is_in_python(point)]
    others = [point for point in missing if point not in in_python]
    failed = native.run(others, threads, tell) if others or not in_python else []
    return sorted(failed + _take(native, len(in_python), _in_turn(native, in_python, allow_code), tell))


def sweep(
    sweep: _experiment.Experiment,
    executor: concurrent.futures.Executor | None = None,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    set: Mapping[str, typing.Any] | None = None,
    *,
    progress: _progress.Wanted = None,
    allow_code: bool = False,
) -> Sweep:
    """Runs a sweep.

    Args:
        sweep: the path of a file, YAML text (with a line break in it), or a dict: docs/reference/sweep.md.
        executor: runs the points, with the interface of `concurrent.futures`: a process pool, Dask's
            `client.get_executor()`, an MPI pool. Without it, threads of this process run them; points with a scheduler
            in Python then run one after the other.
        out: the sweep's directory. Points that are finished there are not run again. Without it, the sweep is in a
            temporary directory, which is removed together with the returned object.
        threads: points that run at a time without an executor; by default one for each CPU.
        set: changes to the experiment of all points, by path.
        progress: as for `berth.run`.
        allow_code: as for `berth.run`.

    Raises:
        InputError: the sweep cannot be used as written.
        SweepError: some points failed; the others are done.

    Example:
        >>> _ = pathlib.Path("lab.yaml").write_text(experiment)
        >>> servers = {"name": "servers", "path": "spec.topology.spec.levels[server].count", "values": [4, 5]}
        >>> spec = {"experiment": {"file": "lab.yaml"}, "axes": [servers], "replications": 2}
        >>> swept = berth.sweep({"apiVersion": "berth/v1", "kind": "Sweep", "metadata": {"name": "s"}, "spec": spec})
        >>> swept
        <berth.Sweep: 2 points over servers (2)>
        >>> swept.run(servers=5).summary["replications"]
        2
    """
    at_a_time = _arguments.threads(threads) or os.cpu_count() or 1
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise _arguments.wrong("executor", executor, "one with submit(), or None")
    changed = _experiment.overrides(None, set)
    keep = None
    if out is None:
        keep = Scratch()
        out = keep.path / "sweep"
    place = _arguments.path("out", out)
    if isinstance(sweep, Mapping):
        native = _berth.Sweep.of_text(_experiment.as_text(sweep, "sweep"), changed, place)
    elif isinstance(sweep, str) and "\n" in sweep:
        native = _berth.Sweep.of_text(_arguments.text("sweep", sweep), changed, place)
    else:
        file = _arguments.path("sweep", sweep, "a path, YAML text or a dict")
        native = _berth.Sweep.of_file(file, changed, place)
    allow_code = _arguments.flag("allow_code", allow_code)
    native.allow_code(allow_code)
    with _progress.shown(progress) as tell:
        for told in native.prepare(at_a_time, tell):
            warnings.warn(told, BerthWarning, stacklevel=2)
        failed = _run_points(native, executor, at_a_time, allow_code, tell)
    missed = native.collect()
    if failed or missed:
        what = "failed" if failed else "miss what is expected"
        named = [(native.point_name(point), reason) for point, reason in failed or missed]
        raise SweepError(f"{native.name}: {len(named)} of {len(native)} points {what}", named)
    return Sweep(place, keep)


def open_folder(folder: str | os.PathLike[str]) -> Run | Sweep:
    """Opens what a command wrote: a run directory as a Run, and a sweep's directory as a Sweep.

    Raises:
        InputError: the folder is neither.

    Example:
        >>> run.write("out")
        >>> berth.open("out").digest == run.digest
        True
    """
    place = _arguments.path("folder", folder)
    return Sweep(place) if _berth.is_sweep_directory(place) else open_run(place)
