#!/usr/bin/env python3
"""Checks the sources against the list in .clang-tidy, with the version that experiments/setup.sh installs.

tidy.py ROOT [BUILD]  prints clang-tidy's `FILE:LINE:COLUMN: error: ...`

Reading the headers takes nearly all of the time. Therefore files are read together, up to sixty at once, as grouped by
together.py; files that do not compile together are read in two halves. BUILD is a build folder, in which the version
is a header. Files without findings are noted in berth/tidy of the user's cache, under a digest of everything that was
read and of this program, and are not read again. Reading everything takes ten to twenty minutes: after four minutes no
further list is begun, and the program says how many are left for the next call. With BERTH_LONG=1 all are read.

Without clang-tidy-19 the check is skipped (status 77); if CI is set, it fails instead.
"""
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from together import batches, read_by

FOLDERS = ("core", "topologies", "sim", "schedulers", "workloads", "experiments")
TOOL = "clang-tidy-19"
AT_ONCE = 60
SECONDS = 240


def sources(root):
    return sorted(file for folder in FOLDERS for file in (root / folder).rglob("*.cpp")
                  if not {"node_modules", "module"} & set(file.parts))  # the module needs headers of Python


def digest(files, root):
    result = hashlib.sha256((root / ".clang-tidy").read_bytes() + Path(__file__).read_bytes())
    result.update(subprocess.run([TOOL, "--version"], stdout=subprocess.PIPE).stdout)
    for file in read_by(files, root):
        result.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes())
    return result.hexdigest()


def told_of(files, root, build):
    """What clang-tidy reports about the files; empty if it finds nothing."""
    with tempfile.TemporaryDirectory() as folder:
        together = Path(folder) / "together.cpp"
        together.write_text("".join(f'#include "{file.relative_to(root)}"\n' for file in files))
        done = subprocess.run(
            [TOOL, "--quiet", "--warnings-as-errors=*", f"--config-file={root / '.clang-tidy'}",
             f"--header-filter={root}/({'|'.join(FOLDERS)})/", str(together), "--", "-std=c++20",
             f"-I{root}", f"-I{build / 'generated'}", "-isystem", "/usr/include/eigen3",
             "-DFMT_SHARED", "-DBOOST_ALL_NO_LIB", "-w"],
            text=True, capture_output=True)
    if done.returncode == 0:
        return ""
    if "[clang-diagnostic-error]" in done.stdout and len(files) > 1:
        return told_of(files[::2], root, build) + told_of(files[1::2], root, build)
    return done.stdout or done.stderr


def main():
    root = Path(sys.argv[1]).resolve()
    build = Path(sys.argv[2] if len(sys.argv) > 2 else root / "build").resolve()
    if shutil.which(TOOL) is None:
        print(f"{TOOL} is not installed: its list was not checked; experiments/setup.sh "
              "--packages-only --for-tests installs it")
        return 1 if os.environ.get("CI") else 77
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "berth" / "tidy"
    cache.mkdir(parents=True, exist_ok=True)
    unknown = {}
    for files in batches(sources(root), root, AT_ONCE):
        name = digest(files, root)
        if not (cache / name).exists():
            unknown[name] = files
    told = ""
    end = None if os.environ.get("BERTH_LONG") else time.monotonic() + SECONDS
    # Sorted by digest, so that it is not always the same folders that are left.
    for read, name in enumerate(sorted(unknown)):
        if end and time.monotonic() > end:
            print(f"{len(unknown) - read} lists of files were not read yet: call it again, or with BERTH_LONG=1")
            break
        found = told_of(unknown[name], root, build)
        told += found
        if not found:
            (cache / name).touch()
    print(told, end="")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
