"""Executors that do not do what executors do: a sweep says what they did, and leaves whole points or none."""

import concurrent.futures
import hashlib
import json
import pathlib
import threading
import typing
import warnings
from collections.abc import Callable, Iterator

import berth
import pytest
from experiments_of_tests import queue

Future = concurrent.futures.Future

SWEEP = {
    "apiVersion": "berth/v1",
    "kind": "Sweep",
    "metadata": {"name": "points"},
    "spec": {
        "experiment": queue(replications=1, until="60s"),
        "axes": [{"name": "first", "path": "spec.seed", "values": [1, 2, 3]}],
    },
}


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", berth.BerthWarning)
        yield


def done(result: object) -> Future:
    future: Future = Future()
    future.set_result(result)
    return future


def failed(error: BaseException) -> Future:
    future: Future = Future()
    future.set_exception(error)
    return future


class Executor:
    """Runs a point at once, and lets `answer` make a Future of its files. `answers` counts the points before."""

    def __init__(self, answer: Callable[[dict[str, bytes], int], object]) -> None:
        self.answer = answer
        self.answers = 0

    def submit(self, work: Callable[..., dict[str, bytes]], *arguments: object) -> object:
        self.answers += 1
        return self.answer(work(*arguments), self.answers - 1)


def raises(error: BaseException) -> typing.NoReturn:
    raise error


def cancelled() -> Future:
    future: Future = Future()
    future.cancel()
    future.set_running_or_notify_cancel()
    return future


class Unmade(Future):
    def __init__(self) -> None:
        pass


class Lies(Future):
    def result(self, timeout: float | None = None) -> object:
        raise LookupError("none")


def lies() -> Future:
    future: Future = Lies()
    Future.set_result(future, {})
    return future


def changed(files: dict[str, bytes], **others: object) -> Future:
    return done({**files, **{name.replace("_", "."): text for name, text in others.items()}})


def with_file(files: dict[str, bytes], name: str) -> dict[str, bytes]:
    """Files of a run, with one more that the manifest lists."""
    manifest = json.loads(files["manifest.json"])
    manifest["files"][name] = hashlib.sha256(b"text").hexdigest()
    return {**files, name: b"text", "manifest.json": json.dumps(manifest).encode()}


ELSEWHERE = ("../../../../elsewhere", "/elsewhere", "a/b", "..", ".", "", "a\0b", "a/", "x" * 300, "\ud800")

ONE = done({})
FIRST: list[dict[str, bytes]] = []


def first(files: dict[str, bytes], number: int) -> Future:
    FIRST[number:] = [files]
    return done(FIRST[0])


# What an executor does, and what the one error says then.
MISUSED = {
    "returns None": (lambda files, _: None, r"submit\(\) returned None"),
    "returns the files": (lambda files, _: files, r"submit\(\) returned {'"),
    "returns what is no Future": (lambda files, _: object(), r"submit\(\) returned <object"),
    "returns the class": (lambda files, _: Future, r"submit\(\) returned <class"),
    "raises": (lambda files, _: raises(RuntimeError("shut down")), r"submit\(\) raised RuntimeError: shut down"),
    "raises at the last": (
        lambda files, number: raises(LookupError()) if number == 2 else done(files),
        r"submit\(\) raised LookupError",
    ),
    "returns one Future for all": (lambda files, _: ONE, r"submit\(\) returned one Future for two points"),
    "returns a Future without a state": (lambda files, _: Unmade(), "its futures cannot be waited for: "),
}

FAILED = {
    "gives None": (lambda files, _: done(None), "its executor gave None: expected the files of a run"),
    "gives a number": (lambda files, _: done(7), "its executor gave 7: expected the files of a run"),
    "gives no files": (lambda files, _: done({}), "its executor gave {}: expected the files of a run"),
    "gives texts": (lambda files, _: changed(files, run_json="text"), "expected the files of a run"),
    "gives a file less": (
        lambda files, _: done({name: text for name, text in files.items() if name != "run.json"}),
        "expected the files of a run",
    ),
    "gives a file more": (lambda files, _: changed(files, a_txt=b"text"), "expected the files of a run"),
    "gives a changed file": (lambda files, _: changed(files, jobs_csv=b"job\n"), "expected the files of a run"),
    "gives a changed manifest": (lambda files, _: changed(files, manifest_json=b"[]"), "expected the files of a run"),
    "gives no manifest": (lambda files, _: changed(files, manifest_json=b"{"), "expected the files of a run"),
    "gives names that are no texts": (lambda files, _: done({**files, 7: b""}), "expected the files of a run"),
    **{
        f"gives a file with the name {name[:30]!r}": (
            lambda files, _, name=name: done(with_file(files, name)),
            "expected the files of a run",
        )
        for name in ELSEWHERE
    },
    "cancels": (lambda files, _: cancelled(), "its executor cancelled it"),
    "raises": (lambda files, _: failed(OSError("gone")), "its worker failed: OSError: gone"),
    "raises without a text": (lambda files, _: failed(OSError()), "its worker failed: OSError"),
    "has no memory": (lambda files, _: failed(MemoryError()), "MemoryError"),
    "raises an error of berth without a text": (lambda files, _: failed(berth.BerthError()), "BerthError"),
    "raises SystemExit": (lambda files, _: failed(SystemExit(3)), "its worker failed: SystemExit: 3"),
    "raises KeyboardInterrupt": (lambda files, _: failed(KeyboardInterrupt()), "its worker failed: KeyboardInterrupt"),
    "gives a Future without a result": (lambda files, _: lies(), "its worker failed: LookupError: none"),
}


