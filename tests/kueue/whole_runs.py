#!/usr/bin/env python3
"""Compares whole random runs under Kueue's objects, computed by berth and plainly with the models of one cycle.

usage: whole_runs.py BERTH MODELS [--kind KIND] [--count N] [--seed FIRST] [--keep FOLDER]

MODELS is the folder of kueue.py and kueue_tas.py; without them nothing is compared (status 77). Every difference is
printed with its kind and seed; the status is 1 if there is any. --keep writes the experiments that differ.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from decimal import Decimal

MOST_SECONDS = 60


def milliseconds(text):
    return int(Decimal(text) * 1000) if text else None


def rows(folder, table):
    with open(os.path.join(folder, table), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_outcome(folder, tells_servers):
    """What happened to each job, in the form of the plain run."""
    pods = rows(folder, "pods.csv")
    group_of = {row["pod"]: row["group"] or row["pod"] for row in pods}
    stints = {}

    def add(row, start, end, how):
        servers = stints.setdefault(group_of[row["pod"]], {}).setdefault((start, end, how), Counter())
        if tells_servers:
            servers[row["node"]] += 1

    for row in rows(folder, "evictions.csv"):
        end = milliseconds(row["time_s"])
        add(row, end - milliseconds(row["ran_s"]), end, row["cause"])
    for row in pods:
        if row["outcome"] == "finished":
            add(row, milliseconds(row["start_s"]), milliseconds(row["finish_s"]), "finished")
    return {
        row["job"]: {
            "queue": row["quota"],
            "outcome": row["outcome"],
            "stints": [
                [*stint, dict(servers)]
                for stint, servers in sorted(stints.get(row["job"], {}).items(), key=lambda one: one[0])
            ],
        }
        for row in rows(folder, "jobs.csv")
    }


def berth_outcome(berth, run):
    """The outcome of the run in berth, or the text of its errors if berth refuses it."""
    from documents import experiment

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
        return read_outcome(os.path.join(folder, "out"), bool(run.get("servers")))


def difference(berth, run):
    """The lines that describe the differences; empty if both agree, None if Kueue's rules do not determine the run."""
    from plain_run import PlainRun
    from plain_sharing import NotComparable

    try:
        wanted = PlainRun(run).outcome()
    except NotComparable:
        return None
    got = berth_outcome(berth, run)
    if isinstance(got, str):
        return [got]
    return [
        f"  {name}\n    plain: {wanted.get(name)}\n    berth: {got.get(name)}"
        for name in sorted({*wanted, *got})
        if wanted.get(name) != got.get(name)
    ]


def compare(options, kind):
    """The number of runs of a kind that differ."""
    from documents import experiment
    from random_runs import random_run

    different, open_runs = 0, 0
    for seed in range(options.seed, options.seed + options.count):
        run = random_run(kind, seed)
        lines = difference(options.berth, run)
        open_runs += lines is None
        if lines:
            different += 1
            print(f"{kind} {seed}:", *lines[: options.lines], sep="\n", flush=True)
            if options.keep:
                with open(os.path.join(options.keep, f"{kind}-{seed}.json"), "w", encoding="utf-8") as file:
                    json.dump(experiment(run), file, indent=1)
    print(
        f"{kind}: {options.count - open_runs} runs compared, {different} differ; "
        f"{open_runs} were not compared, for Kueue's rules do not say how they go on",
        flush=True,
    )
    return different


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth")
    parser.add_argument("models")
    parser.add_argument("--kind", action="append")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lines", type=int, default=6)
    parser.add_argument("--keep")
    options = parser.parse_args()
    models = ("kueue.py", "kueue_tas.py")
    if not all(os.path.exists(os.path.join(options.models, model)) for model in models):
        print(f"without {options.models}: nothing was compared")
        return 77
    sys.path.insert(0, options.models)
    from random_runs import USUAL

    return 1 if sum(compare(options, kind) for kind in options.kind or USUAL) else 0


if __name__ == "__main__":
    sys.exit(main())
