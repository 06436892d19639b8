"""No argument of the package, and no value returned by a callback, leads to an error text that is not berth's own."""

import copy
import inspect
import json
import pathlib
import pickle
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable

import berth
import berth.gym
import pytest
from berth import _errors
from experiments_of_tests import queue
from wrong_arguments import CALLS, SMALL, SWEEP

# They hold what they are given, and only berth creates them.
RECORDS = ("Answer", "Column", "Comparison", "Difference", "Evaluation", "PageAnswer", "Progress", "Scheduler")


def public_methods(kind: type) -> list[str]:
    """The methods of a class that take arguments and are written by berth."""
    found = []
    for name, method in inspect.getmembers(kind, inspect.isroutine):
        of_berth = str(getattr(method, "__module__", None) or getattr(kind, "__module__", "")).startswith("berth")
        if (name.startswith("_") and name not in ("__getitem__", "__arrow_c_stream__")) or not of_berth:
            continue
        if kind.__module__ == "berth._berth" or len(inspect.signature(method).parameters) > 1:
            found.append(name)
    return found


def public_calls() -> set[str]:
    """All functions, classes and methods of the package that take arguments."""
    found = set()
    spaces = {"": [getattr(berth, name) for name in berth.__all__ if name != "__version__"]}
    spaces["gym."] = [berth.gym.Cluster, berth.gym.ClusterVector]
    for space, values in spaces.items():
        for value in values:
            if not inspect.isclass(value):
                found.add(space + ("open" if value is berth.open else value.__name__))
            elif not issubclass(value, (Exception, Warning)):
                if value.__name__ not in RECORDS:
                    found.add(space + value.__name__)
                if not issubclass(value, tuple):
                    found |= {f"{space}{value.__name__}.{name}" for name in public_methods(value)}
    return found - {"gym.ClusterVector.close_extras"}  # it ignores all of its arguments


def test_every_call_is_tried() -> None:
    assert public_calls() - CALLS.keys() == set()


@pytest.mark.parametrize("name", CALLS)
def test_wrong_arguments(name: str) -> None:
    script = pathlib.Path(__file__).with_name("wrong_arguments.py")
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", script, name], capture_output=True, text=True, timeout=400
    )
    how = signal.Signals(-done.returncode).name if done.returncode < 0 else ""
    assert (done.returncode, done.stdout.strip()) == (0, ""), f"{how} {done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("timeout", (0, -1, 0.0, float("nan"), float("inf"), float("-inf"), "1", True, 1e300))
def test_timeouts_that_are_none(timeout: object) -> None:
    with pytest.raises(berth.InputError, match=r"timeout: error: .*: expected seconds: more than 0"):
        berth.run(SMALL, timeout=timeout)  # type: ignore[arg-type]


def raised(call: Callable[[], object]) -> Exception:
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("it raised nothing")


def test_exceptions_can_be_copied_and_pickled() -> None:
    run = berth.run(SMALL)
    errors = [
        kind("a text") for kind in vars(_errors).values() if inspect.isclass(kind) and issubclass(kind, BaseException)
    ]
    errors += [
        raised(lambda: run["job_wait_mean"]),
        raised(lambda: run.jobs["wait"]),
        raised(lambda: run.metrics["job_wait_s_mean"]),
        raised(lambda: berth.run("a: [\n")),
        raised(lambda: berth.run(SMALL, seed=-1)),
        raised(lambda: berth.run(SMALL, scheduler=type("Raises", (berth.Scheduler,), {"schedule": lambda self: 0}))),
        berth.SweepError("2 of 3 points failed", [("a=1", "no"), ("a=2", "never")]),
        berth.BerthWarning("a text"),
    ]
    assert {type(error).__name__ for error in errors} > {"UnknownName", "InputError", "SchedulerError", "SweepError"}
    for error in errors:
        copies = [copy.copy(error), copy.deepcopy(error)]
        copies += [pickle.loads(pickle.dumps(error, version)) for version in range(pickle.HIGHEST_PROTOCOL + 1)]
        for other in copies:
            assert type(other) is type(error)
            assert (str(other), other.args, vars(other)) == (str(error), error.args, vars(error))


