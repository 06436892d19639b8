"""Runs: making them, opening those that a command wrote, and reading their results."""

from __future__ import annotations

import difflib
import hashlib
import html
import json
import os
import pathlib
import typing
import warnings
from collections.abc import Mapping

from berth import _arguments, _berth, _experiment, _progress
from berth._errors import InputError, Interrupted, unknown
from berth._scratch import Scratch, is_file_name
from berth._whole_file import whole_file
from berth.scheduler import Hooks, hooks_of, maker, name_of
from berth.table import Table

if typing.TYPE_CHECKING:
    import numpy

    from berth.answers import Binary, Text


class BerthWarning(UserWarning):
    """A warning to read before relying on the results."""


def _table(name: str, rows: str) -> Table:
    """A property that returns a table. Type checkers see it as a table."""
    doc = f"{rows}: docs/reference/run-directory.md.\n\nRaises:\n    InputError: the run has no such table."
    return typing.cast("Table", property(lambda run: run.table(name), doc=doc))


# The values that summary.json has for a metric: numbers, or null.
_FIELDS = ("mean", "sd", "ci95", "min", "max", "n", "at_least", "never_started")


class _Metrics(Table):
    """The metrics of a run, one row for each."""

    def __getitem__(self, name: str) -> numpy.ndarray:
        if _arguments.text("column", name) in self.columns:
            return super().__getitem__(name)
        metrics = list(super().__getitem__("metric"))
        near = difflib.get_close_matches(name, metrics, 1)
        of_metric = f", or run['{near[0]}'] for the mean of that metric" if near else ""
        what, expected = "the table has no such column", f"one of {', '.join(self.columns)}{of_metric}"
        raise unknown(name, what, expected, () if near else self.columns)


