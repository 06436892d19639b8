#!/usr/bin/env python3
"""Measures how many random mutants of the cores the tests catch.

usage: mutate.py [--count N] [--seed S] [--jobs J] [--least SHARE] [--only FILE-OR-FOLDER]...

A mutant differs from the project in one operator, number, condition or statement (mutants.py). Each is built in a copy
of the project under build/mutation, with one copy for each job, and runs the tests until one of them fails or does not
end: then the mutant is caught. Mutants that do not compile are not counted. Prints a line for each mutant, then the
surviving ones as differences, and ends with status 1 if the share of caught mutants is below SHARE. The same seed
draws the same mutants of the same project.
"""
import argparse
import difflib
import random
import sys
import threading
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import mutants  # noqa: E402
import tree  # noqa: E402

PROJECT = Path(__file__).resolve().parents[2]
CORES = ("core/group_allocator", "core/elastic_quota", "core/allocation_candidates",
         "core/device_allocator", "core/placement", "core/machine_allocators")


def sources(project, only):
    for part in only:
        place = project / part
        yield from [place] if place.is_file() else sorted(place.rglob("*.[ch]pp"))


def drawn(project, only, seed):
    """All mutants in a random order, as (file, text, mutant)."""
    found = []
    for file in sources(project, only):
        text = file.read_text()
        name = file.relative_to(project)
        found += [(name, text, mutant) for mutant in mutants.mutants_of(text)]
    random.Random(seed).shuffle(found)
    return found


def difference(file, text, mutant):
    new = mutants.mutated(text, mutant)
    lines = difflib.unified_diff(text.splitlines(), new.splitlines(), n=0, lineterm="")
    changed = [line for line in list(lines)[2:] if line[0] in "+-"]
    return "\n".join([f"{place_of(file, text, mutant)}:", *("    " + line for line in changed)])


def place_of(file, text, mutant):
    line_start = text.rfind("\n", 0, mutant.start) + 1
    return f"{file}:{text.count(chr(10), 0, mutant.start) + 1}:{mutant.start - line_start + 1}"


def summary(text, mutant):
    shown = []
    for part in (text[mutant.start:mutant.end], mutant.new.strip(";") or "nothing"):
        part = " ".join(part.split())
        shown.append(part if len(part) < 40 else part[:36] + " ...")
    return " -> ".join(shown)


class Study:
    """Takes mutants from a list until enough of them counted; every job has a tree of its own."""

    def __init__(self, candidates, count):
        self.candidates = iter(candidates)
        self.count = count
        self.caught = 0
        self.survivors = []
        self.failure = None
        self.lock = threading.Lock()

    def next(self):
        with self.lock:
            enough = self.caught + len(self.survivors) >= self.count
            return None if enough or self.failure else next(self.candidates, None)

    def tell(self, candidate, by):
        with self.lock:
            file, text, mutant = candidate
            what = f"{place_of(file, text, mutant)}: {summary(text, mutant)}"
            if by == "":
                print(f"not compiled  {what}", flush=True)
                return
            if by is None:
                self.survivors.append(candidate)
                print(f"SURVIVED      {what}", flush=True)
                return
            self.caught += 1
            print(f"caught        {what}: by {by}", flush=True)

    def work(self, project, place, suites):
        try:
            own = tree.Tree(project, place, suites)
            own.prepare()
            while candidate := self.next():
                file, text, mutant = candidate
                self.tell(candidate, own.try_out(file, mutants.mutated(text, mutant)))
        except tree.Failed as failed:
            self.failure = failed


def main(project=PROJECT, suites=tree.SUITES):
    parser = argparse.ArgumentParser(
        description="How many random mutants of the cores the tests catch.")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--least", type=float, default=0.0)
    parser.add_argument("--only", action="append")
    options = parser.parse_args()

    study = Study(drawn(project, options.only or CORES, options.seed), options.count)
    folder = project / "build" / "mutation"
    jobs = [threading.Thread(target=study.work, args=(project, folder / f"tree-{job}", suites))
            for job in range(1, options.jobs + 1)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    if study.failure:
        print(f"mutate.py: {study.failure}", file=sys.stderr)
        return 2
    counted = study.caught + len(study.survivors)
    if study.survivors:
        print("\nWhat no test caught:")
    for candidate in study.survivors:
        print(difference(*candidate))
    share = study.caught / counted if counted else 0.0
    print(f"\n{study.caught} of {counted} mutants caught ({share:.1%}), seed {options.seed}")
    return 1 if share < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
