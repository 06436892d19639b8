#!/usr/bin/env python3
"""Which lines and branches of core and sim the tests of core, sim, conformance and property run.

usage: coverage_of_code.py BUILD-FOLDER [--least-lines SHARE] [--least-branches SHARE] [--quiet]

BUILD-FOLDER is a build of the preset `covered` with its tests. The program runs them, reads their counts by gcov, and
prints every line that never ran, every line with a branch that was never taken, and then the shares of both folders.
Status 1: a share is below the one asked for.

Branches that only an exception takes are not counted, and neither is the other way out of such a call, which is not a
decision. The failing side of an assertion is not counted, since no test may reach it. A branch of a template or of an
inline function counts as taken if any instance took it.
"""
import argparse
import bisect
import collections
import json
import os
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tests" / "mutation"))

import mutants  # noqa: E402

FOLDERS = ("core", "sim")
# Without optimisation, the tests left out here take minutes, and they run only what others run, too.
TESTS = (("core", '~"*unlike GPUs*"'), ("sim", "*"), ("conformance", '~"*at hand*"'),
         ("property", '~"*trying everything*"~"*no promise is broken*"'))
ASSERTION = re.compile(r"\bBERTH_(?:ASSERT|AUDIT)\(")


def run_tests(build):
    for counts in build.rglob("*.gcda"):
        counts.unlink()
    environment = {name: value for name, value in os.environ.items() if name != "BERTH_LONG"}
    for name, which in TESTS:
        done = subprocess.run([build / f"berth_{name}_test", which], cwd=PROJECT, text=True,
                              env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            print(done.stdout[-4000:])
            raise SystemExit(f"coverage_of_code.py: berth_{name}_test failed")


def assertion_lines(text):
    """The lines of all assertions of a file, including every line that an assertion spans."""
    for found in reversed(list(mutants.TEXT.finditer(text))):
        text = mutants.blank(text, found.start(), found.end())
    ends = [place for place, letter in enumerate(text) if letter == "\n"]
    lines = set()
    for found in ASSERTION.finditer(text):
        last = mutants.closing(text, found.end() - 1)
        lines.update(range(bisect.bisect(ends, found.start()) + 1, bisect.bisect(ends, last) + 2))
    return lines


def decisions(branches):
    """Leaves out calls that may throw: gcov shows each as two branches, the second of which throws."""
    kept = []
    for branch in branches:
        if not branch["throw"]:
            kept.append(branch["count"])
        elif kept:
            kept.pop()
    return kept if len(kept) > 1 else []


class File:
    """How often each line and each branch of a file ran, over all objects that contain it."""

    def __init__(self, name):
        self.lines = collections.Counter()
        self.branches = collections.Counter()
        self.assertions = assertion_lines((PROJECT / name).read_text())

    def add(self, line):
        number = line["line_number"]
        self.lines[number] += line["count"]
        if number not in self.assertions:
            for place, count in enumerate(decisions(line["branches"])):
                self.branches[number, place] += count

    def lines_missed(self):
        return sorted(number for number, count in self.lines.items() if count == 0)

    def branches_missed(self):
        """Lines that ran, each with the number of its branches that were never taken."""
        missed = collections.Counter(
            number for (number, _), count in self.branches.items() if count == 0)
        return sorted((number, count) for number, count in missed.items() if self.lines[number] > 0)


def counted(build):
    files = {}
    counts = sorted(build.rglob("*.gcda"))
    for start in range(0, len(counts), 20):
        told = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout",
                               *counts[start:start + 20]],
                              cwd=build, text=True, stdout=subprocess.PIPE, check=True)
        for document in filter(None, told.stdout.split("\n")):
            report = json.loads(document)
            for file in report["files"]:
                path = (Path(report["current_working_directory"]) / file["file"]).resolve()
                if not path.is_relative_to(PROJECT):
                    continue
                name = str(path.relative_to(PROJECT))
                if name.split("/")[0] in FOLDERS:
                    for line in file["lines"]:
                        files.setdefault(name, File(name)).add(line)
    return files


def ranges(numbers):
    """Writes 12, 13, 14 and 20 as 12-14 and 20."""
    out = []
    for number in numbers:
        if out and out[-1][1] == number - 1:
            out[-1][1] = number
        else:
            out.append([number, number])
    return [str(first) if first == last else f"{first}-{last}" for first, last in out]


def share(counts):
    return sum(count > 0 for count in counts) / max(len(counts), 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("--least-lines", type=float, default=0.0)
    parser.add_argument("--least-branches", type=float, default=0.0)
    parser.add_argument("--quiet", action="store_true", help="the shares alone")
    options = parser.parse_args()

    build = options.build.resolve()
    run_tests(build)
    files = counted(build)
    for name in sorted(files) if not options.quiet else ():
        for lines in ranges(files[name].lines_missed()):
            print(f"{name}:{lines}: never runs")
        for line, count in files[name].branches_missed():
            print(f"{name}:{line}: {count} of its branches never taken")
    enough = True
    for folder in FOLDERS:
        own = [file for name, file in files.items() if name.startswith(folder + "/")]
        lines = [count for file in own for count in file.lines.values()]
        branches = [count for file in own for count in file.branches.values()]
        print(f"{folder}: {share(lines):.1%} of {len(lines)} lines, "
              f"{share(branches):.1%} of {len(branches)} branches")
        enough = enough and bool(lines) and share(lines) >= options.least_lines and \
            share(branches) >= options.least_branches
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
