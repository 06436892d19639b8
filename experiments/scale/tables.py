#!/usr/bin/env python3
"""The tables of docs/explanation/performance.md that `berth bench` and measure.py make, with its rows' names.

usage: tables.py [--berth FILE] [--times N] [--everything] [TABLE...]

Runs each benchmark N times (3) and prints the lowest median for each size or, in tables that compare with other
programs, the lowest best time. Below a row are the instructions of one unit, if tests/instructions counts them.
--everything also makes the tables of whole runs, which takes an hour. Times depend on the machine and on its other
load.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
INSTRUCTIONS = PROJECT / "tests/instructions/instructions.csv"

POLICIES = ["fragmentation-gradient-descent", "best-fit", "dot-product", "gpu-clustering", "gpu-packing", "random",
            "first-fit", "most-allocated", "worst-fit", "least-allocated", "topology-aware-packing",
            "topology-aware-fragmentation"]
FORMATS = ["sacct", "helios", "openb", "openb-gz", "dlrm", "philly", "kubernetes", "csv", "jsonl", "swf"]
DOCUMENTS = ["kubernetes-nodes", "nodes", "graphml", "providers"]
PODS = ["flat1", "flat2", "flat4", "flat8", "grp2", "grp4", "grp1x8"]
QUERIES = ["q1", "q1/json", "q2", "q2/json", "q3", "q3/json", "wide", "build", "limit"]

# The rows of each table: the label of a row, and its benchmark.
TABLES = {
    "placement": {"pack a group of 120 by rack: place, claim, release": "place/pack-rack",
                  "spread it over racks": "place/spread-rack",
                  "spread it over racks and servers": "place/spread-rack+server"},
    "cycle": {"schedule one pod and release another": "cycle"},
    "build": {"generate a topology of five levels": "build"},
    "events": {"pop an event and push one": "events",
               "the same with `std::priority_queue`": "events/priority-queue"},
    "memory": {"read a line of memory": "memory"},
    "quota": {"flat: its runtime is read": "quota/one/flat",
              "three levels: its runtime is read": "quota/one/3level",
              "flat: every leaf's runtime is read": "quota/all/flat",
              "three levels: every leaf's runtime is read": "quota/all/3level"},
    "inside a server": {f"`{pod}`": f"allocate/{pod}" for pod in PODS},
    "a thousand servers": {f"`{pod}`": f"allocate/loop/{pod}" for pod in ["flat1", "flat4", "grp4"]},
    "candidates": {f"`{query}`": f"candidates/{query}" for query in QUERIES},
    "fgd": {f"`{policy}`": f"fgd/{policy}" for policy in POLICIES},
    "traces": {name: f"read/{name}" for name in FORMATS},
    "documents": {name: f"documents/{name}" for name in DOCUMENTS},
}
BEST = {"inside a server", "a thousand servers", "candidates"}
# The tables of whole runs, with the names of their rows in measure.py.
RUNS = {
    "runs at scale": ["1 M pods on 1 024 servers", "10 M pods on 100 000 servers", "100 M pods on 10 000 servers",
                      "1 M jobs, easy-backfill", "1 M jobs, conservative-backfill", "report of 1 M pods",
                      "paper, one replication", "paper, 1 000 replications", "version"],
    "backfill": ["100 000 pods, easy-backfill", "100 000 with gangs, estimates too long",
                 "20 000 with gangs, estimates about right", "1 000 000 pods, easy-backfill",
                 "40 000 pods, conservative-backfill", "100 000 pods, conservative-backfill"],
    "large clusters": ["topology of 100 000 kubectl nodes", "topology of 1 048 576 servers", "JSON of them is read",
                       "JSON of them is written", "GraphML of them is read", "GraphML of them is written",
                       "candidates of 700 000 providers"],
    "kueue": ["15 000 jobs, 5 cohorts of 6", "50 000 jobs, 10 cohorts of 100", "50 000 jobs, a cohort of 1 000",
              "3 000 jobs of 10 priorities, a cohort of 30", "15 000 groups by topology, 2 cohorts of 3"],
    "tables": ["1 M pods on 1 024 servers", "1 M pods, zst", "1 M pods, arrow", "1 M pods, arrow and zst",
               "report of 1 M pods", "report of 1 M pods, zst", "report of 1 M pods, arrow",
               "report of 1 M pods, arrow and zst", "columns in Python, none", "columns in Python, CSV",
               "columns in Python, zst", "columns in Python, arrow", "columns in Python, arrow and zst",
               "columns in polars, none", "columns in polars, CSV", "columns in polars, zst",
               "columns in polars, arrow", "columns in polars, arrow and zst"],
    "sweeps": ["sweep of 1 000 points of 0.1 s", "sweep of 1 000 points of one pod", "sweep with nothing missing",
               "dry run of 1 000 points"],
}


def shown(seconds):
    for unit, name in [(1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms")]:
        if seconds < 999.5 * unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds:.3g} s"


def instructions_of_a_unit():
    """The counts of the instruction guard, by benchmark and size."""
    with INSTRUCTIONS.open() as lines:
        next(lines)
        rows = list(csv.DictReader(lines))
    counted = {}
    for row in rows:
        words = row["command"].split()
        if words[0] == "bench" and "--size" in words:
            units = int(words[words.index("--units") + 1])
            counted[words[1], int(words[words.index("--size") + 1])] = int(row["instructions"]) / units
    return counted


def measured(berth, names, times):
    """By benchmark and size, the lowest of `times` medians and of the best times."""
    lowest = {}
    for _ in range(times):
        lines = subprocess.run([berth, "bench", *names, "--json"], check=True, stdout=subprocess.PIPE, text=True).stdout
        for result in map(json.loads, lines.splitlines()):
            at = (result["benchmark"], result["size"])
            old = lowest.get(at, result)
            lowest[at] = result | {key: min(old[key], result[key]) for key in ("best_s", "median_s")}
    return lowest


def print_table(title, rows, berth, times):
    results = measured(berth, sorted({name.removesuffix("/priority-queue") for name in rows.values()}), times)
    instructions = instructions_of_a_unit()
    sizes = sorted({size for _, size in results})
    key = "best_s" if title in BEST else "median_s"
    counted = next(iter(results.values()))["size_of"]
    print(f"\n{title} ({'best' if key == 'best_s' else 'median'})\n")
    print(f"| one unit of work | {' | '.join(f'{size} {counted}' for size in sizes)} |")
    print(f"| --- |{' ---: |' * len(sizes)}")
    for label, name in rows.items():
        cells = [shown(results[name, size][key]) if (name, size) in results else "" for size in sizes]
        print(f"| {label} | {' | '.join(cells)} |")
        of_unit = [f"{instructions[name, size]:,.0f}" if (name, size) in instructions else "" for size in sizes]
        if any(of_unit):
            print(f"| instructions | {' | '.join(of_unit)} |")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--berth", default=PROJECT / "build/release/berth", type=pathlib.Path)
    parser.add_argument("--times", default=3, type=int)
    parser.add_argument("--everything", action="store_true", help="the tables of whole runs too")
    parser.add_argument("tables", nargs="*", metavar="TABLE", help="; ".join([*TABLES, *RUNS]))
    asked = parser.parse_args()
    unknown = [name for name in asked.tables if name not in TABLES and name not in RUNS]
    if unknown or asked.times < 1:
        parser.error(f"unknown table '{unknown[0]}': expected one of {', '.join([*TABLES, *RUNS])}" if unknown
                     else f"--times {asked.times}: expected at least 1")
    wanted = asked.tables or [*TABLES, *(RUNS if asked.everything else [])]
    for title in wanted:
        if title in TABLES:
            print_table(title, TABLES[title], asked.berth, asked.times)
        else:
            print(f"\n{title}\n", flush=True)
            subprocess.run([sys.executable, HERE / "measure.py", "--berth", asked.berth, "--times", str(asked.times),
                            *RUNS[title]], check=True)


if __name__ == "__main__":
    main()
