"""Folders that are removed when nothing uses them any more."""

from __future__ import annotations

import os
import pathlib
import shutil
import tempfile
import weakref


def is_file_name(name: object) -> bool:
    """Whether this is the name of a file in a folder, and leads nowhere else."""
    if not isinstance(name, str) or name in ("", ".", "..") or "/" in name or "\0" in name:
        return False
    try:
        return len(os.fsencode(name)) <= 255
    except UnicodeEncodeError:
        return False


def _remove(path: pathlib.Path, process: int) -> None:
    """Removes a folder, but not in a forked copy of the process that made it and still uses it."""
    if os.getpid() == process:
        shutil.rmtree(path, ignore_errors=True)


class Scratch:
    """A temporary folder that lives as long as this object."""

    def __init__(self) -> None:
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="berth-"))
        weakref.finalize(self, _remove, self.path, os.getpid())
