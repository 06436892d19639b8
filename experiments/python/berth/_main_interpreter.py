"""berth works in the main interpreter alone: importing this module fails in all others of a process.

In another one, the C++ module would be the main interpreter's, and a call from it into Python would wait forever.
"""

import importlib


def _is_main() -> bool:
    for name in ("_interpreters", "_xxsubinterpreters"):  # since Python 3.13, and before
        try:
            interpreters = importlib.import_module(name)
        except ImportError:
            continue
        return bool(interpreters.get_current() == interpreters.get_main())
    return True  # this Python makes no others


if not _is_main():
    raise ImportError(
        "berth works in the main interpreter alone: expected processes, such as those of multiprocessing, instead of "
        "sub-interpreters"
    )