def points_of(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted((folder / "points").glob("*")) if folder.exists() else []


@pytest.mark.parametrize("what", MISUSED)
def test_an_executor_that_is_none(what: str, tmp_path: pathlib.Path) -> None:
    answer, said = MISUSED[what]
    with pytest.raises(berth.InputError, match=rf"^executor: error: .*{said}.*: expected a Future of its own"):
        berth.sweep(SWEEP, Executor(answer), out=tmp_path / "out")  # type: ignore[arg-type]
    assert points_of(tmp_path / "out") == []
    assert len(berth.sweep(SWEEP, out=tmp_path / "out")) == 3


@pytest.mark.parametrize("what", FAILED)
def test_points_that_fail(what: str, tmp_path: pathlib.Path) -> None:
    answer, said = FAILED[what]
    for of in (lambda number: True, lambda number: number == 1):
        executor = Executor(lambda files, number, of=of: answer(files, number) if of(number) else done(files))
        with pytest.raises(berth.SweepError) as caught:
            berth.sweep(SWEEP, executor, out=tmp_path / "out")  # type: ignore[arg-type]
        assert caught.value.failed and all(said in why for _, why in caught.value.failed)
        assert len(points_of(tmp_path / "out")) == 3 - len(caught.value.failed)
    assert len(caught.value.failed) == 1
    assert len(berth.open(tmp_path / "out").results) == 2


def test_pickled_runs_with_files_elsewhere(tmp_path: pathlib.Path) -> None:
    made = berth.run(SWEEP["spec"]["experiment"])  # type: ignore[index]
    files = {name: made.file(name) for name in made.files}
    make, _ = made.__reduce__()
    for name in ELSEWHERE[:-2]:
        forged = make(with_file(files, name))
        for write in (lambda forged=forged: forged.write(tmp_path / "a" / "b"), lambda forged=forged: forged.folder):
            with pytest.raises(berth.InputError, match=r"is no name of a file: expected one without '/'$"):
                write()
    assert list(tmp_path.iterdir()) == []
    forged = make({**files, "summary.json": files["summary.json"].replace(b'"queue"', b'".."')})
    assert forged.folder.is_dir() and forged.folder.name == "run"


def test_files_of_other_points(tmp_path: pathlib.Path, command: Callable[..., str]) -> None:
    with pytest.raises(berth.SweepError) as caught:
        berth.sweep(SWEEP, Executor(first), out=tmp_path / "out")  # type: ignore[arg-type]
    assert len(caught.value.failed) == 2
    assert all("its executor gave the files of another run" in why for _, why in caught.value.failed)
    assert len(points_of(tmp_path / "out")) == 1
    berth.sweep(SWEEP, out=tmp_path / "out")
    command("verify", tmp_path / "out")


def test_an_executor_that_has_ended(tmp_path: pathlib.Path) -> None:
    for made in (concurrent.futures.ThreadPoolExecutor, concurrent.futures.ProcessPoolExecutor):
        executor = made(1)
        executor.shutdown()
        with pytest.raises(berth.InputError, match=r"submit\(\) raised RuntimeError: cannot schedule new futures"):
            berth.sweep(SWEEP, executor, out=tmp_path / "out")
        with pytest.raises(berth.InputError, match=r"submit\(\) raised "):
            berth.sweep(SWEEP, made, out=tmp_path / "out")  # type: ignore[arg-type]


class OneAtATime(concurrent.futures.ThreadPoolExecutor):
    """Runs one point, and the others once `goes_on` is set."""

    def __init__(self) -> None:
        super().__init__(1)
        self.goes_on = threading.Event()

    def submit(self, *work: typing.Any, **more: typing.Any) -> Future:
        future = super().submit(*work, **more)
        super().submit(self.goes_on.wait, 60)
        return future


def test_points_that_are_cancelled_while_they_wait(tmp_path: pathlib.Path) -> None:
    with OneAtATime() as executor:
        tells = []

        def tell(progress: berth.Progress) -> None:
            tells.append(progress)
            if progress.done == 1:
                executor.shutdown(wait=False, cancel_futures=True)
                executor.goes_on.set()

        with pytest.raises(berth.SweepError) as caught:
            berth.sweep(SWEEP, executor, out=tmp_path / "out", progress=tell)
    assert len(caught.value.failed) == 2
    assert all("its executor cancelled it" in why for _, why in caught.value.failed)
    assert tells[-1].done == 3


def test_an_error_that_ends_the_sweep_leaves_whole_points(tmp_path: pathlib.Path) -> None:
    def tell(progress: berth.Progress) -> None:
        if progress.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        berth.sweep(SWEEP, Executor(lambda files, _: done(files)), out=tmp_path / "out", progress=tell)  # type: ignore[arg-type]
    assert len(points_of(tmp_path / "out")) == 2
    assert all((point / "run.json").exists() for point in points_of(tmp_path / "out"))
