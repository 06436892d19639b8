#!/usr/bin/env python3
"""Runs random experiments of training jobs twice, with berth and with the plain model.

usage: compare.py BERTH [--count N] [--first SEED] [--keep DIR]

Ends and launches of each job, leases, and the rounds must be the same, times to the nanosecond. Every
difference is printed with its seed; the status is 1 if there is any. --keep keeps the files in DIR.
"""

import argparse
import csv
import subprocess
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

from random_experiments import random_case


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    different = 0
    with tempfile.TemporaryDirectory() as temporary:
        for seed in range(options.first, options.first + options.count):
            folder = (options.keep or Path(temporary)) / str(seed)
            folder.mkdir(parents=True, exist_ok=True)
            case = random_case(seed, folder)
            want, got = expected(case), of_berth(options.berth, case)
            if want != got:
                different += 1
                print(f"{seed} {case.rounds}: {first_difference(want, got)}")
    print(f"{options.count} experiments compared, {different} differ")
    return 1 if different else 0


def expected(case):
    result = case.answer()
    tables = {"jobs": {job.name: (job.finish, job.launches) for job in result.jobs},
              "rounds": [(start, ended, launches) for start, ended, launches in result.rounds]}
    if "tick" not in case.rounds:
        tables["leases"] = sorted((job, first, last, " ".join(map(str, workers)))
                                  for job, first, last, workers in result.leases)
    return tables


def of_berth(berth, case):
    out = case.folder / "out"
    done = subprocess.run([berth, "run", case.folder / "experiment.yaml", "--quiet", "-o", out],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return {"failed": done.stderr}
    tables = {"jobs": {row["job"]: (time(row["finish_s"]), int(row["launches"])) for row in rows_of(out / "jobs.csv")},
              "rounds": [(time(row["start_s"]), int(row["ended_leases"]), int(row["launches"]))
                         for row in rows_of(out / "rounds.csv") if row["scheduled"] != "0"]}
    if "tick" not in case.rounds:
        tables["leases"] = sorted((row["job"], int(row["first_round"]), int(row["last_round"]), row["workers"])
                                  for row in rows_of(out / "leases.csv"))
    return tables


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def time(text):
    """Nanoseconds; None for a time that never occurred."""
    return int(Decimal(text) * 10**9) if text else None


def first_difference(want, got):
    if "failed" in got:
        return got["failed"]
    for name, table in want.items():
        other = got[name]
        if table != other:
            if isinstance(table, dict):
                keys = [key for key in {**table, **other} if table.get(key) != other.get(key)]
                return f"{name} {keys[0]}: model {table.get(keys[0])}, berth {other.get(keys[0])}"
            pairs = [pair for pair in zip(table, other) if pair[0] != pair[1]] or [(table[-1:], other[-1:])]
            return f"{name}: model {pairs[0][0]}, berth {pairs[0][1]} (of {len(table)} and {len(other)})"
    return ""


if __name__ == "__main__":
    sys.exit(main())
