#!/usr/bin/env python3
"""What runs at scale cost, as whole processes: CPU time, elapsed time and the most memory.

usage: measure.py [--berth FILE] [--times N] [--out FILE.csv] [NAME...]

Runs each of the commands below N times (5), one after the other, and prints the medians; with names, only those. Times
depend on the machine and on who else uses it: compare two versions in turn, on one machine.
"""
import argparse
import csv
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parents[1]


def levels(rooms, racks, servers):
    level = "--set=spec.topology.spec.levels"
    return [f"{level}[room].count={rooms}", f"{level}[rack].count={racks}", f"{level}[server].count={servers}"]


def stream(pods, gap, service):
    generate = "--set=spec.workload[0].generate"
    return [f"{generate}.count={pods}", f"{generate}.arrivals.mean={gap}", f"{generate}.service.mean={service}"]


def run(*words):
    return ["run", *words, "--quiet", "-j", "1", "-o", "{out}"]


def backfill(pods, policy):
    return run(HERE / "backfill.yaml", f"--set=spec.workload[0].generate.count={pods}",
               f"--set=spec.scheduler.profile.queueSort={policy}-backfill")


PODS, OVERLOAD = HERE / "pods.yaml", HERE / "overload.yaml"
COMMANDS = {
    "version": ["--version"],
    "paper, one replication": run(PROJECT / "experiments/paper/random-pack-rack-soft.yaml",
                                  "--set=spec.replications=1"),
    "1 M pods on 1 024 servers": run(PODS),
    "report of 1 M pods": ["report", "{ready}", "-o", "{out}.html"],
    "1 M pods on 1 048 576 servers": run(PODS, *levels(64, 512, 32)),
    "1 M jobs, easy-backfill": run(OVERLOAD),
    "1 M jobs, conservative-backfill": run(OVERLOAD, "--set=spec.scheduler.profile.queueSort=conservative-backfill"),
    "10 M pods on 100 000 servers": run(PODS, *levels(50, 100, 20), *stream(10_000_000, "10ms", "1h")),
    "100 M pods on 10 000 servers": run(PODS, *levels(10, 50, 20), *stream(100_000_000, "100ms", "1h"),
                                        "--set=spec.record.placements=false"),
    "100 000 pods, easy-backfill": backfill(100_000, "easy"),
    "1 000 000 pods, easy-backfill": backfill(1_000_000, "easy"),
    "40 000 pods, conservative-backfill": backfill(40_000, "conservative"),
    "100 000 pods, conservative-backfill": backfill(100_000, "conservative"),
}
TAKES_MINUTES = {"10 M pods on 100 000 servers", "100 M pods on 10 000 servers", "1 000 000 pods, easy-backfill"}


def measure(command):
    """CPU seconds, elapsed seconds and MiB of one process."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"measure.py: {' '.join(map(str, command))} failed:\n{said}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - begin, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--berth", default=PROJECT / "build/release/berth", type=pathlib.Path)
    parser.add_argument("--times", default=5, type=int)
    parser.add_argument("--out", type=pathlib.Path, help="a CSV file of the medians")
    parser.add_argument("names", nargs="*", metavar="NAME", help="; ".join(COMMANDS))
    asked = parser.parse_args()
    unknown = [name for name in asked.names if name not in COMMANDS]
    if unknown or asked.times < 1:
        parser.error(f"unknown name '{unknown[0]}': expected one of {', '.join(COMMANDS)}" if unknown
                     else f"--times {asked.times}: expected at least 1")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    rows = []
    with tempfile.TemporaryDirectory(prefix="berth-scale-") as folder:
        ready = pathlib.Path(folder) / "ready"
        for name in asked.names or [name for name in COMMANDS if name not in TAKES_MINUTES]:
            words = COMMANDS[name]
            if "{ready}" in words and not ready.exists():
                measure([asked.berth, *[str(word).format(out=ready) for word in run(PODS)]])
            runs = []
            for number in range(asked.times):
                out = pathlib.Path(folder) / f"out-{number}"
                runs.append(measure([asked.berth, *[str(word).format(out=out, ready=ready) for word in words]]))
                shutil.rmtree(out, ignore_errors=True)
            cpu, elapsed, memory = (statistics.median(values) for values in zip(*runs))
            rows.append({"command": name, "cpu_s": round(cpu, 3), "elapsed_s": round(elapsed, 3),
                         "memory_mib": round(memory, 1)})
            print(f"{name:34} {cpu:9.3f} s of CPU {elapsed:9.3f} s {memory:9.1f} MiB", flush=True)
    if asked.out:
        with asked.out.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
