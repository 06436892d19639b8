#!/usr/bin/env python3
"""Whole random runs under Kueue's objects, with berth and plainly with the model of one cycle.

usage: whole_runs.py BERTH MODELS [--count N] [--seed FIRST] [--keep FOLDER]

MODELS is the folder of kueue.py; without it nothing is compared (status 77). Every difference is printed
with its seed; the status is 1 if there is any. --keep writes the experiments that differ.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from decimal import Decimal

from random_runs import experiment, random_run

MOST_SECONDS = 60


def milliseconds(text):
    return int(Decimal(text) * 1000) if text else None


def rows(folder, table):
    with open(os.path.join(folder, table), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_outcome(folder):
    """What became of each job, as the plain run tells it."""
    starts = {}
    member_of = {row["pod"]: row["group"] for row in rows(folder, "pods.csv") if row["group"]}
    for row in rows(folder, "evictions.csv"):
        begun = milliseconds(row["time_s"]) - milliseconds(row["ran_s"])
        starts.setdefault(member_of.get(row["pod"], row["pod"]), set()).add((begun, milliseconds(row["time_s"])))
    out = {}
    for row in rows(folder, "jobs.csv"):
        evicted = sorted(starts.get(row["job"], ()))
        begun = [begin for begin, _ in evicted]
        last = milliseconds(row["start_s"])
        if last is not None and (row["finish_s"] or last not in begun):
            begun.append(last)
        out[row["job"]] = {"starts": begun, "finish": milliseconds(row["finish_s"]),
                           "evictions": int(row["preempted"]), "placed": int(row["placed"]), "queue": row["quota"]}
    return out


def berth_outcome(berth, run):
    """What berth makes of it, with the text of its errors instead if it refuses it."""
    with tempfile.TemporaryDirectory() as folder:
        document = os.path.join(folder, "experiment.json")
        with open(document, "w", encoding="utf-8") as file:
            json.dump(experiment(run), file)
        command = [berth, "run", document, "--check-invariants", "-q", "-o", os.path.join(folder, "out")]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            return f"  berth comes to no end in {MOST_SECONDS} s"
        if done.returncode != 0:
            return done.stderr
        return read_outcome(os.path.join(folder, "out"))


def difference(berth, run):
    """The lines that tell what differs; none if both agree, nothing if Kueue itself comes to no end."""
    from plain_run import Endless, PlainRun
    try:
        wanted = PlainRun(run).outcome()
    except Endless:
        return None
    got = berth_outcome(berth, run)
    if isinstance(got, str):
        return [got]
    return [f"  {name}\n    plain: {wanted.get(name)}\n    berth: {got.get(name)}"
            for name in sorted({*wanted, *got}) if wanted.get(name) != got.get(name)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth")
    parser.add_argument("models")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep")
    options = parser.parse_args()
    if not os.path.exists(os.path.join(options.models, "kueue.py")):
        print(f"without {options.models}: nothing was compared")
        return 77
    sys.path.insert(0, options.models)
    different, endless = 0, 0
    for seed in range(options.seed, options.seed + options.count):
        run = random_run(seed)
        lines = difference(options.berth, run)
        endless += lines is None
        if lines:
            different += 1
            print(f"run {seed}:", *lines[:6], sep="\n", flush=True)
            if options.keep:
                with open(os.path.join(options.keep, f"run-{seed}.json"), "w", encoding="utf-8") as file:
                    json.dump(experiment(run), file, indent=1)
    print(f"{options.count - endless} runs compared, {different} differ; {endless} without an end were not compared")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
