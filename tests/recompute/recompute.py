#!/usr/bin/env python3
"""Recomputes every metric of run directories from their files alone, and says what differs.

usage: recompute.py [--intact] [--least N] DIR...
       recompute.py --untold

A DIR is a run directory, or a folder with run directories below it. Exit status 0: there are no findings; 1: there are
findings; 2: there is no run directory. --intact skips directories whose files differ from their manifest: tests damage
them on purpose. With --least, there have to be that many different directories. --untold lists what the files cannot
tell, and why.
"""

import os
import sys
import traceback
from concurrent.futures import ProcessPoolExecutor

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from check_run import check_run  # noqa: E402
from run_files import Run  # noqa: E402
from summary_checks import manifest_is_right  # noqa: E402
from untold import UNTOLD  # noqa: E402


def run_directories(folder):
    for at, folders, files in os.walk(folder):
        folders.sort()
        if "manifest.json" in files and "replications.csv" in files and "nodes.csv" in files:
            yield at


def is_intact(folder):
    try:
        return not list(manifest_is_right(Run(folder)))
    except (OSError, ValueError, KeyError, IndexError):
        return False


def different(folders):
    """The first of the directories that have the same files."""
    first = {}
    for folder in folders:
        with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
            first.setdefault(file.read(), folder)
    return list(first.values())


def findings_of(folder):
    try:
        return list(check_run(folder))
    except Exception:  # an unreadable directory must not hide the others
        return ["recompute.py fails: " + traceback.format_exc(limit=-2)]


def main(arguments):
    if "--untold" in arguments:
        for pattern, reason in UNTOLD:
            print(f"{pattern}: {reason}")
        return 0
    intact, least = "--intact" in arguments, 1
    arguments = [a for a in arguments if a != "--intact"]
    if "--least" in arguments:
        at = arguments.index("--least")
        least = int(arguments[at + 1])
        del arguments[at : at + 2]
    folders = [run for folder in arguments
               for run in run_directories(folder) if not intact or is_intact(run)]
    found = 0
    distinct = different(folders)
    if len(distinct) < least:
        print(f"recompute.py: {len(distinct)} different run directories: expected {least} or more",
              file=sys.stderr)
        return 2
    with ProcessPoolExecutor() as pool:
        for folder, findings in zip(distinct, pool.map(findings_of, distinct, chunksize=4)):
            for finding in findings:
                print(f"{folder}: {finding}")
            found += len(findings)
    print(f"{len(folders)} run directories, {len(distinct)} of them different: {found} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
