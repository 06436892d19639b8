"""Shows how far a run or a sweep is."""

from __future__ import annotations

import contextlib
import html
import inspect
import shutil
import sys
import time
import typing
from collections.abc import Callable, Iterator

from berth._errors import InputError


class Progress(typing.NamedTuple):
    """The progress of a run or a sweep.

    Attributes:
        text: a line for people.
        done, total: replications of a run, or points of a sweep; both are 0 while the total is not known yet.
    """

    text: str
    done: int
    total: int


Wanted = typing.Union[bool, None, Callable[[Progress], object]]
Tell = Callable[[str, int, int], object]


class _Line:
    """A line that appears only after a second, so that short runs show nothing."""

    def __init__(self) -> None:
        self._from = time.monotonic() + 1
        self.is_shown = False

    def tell(self, text: str, done: int, total: int) -> None:
        if time.monotonic() >= self._from:
            self.show(text, done, total)
            self.is_shown = True

    def show(self, text: str, done: int, total: int) -> None:
        raise NotImplementedError

    def clear(self) -> None:
        """Removes the line, which has been shown."""


def _write(text: str) -> None:
    """Writes to standard error, if it is there. A run does not end because nobody can read how far it is."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):  # its disk is full, or somebody has closed it
            sys.stderr.write(text)
            sys.stderr.flush()


class _TerminalLine(_Line):
    def show(self, text: str, done: int, total: int) -> None:
        # If the terminal breaks the line, it cannot be overwritten.
        _write(f"\r\033[K{text[: shutil.get_terminal_size().columns - 1]}")

    def clear(self) -> None:
        _write("\r\033[K")


class _NotebookLine(_Line):
    _handle: typing.Any = None

    def show(self, text: str, done: int, total: int) -> None:
        bar = f'<progress value="{done}" max="{total}"></progress> ' if total else ""
        shown = {"text/plain": text, "text/html": f"<div>{bar}{html.escape(text)}</div>"}
        if self.is_shown:
            self._handle.update(shown, raw=True)
        else:
            from IPython.display import display

            self._handle = display(shown, raw=True, display_id=True)  # type: ignore[no-untyped-call]

    def clear(self) -> None:
        self._handle.update({"text/plain": ""}, raw=True)


class _LogLines(_Line):
    """Lines one below the other, for outputs where a line cannot be overwritten: one every ten seconds."""

    def show(self, text: str, done: int, total: int) -> None:
        _write(f"{text}\n")
        self._from = time.monotonic() + 10


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    return ipython is not None and getattr(ipython.get_ipython(), "kernel", None) is not None


def _in_terminal() -> bool:
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except ValueError:  # somebody has closed it
        return False


def _line(wanted: bool | None) -> _Line | None:
    if wanted is False:
        return None
    if _in_notebook():
        return _NotebookLine()
    if _in_terminal():
        return _TerminalLine()
    return _LogLines() if wanted else None


@contextlib.contextmanager
def shown(wanted: Wanted) -> Iterator[Tell | None]:
    """Yields the function that is told the progress of the work; None: the progress is not shown.

    Args:
        wanted: None shows a line in a notebook and in a terminal, True also elsewhere, False nowhere; a callable is
            called with a Progress.

    Raises:
        InputError: `wanted` is something else, or a function whose calls do nothing by themselves (`async`, `yield`).
    """
    if callable(wanted):
        for called in (wanted, type(wanted).__call__):
            if inspect.iscoroutinefunction(called) or inspect.isasyncgenfunction(called):
                raise InputError("progress: error: an async function: expected one without async")
            if inspect.isgeneratorfunction(called):
                raise InputError("progress: error: a generator: expected a function without yield")
        yield lambda text, done, total: wanted(Progress(text, done, total))
        return
    if wanted is not None and not isinstance(wanted, bool):
        raise InputError(f"progress: error: a {type(wanted).__name__}: expected None, True, False or a callable")
    line = _line(wanted)
    try:
        yield None if line is None else line.tell
    finally:
        if line is not None and line.is_shown:
            line.clear()
