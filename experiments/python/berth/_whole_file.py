"""Files that appear as a whole or not at all."""

from __future__ import annotations

import contextlib
import os
import pathlib
import secrets
from collections.abc import Iterator


@contextlib.contextmanager
def whole_file(file: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yields the path of a new file beside `file`, which takes its place at the end, unless an exception is raised.

    A link stays a link, and its target is written. What is no regular file, such as a pipe, is written in place.

    Raises:
        OSError: it cannot be put there.
    """
    if file.exists() and not file.is_file():
        yield file
        return
    target = pathlib.Path(os.path.realpath(file))
    part = target.with_name(f".berth-{secrets.token_hex(4)}.part")
    try:
        yield part
        with part.open("rb") as written:
            os.fsync(written.fileno())
        part.replace(target)
    except OSError as error:
        if error.filename == os.fspath(part):
            error.filename, error.filename2 = os.fspath(file), None  # nobody knows the other name
        raise
    finally:
        part.unlink(missing_ok=True)