def written(folder: pathlib.Path) -> pathlib.Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        berth.run(SMALL, out=folder)
    return folder


def test_damaged_summaries(tmp_path: pathlib.Path) -> None:
    folder = written(tmp_path / "run")
    sound = json.loads((folder / "summary.json").read_text())
    metric = next(iter(sound["metrics"]))
    texts = ["", "{", "[]", "7", "\udcff", "[" * 10000]
    texts += [json.dumps({**sound, key: value}) for key in sound for value in (None, 7, "text", [], {}, {"a": 1}, [1])]
    for key in sound["metrics"][metric]:
        for value in ("text", [], {}, True):
            changed = {**sound["metrics"], metric: {**sound["metrics"][metric], key: value}}
            texts.append(json.dumps({**sound, "metrics": changed}))
    refused = 0
    for text in texts:
        (folder / "summary.json").write_bytes(text.encode(errors="surrogateescape"))
        damaged = berth.open(folder)
        for look in (
            lambda run: run.summary,
            lambda run: run.metrics,
            lambda run: run.name,
            lambda run: run.warnings,
            lambda run: run["job_wait_s_mean"],
            lambda run: repr(run),
            lambda run: run._repr_html_(),
            lambda run: berth.compare(run, run),
        ):
            try:
                look(damaged)
            except berth.InputError as error:
                assert "expected" in str(error), (text, error)
                refused += 1
    assert refused > 100
    (folder / "summary.json").write_text("{")
    with pytest.raises(berth.InputError, match=r"run/summary.json: error: no JSON object: expected"):
        berth.open(folder)["job_wait_s_mean"]


def test_damaged_sweeps(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "sweep"
    berth.sweep(SWEEP, out=folder)
    for name in ("points.csv", "results.csv"):
        sound = (folder / name).read_bytes()
        for text in (None, b"", b"\xff\xfe", b"a,b\n1\n", b"point,key,cpu\n1,2\n", b'point,key\n"', b"a\0b\n1\n"):
            (folder / name).unlink()
            if text is not None:
                (folder / name).write_bytes(text)
            for look in (
                lambda sweep: sweep.results,
                lambda sweep: sweep.axes,
                lambda sweep: sweep.points,
                lambda sweep: sweep.run(cpu=1),
                lambda sweep: sweep.plot(),
                repr,
            ):
                try:
                    look(berth.Sweep(folder))
                except berth.InputError as error:
                    assert "expected" in str(error), (name, text, error)
            (folder / name).touch()
        (folder / name).write_bytes(sound)


def test_what_a_scheduler_raises_says_where() -> None:
    class Raises(berth.Scheduler):
        def score(self, pod: berth.Pod, view: berth.ProfileView) -> None:
            raise LookupError("no")

    class Tells(berth.Scheduler):
        def schedule(self, view: berth.View, act: berth.Act) -> None:
            pass

        def submitted(self, job: berth.Job) -> None:
            raise LookupError("no")

    class Unmade(Tells):
        def __init__(self) -> None:
            raise LookupError("no")

    place = r"\(test_arguments.py, line \d+\)"
    for scheduler, said in (
        (Raises, rf"at [0-9.]+ s: pod 'generate-0': score\(\) of Raises raised LookupError: no {place}"),
        (Tells, rf"at [0-9.]+ s: job 'generate-0': submitted\(\) of Tells raised LookupError: no {place}"),
        (Unmade, rf"replication 0: the scheduler cannot be made: LookupError: no {place}"),
    ):
        with pytest.raises(berth.SchedulerError, match=said):
            berth.run(queue(), scheduler=scheduler)
