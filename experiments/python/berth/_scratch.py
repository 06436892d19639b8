"""Folders that are removed when nothing uses them any more."""

from __future__ import annotations

import pathlib
import shutil
import tempfile
import weakref


class Scratch:
    """A temporary folder that lives as long as this object."""

    def __init__(self) -> None:
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="berth-"))
        weakref.finalize(self, shutil.rmtree, self.path, True)