class Run:
    """A finished run: its tables, its summary and its files.

    A table is read when it is first asked for, and then kept.

    Example:
        >>> run.tables
        ['metrics', 'censored', 'gpu_time', 'groups', 'jobs', 'nodes', 'pods', 'replications', 'timeseries']
        >>> len(run.jobs)
        20000
        >>> run["no_metric"]
        Traceback (most recent call last):
            ...
        berth._errors.UnknownName: no_metric: error: is no metric of this run: expected one of run.metrics
    """

    def __init__(
        self,
        native: _berth.StoredRun,
        threads: int | None = None,
        keep: Scratch | None = None,
        label: str | None = None,
    ) -> None:
        if not isinstance(native, _berth.StoredRun):
            raise _arguments.wrong("Run", native, "berth.run() or berth.open(), which make one")
        self._native = native
        self._keep = keep  # the temporary folder with its files
        self._label = label
        self._threads = threads
        self._tables: dict[tuple[str, bool], Table] = {}
        self._metrics: Table | None = None
        self._copy: Scratch | None = None

    jobs = _table("jobs", "A row for each job")
    pods = _table("pods", "A row for each pod, where placements are recorded")
    groups = _table("groups", "A row for each group")
    timeseries = _table("timeseries", "A row for each sample")
    replications = _table("replications", "A row for each replication, with a column for each metric")
    censored = _table("censored", "What is known of metrics of which something had not ended")
    nodes = _table("nodes", "A row for each server")
    devices = _table("devices", "A row for each device of each machine type")
    gpu_time = _table("gpu_time", "What the GPUs' time went into")
    quotas = _table("quotas", "A row for each sample, quota and resource")
    quota_changes = _table("quota_changes", "A row for each change of a quota")
    evictions = _table("evictions", "A row for each pod that lost its place")
    admissions = _table("admissions", "A row for each time that a job waited for quota and then held some")
    cluster_queues = _table("cluster_queues", "A row for each resource of each flavor of queues and cohorts")
    failures = _table("failures", "A row for each outage")
    mttf = _table("mttf", "Mean times to failure by size of job")
    drains = _table("drains", "A row for each drain")

    @property
    def tables(self) -> list[str]:
        """The names of the tables that the run has."""
        return ["metrics", *(name[:-4] for name in self._native.names() if name.endswith(".csv"))]

    def table(self, name: str, *, nanoseconds: bool = False) -> Table:
        """One of the run's tables.

        Args:
            nanoseconds: add a column such as `wait_ns` behind each time such as `wait_s`. It has whole numbers, which
                stay exact where seconds do not: beyond 97 days.

        Raises:
            InputError: the run has no such table.

        Example:
            >>> run.table("jobs", nanoseconds=True)["wait_ns"].max()
            np.int64(13034345931789)
        """
        nanoseconds = _arguments.flag("nanoseconds", nanoseconds)
        if _arguments.text("table", name, "the name of a table") == "metrics":
            return self.metrics
        key = (name, nanoseconds)
        if key not in self._tables:
            native = self._native.table(name, self._threads)
            if nanoseconds:
                native.add_nanoseconds()
            self._tables[key] = Table(native)
        return self._tables[key]

    @property
    def metrics(self) -> Table:
        """A row for each metric: mean, spread and 95 % interval over the replications."""
        if self._metrics is None:
            lines = [",".join(["metric", *_FIELDS, "unit", "better"])]
            for name, values in self.summary["metrics"].items():
                unit, better, _ = _berth.metric_record(name)
                numbers = [json.dumps(values[f]) if values.get(f) is not None else "" for f in _FIELDS]
                quoted = '"' + name.replace('"', '""') + '"'
                lines.append(",".join([quoted, *numbers, unit, better]))
            self._metrics = _Metrics(
                _berth.read_csv(
                    "\n".join(lines) + "\n",
                    "metrics",
                    "a row for each metric of summary.json",
                    {"metric": "name", "n": "integer", "unit": "category", "better": "category"},
                )
            )
        return self._metrics

    def file(self, name: str) -> bytes:
        """The bytes of one of the run's files, such as `experiment.yaml`.

        Raises:
            InputError: the run has no such file.
        """
        return self._native.text(_arguments.text("file", name, "the name of a file"))

    @property
    def files(self) -> list[str]:
        """The names of the run's files."""
        return self._native.names()

    @property
    def summary(self) -> dict[str, typing.Any]:
        """The content of summary.json.

        Raises:
            InputError: the file is not what a run writes.
        """
        summary: dict[str, typing.Any] = _summary_of(self._native)
        return summary

    @property
    def name(self) -> str:
        """The experiment's name."""
        return str(self.summary["experiment"])

    @property
    def label(self) -> str:
        """The run's name in a comparison: the experiment's name and, for a point of a sweep, its values."""
        return self._label or self.name

    @property
    def warnings(self) -> list[str]:
        """The warnings to read before relying on the metrics."""
        return list(self.summary.get("warnings", []))

    @property
    def digest(self) -> str:
        """The SHA-256 of the manifest, which lists the SHA-256 of every other file but run.json.

        The same experiment and seed have the same digest on any machine and with any number of threads.
        """
        return hashlib.sha256(self.file("manifest.json")).hexdigest()

    def __getitem__(self, metric: str) -> float:
        """The mean of a metric over the replications.

        Raises:
            InputError, which is also a KeyError: the run has no such metric, or the metric has no mean.
        """
        _arguments.text("metric", metric, "the name of a metric")
        metrics = self.summary["metrics"]
        if metric not in metrics or metrics[metric].get("mean") is None:
            what = "has no mean" if metric in metrics else "is no metric of this run"
            others = [name for name in metrics if name != metric]
            raise unknown(metric, what, "one of run.metrics", others)
        return float(metrics[metric]["mean"])

    @property
    def folder(self) -> pathlib.Path:
        """The folder with the run's files: its directory, or a copy that is removed together with this object."""
        if self._native.folder is not None:
            return pathlib.Path(self._native.folder)
        name = self.name.replace("/", "-")
        name = name if is_file_name(name) else "run"
        if self._copy is None:
            copy = Scratch()
            self.write(copy.path / name)
            self._copy = copy
        return self._copy.path / name

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Writes the run directory that `berth run -o FOLDER` writes.

        Raises:
            InputError: the folder exists and is something else.
            OSError: the folder cannot be written.
        """
        self._native.write(_arguments.path("folder", folder))

    def to_parquet(self, folder: str | os.PathLike[str], *, nanoseconds: bool = False) -> None:
        """Writes each table as FOLDER/NAME.parquet, which needs pyarrow. The folder is created if it does not exist.

        Args:
            nanoseconds: as for table().

        Raises:
            OSError: a file cannot be written.
        """
        place = pathlib.Path(_arguments.path("folder", folder))
        nanoseconds = _arguments.flag("nanoseconds", nanoseconds)
        import pyarrow.parquet

        place.mkdir(parents=True, exist_ok=True)
        for name in self.tables:
            with whole_file(place / f"{name}.parquet") as file:
                pyarrow.parquet.write_table(self.table(name, nanoseconds=nanoseconds).to_arrow(), file)

    @typing.overload
    def plot(self, figure: str = "cluster", format: Text = "svg") -> str: ...
    @typing.overload
    def plot(self, figure: str, format: Binary) -> bytes: ...
    @typing.overload
    def plot(self, figure: str = "cluster", *, format: Binary) -> bytes: ...
    def plot(self, figure: str = "cluster", format: str = "svg") -> str | bytes:
        """A figure of the run; `berth plot --list` names them.

        Args:
            format: text: "svg", or "csv" with the numbers of the figure; bytes: "pdf" or "png".

        Raises:
            InputError: there is no such figure or format, or the run lacks the data for it.
            RuntimeError: Node.js or, for "pdf" and "png", rsvg-convert is missing, or failed.
        """
        from berth.answers import drawn

        name = _arguments.text("figure", figure, "the name of a figure")
        return drawn(lambda out: _berth.plot_run(self.folder, name, out), format)

    def report(self, file: str | os.PathLike[str]) -> None:
        """Writes the run's page for the browser.

        Args:
            file: its name ends in `.html` or `.htm`.

        Raises:
            InputError: the name has the ending of something else.
            OSError: the file cannot be written. A page that was there stays.
        """
        place = pathlib.Path(_arguments.path("file", file))
        is_other = place.exists() and not place.is_file() and not place.is_dir()  # a pipe or a device
        if place.suffix not in (".html", ".htm") and not is_other:
            raise InputError(
                f"{place}: error: a report is a page in HTML: expected a name that ends in .html; plot() draws one "
                "figure"
            )
        page = _berth.report([os.fspath(self.folder)])
        with whole_file(place) as part:
            part.write_text(page, encoding="utf-8")

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr title="{html.escape(meaning)}"><td style="text-align: left">{html.escape(label)}</td>'
            f"<td>{html.escape(value)}</td></tr>"
            for label, value, meaning in _berth.headline(os.fspath(self.folder))
        )
        many = self.summary["replications"]
        after = f", {many} replications with their 95 % interval" if many > 1 else ""
        try:
            drawn = self.plot("cluster")
            drawn = drawn[drawn.index("<svg") :]
        except (InputError, RuntimeError):
            drawn = ""  # without placements, or without Node.js, only the numbers are shown
        told = "".join(f"<li>{html.escape(text)}</li>" for text in self.warnings)
        return (
            f"<p><b>{html.escape(self.name)}</b>{after}</p><table>{rows}</table>"
            + (f"<p>To read first:</p><ul>{told}</ul>" if told else "")
            + drawn
        )

    def __reduce__(self) -> tuple[typing.Any, ...]:
        if self._native.folder is not None and self._keep is None:
            return (open_run, (self._native.folder, None, self._label))
        return (_of_files, ({name: self.file(name) for name in self.files}, self._label))

    def __repr__(self) -> str:
        return f"<berth.Run {self.name}: {self.summary['replications']} replications, {self.digest[:12]}>"


def _summary_of(native: _berth.StoredRun) -> dict[str, typing.Any]:
    """The content of summary.json, checked to have everything that this module reads from it."""

    def check(holds: bool, what: str) -> None:
        if not holds:
            place = "" if native.folder is None else f"{native.folder}/"
            raise InputError(f"{place}summary.json: error: {what}: expected what `berth run` wrote")

    try:
        read: typing.Any = json.loads(native.text("summary.json"))
    except (ValueError, RecursionError):
        read = None
    check(isinstance(read, dict), "no JSON object")
    for key, kind in (("experiment", str), ("replications", int), ("metrics", dict)):
        check(isinstance(read.get(key), kind), f"{key} is {_arguments.shown(read.get(key))}")
    check(isinstance(read.get("warnings", []), list), "warnings is no list")
    for name, values in read["metrics"].items():
        check(isinstance(values, dict), f"metrics.{name} is {_arguments.shown(values)}")
        for key in _FIELDS:
            value = values.get(key)
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            check(value is None or is_number, f"metrics.{name}.{key} is {_arguments.shown(value)}")
    return typing.cast("dict[str, typing.Any]", read)


def _of_files(files: dict[str, bytes], label: str | None = None) -> Run:
    return Run(_berth.StoredRun(files), label=label)


def open_run(folder: str | os.PathLike[str], keep: Scratch | None = None, label: str | None = None) -> Run:
    """Opens a run directory. `keep` is the temporary folder that holds it, if any.

    Raises:
        InputError: the folder is not a run directory.
    """
    return Run(_berth.StoredRun(_arguments.path("folder", folder)), keep=keep, label=label)


def run(
    experiment: _experiment.Experiment,
    seed: int | None = None,
    set: Mapping[str, typing.Any] | None = None,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    *,
    scheduler: object | None = None,
    timeout: float | None = None,
    check_invariants: bool = False,
    progress: _progress.Wanted = None,
    tables: str = "csv",
    compress: str = "none",
    allow_code: bool = False,
) -> Run:
    """Runs an experiment.

    Args:
        experiment: the path of a file, YAML text (with a line break in it), or a dict.
        seed: the seed that replaces `spec.seed`.
        set: changes to the experiment, by path: `{"spec.workload[0].background.load": 0.5}`.
        out: a folder to write the run directory to. Without it, nothing is written.
        threads: threads for replications and for writing; by default one for each CPU, and one where a scheduler in
            Python decides, since Python runs only one thread at a time.
        scheduler: a Scheduler, or its class, which decides instead of the scheduler that the experiment names. Each
            replication has a copy.
        timeout: the seconds that one call of a scheduler in Python may take. A call that takes longer is ended as soon
            as it runs Python code: a call that waits elsewhere, as in `time.sleep`, ends when that returns. To end even
            such a call, use `berth.evaluate`, which ends the whole process.
        check_invariants: after each event, compute the whole state afresh, and fail where it differs.
        progress: None shows a line with the run's progress, in a notebook and in a terminal, if the run takes longer
            than a second; True shows it elsewhere too, False never. A callable is called with a Progress a few times
            a second and at the end.
        tables: "csv" or "arrow": the format in `out` of the tables with a row for each job, pod or sample.
        compress: "none" or "zst": whether those tables are compressed.
        allow_code: run the code that the experiment names (`scheduler: {python: FILE.py:CLASS}`, a library for Batsim),
            with all your rights. It is not needed for the argument `scheduler`, which is your own code.

    Returns:
        the run. The same experiment and seed give the same bytes in every table.

    Warns:
        BerthWarning: each warning that the command would print.

    Raises:
        InputError: the experiment cannot be used as written.
        SchedulerError: the scheduler asked for something impossible, raised an exception, which is the cause of this
            one, or did not answer in time.
        KeyboardInterrupt: Ctrl-C was pressed; nothing is written then.
        OSError: `out` cannot be written.

    Example:
        >>> five = {"spec.topology.spec.levels[server].count": 5}
        >>> round(berth.run(experiment, seed=1, set=five)["job_wait_s_mean"])
        225
    """
    threads = _arguments.threads(threads)
    timeout = _arguments.optional_seconds("timeout", timeout)
    check_invariants = _arguments.flag("check_invariants", check_invariants)
    place = None if out is None else _arguments.path("out", out)
    tables, compress = _arguments.text("tables", tables), _arguments.text("compress", compress)
    if out is None and (tables != "csv" or compress != "none"):
        raise InputError("out: error: not given, so that no tables are written: expected a folder")
    named = None if scheduler is None else name_of(scheduler)
    keep_profile = scheduler is not None and hooks_of(scheduler).any
    loaded = _experiment.load(experiment, seed, set, named, keep_profile=keep_profile)
    loaded.allow_code(_arguments.flag("allow_code", allow_code) or scheduler is not None)
    outside = loaded.scheduler
    make, hooks = maker(outside, scheduler) if outside and outside[0] == "python" else (None, Hooks())
    if make is not None and threads is None:
        threads = 1
    for told in loaded.warnings:
        warnings.warn(told, BerthWarning, stacklevel=2)
    with _progress.shown(progress) as tell:
        native, told_of_run = _berth.run(
            loaded, place, tables, compress, threads, check_invariants, make, hooks.any, hooks.order, timeout, tell
        )
    if native is None:
        raise Interrupted(f"{loaded.name}: interrupted: nothing was written")
    for told in told_of_run:
        if told not in loaded.warnings:
            warnings.warn(f"{loaded.name}: {told}", BerthWarning, stacklevel=2)
    return Run(native, threads)
