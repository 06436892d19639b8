"""Points of a sweep in an executor that somebody else wrote: all that it returns is checked."""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
import queue
from collections.abc import Callable, Iterator

from berth import _arguments
from berth._errors import BerthError, InputError, line_of
from berth._scratch import is_file_name

Files = dict[str, bytes]
Point = concurrent.futures.Future[Files]


def misuse(what: str) -> InputError:
    """The error to raise where an executor does not do what executors do."""
    return InputError(f"executor: error: {what}: expected a Future of its own for each point")


def submitted(executor: concurrent.futures.Executor, work: Callable[..., Files], *arguments: object) -> Point:
    """The Future of a call that an executor is given.

    Raises:
        InputError: the executor raised an exception, or returned something else.
    """
    try:
        future: object = executor.submit(work, *arguments)
    except Exception as error:
        raise misuse(f"submit() raised {line_of(error)}") from error
    if not isinstance(future, concurrent.futures.Future):
        raise misuse(f"submit() returned {_arguments.shown(future)}")
    return future


def finished(futures: list[Point]) -> Iterator[Point]:
    """The futures, in the order in which they finish. The list is emptied, so that they go one after the other.

    `concurrent.futures.as_completed` would wait forever for those that a pool cancels when it is shut down.

    Raises:
        InputError: they cannot be waited for.
    """
    ended: queue.SimpleQueue[Point] = queue.SimpleQueue()
    try:
        for future in futures:
            future.add_done_callback(ended.put)
    except Exception as error:
        raise misuse(f"its futures cannot be waited for: {line_of(error)}") from error
    left = {id(future) for future in futures}
    futures.clear()
    while left:
        future = ended.get()
        if id(future) in left:
            left.remove(id(future))
            yield future


def result_of(future: Point, experiment: str) -> Files:
    """The files of the run of this experiment, which a future has.

    Raises:
        BerthError: the run failed, or the future has something else. The message says what the executor did.
    """
    try:
        failure = future.exception()
        files = None if failure else future.result()
    except concurrent.futures.CancelledError:
        raise BerthError("its executor cancelled it") from None
    except Exception as error:
        failure = error
    if isinstance(failure, (BerthError, MemoryError)):
        raise failure
    if failure is not None:  # whatever an executor reports for a worker that is gone
        raise BerthError(f"its worker failed: {line_of(failure)}") from failure
    if files is None or not _are_whole(files):
        raise BerthError(f"its executor gave {_arguments.shown(files)}: expected the files of a run")
    if files["experiment.yaml"] != experiment.encode():
        raise BerthError("its executor gave the files of another run: expected those of this point")
    return files


def _are_whole(files: object) -> bool:
    """Whether these are all the files of a run, as their manifest lists them."""
    if not isinstance(files, dict) or not all(
        is_file_name(name) and isinstance(text, bytes) for name, text in files.items()
    ):
        return False
    try:
        listed = json.loads(files["manifest.json"])["files"]
        return files.keys() == {*listed, "manifest.json", "run.json"} and all(
            hashlib.sha256(files[name]).hexdigest() == digest for name, digest in listed.items()
        )
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
        return False
