#!/usr/bin/env python3
"""What runs at scale cost, as whole processes: CPU time, elapsed time, the most memory, and what they write.

usage: measure.py [--berth FILE] [--times N] [--out FILE.csv] [NAME...]

Runs each of the commands below N times (5), one after the other, and prints the medians; with names, only those
commands. Times depend on the machine and on its other load: to compare two versions, run them in turn on one machine.
Rows of the Python package and of polars need a Python that has them:
`build/test-environment/bin/python experiments/scale/measure.py`.
"""
import argparse
import csv
import os
import pathlib
import re
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
    return run(BACKFILL, f"--set=spec.workload[0].generate.count={pods}",
               f"--set=spec.scheduler.profile.queueSort={policy}-backfill")


def backfill_trace(file):
    return run(BACKFILL, f"--set=spec.workload=[{{trace: {{format: csv, file: '{file}'}}}}]")


def sweep(pods, out, *words):
    return ["sweep", SWEEP, f"--set=spec.workload[0].generate.count={pods}", "--set=spec.record.placements=false",
            "--quiet", "-j", "2", "-o", out, *words]


def python(program):
    return [sys.executable, "-c", program]


def write(kind, file, *words):
    return [sys.executable, HERE / "write.py", kind, file, *map(str, words)]


def columns(form):
    return python(f"import berth; run = berth.open('{form}'); run.jobs, run.pods")


def polars(form, read):
    return python("import polars; "
                  f"[polars.read_{read}('{form}'.replace('TABLE', table)) for table in ('jobs', 'pods')]")


PODS, OVERLOAD, BACKFILL, SWEEP = (HERE / f"{name}.yaml" for name in ("pods", "overload", "backfill", "sweep"))
SERVERS, PROVIDERS = HERE / "servers.yaml", HERE / "providers.yaml"
ZST, ARROW = ["--compress", "zst"], ["--tables", "arrow"]
# The inputs of commands, by the names that commands have for them in braces. Each is made once, before its first use.
READY = {
    "csv": run(PODS),
    "zst": run(PODS, *ZST),
    "arrow": run(PODS, *ARROW),
    "arrow_zst": run(PODS, *ARROW, *ZST),
    "nodes": write("nodes", "{out}.json", 100_000),
    "tree": ["topology", SERVERS, "-o", "{out}.json"],
    "graph": ["topology", SERVERS, "-o", "{out}.graphml"],
    "providers": ["topology", PROVIDERS, "--to", "providers", "-o", "{out}.json"],
    "too_long": write("estimates", "{out}.csv", 100_000, 1, 5),
    "about_right": write("estimates", "{out}.csv", 20_000, 0.5, 1.5),
    "queues_30": write("queues", "{out}.json", 5, 6, 15_000, "sizes"),
    "queues_1000": write("queues", "{out}.json", 10, 100, 50_000, "sizes"),
    "queues_together": write("queues", "{out}.json", 1, 1000, 50_000, "sizes"),
    "queues_priorities": write("queues", "{out}.json", 1, 30, 3_000, "priorities"),
    "queues_groups": write("queues", "{out}.json", 2, 3, 15_000, "groups"),
    "swept": sweep(1, "{out}", *levels(1, 1, 16)),
}
COMMANDS = {
    "version": ["--version"],
    "paper, one replication": run(PROJECT / "experiments/paper/random-pack-rack-soft.yaml",
                                  "--set=spec.replications=1"),
    "paper, 1 000 replications": run(PROJECT / "experiments/paper/random-pack-rack-soft.yaml",
                                     "--set=spec.replications=1000"),
    "1 M pods on 1 024 servers": run(PODS),
    "1 M pods, zst": run(PODS, *ZST),
    "1 M pods, arrow": run(PODS, *ARROW),
    "1 M pods, arrow and zst": run(PODS, *ARROW, *ZST),
    "report of 1 M pods": ["report", "{csv}", "-o", "{out}.html"],
    "report of 1 M pods, zst": ["report", "{zst}", "-o", "{out}.html"],
    "report of 1 M pods, arrow": ["report", "{arrow}", "-o", "{out}.html"],
    "report of 1 M pods, arrow and zst": ["report", "{arrow_zst}", "-o", "{out}.html"],
    "1 M pods on 1 048 576 servers": run(PODS, *levels(64, 512, 32)),
    "1 M jobs, easy-backfill": run(OVERLOAD),
    "1 M jobs, conservative-backfill": run(OVERLOAD, "--set=spec.scheduler.profile.queueSort=conservative-backfill"),
    "10 M pods on 100 000 servers": run(PODS, *levels(50, 100, 20), *stream(10_000_000, "10ms", "1h")),
    "100 M pods on 10 000 servers": run(PODS, *levels(10, 50, 20), *stream(100_000_000, "100ms", "1h"),
                                        "--set=spec.record.placements=false"),
    "100 000 pods, easy-backfill": backfill(100_000, "easy"),
    "100 000 with gangs, estimates too long": backfill_trace("{too_long}.csv"),
    "20 000 with gangs, estimates about right": backfill_trace("{about_right}.csv"),
    "1 000 000 pods, easy-backfill": backfill(1_000_000, "easy"),
    "40 000 pods, conservative-backfill": backfill(40_000, "conservative"),
    "100 000 pods, conservative-backfill": backfill(100_000, "conservative"),
    "15 000 jobs, 5 cohorts of 6": run("{queues_30}.json"),
    "50 000 jobs, 10 cohorts of 100": run("{queues_1000}.json"),
    "50 000 jobs, a cohort of 1 000": run("{queues_together}.json"),
    "3 000 jobs of 10 priorities, a cohort of 30": run("{queues_priorities}.json"),
    "15 000 groups by topology, 2 cohorts of 3": run("{queues_groups}.json"),
    "topology of 100 000 kubectl nodes": ["topology", "{nodes}.json"],
    "topology of 1 048 576 servers": ["topology", SERVERS],
    "JSON of them is written": ["topology", SERVERS, "-o", "{out}.json"],
    "JSON of them is read": ["topology", "{tree}.json"],
    "GraphML of them is written": ["topology", SERVERS, "-o", "{out}.graphml"],
    "GraphML of them is read": ["topology", "{graph}.graphml"],
    "candidates of 700 000 providers": ["candidates", "{providers}.json", "resources=VCPU:4&limit=10"],
    "sweep of 1 000 points of 0.1 s": sweep(25_000, "{out}"),
    "sweep of 1 000 points of one pod": sweep(1, "{out}", *levels(1, 1, 16)),
    "sweep with nothing missing": sweep(1, "{swept}", *levels(1, 1, 16)),
    "dry run of 1 000 points": sweep(1, "{out}", *levels(1, 1, 16), "--dry-run"),
    "columns in Python, CSV": columns("{csv}"),
    "columns in Python, zst": columns("{zst}"),
    "columns in Python, arrow": columns("{arrow}"),
    "columns in Python, arrow and zst": columns("{arrow_zst}"),
    "columns in Python, none": python("import berth"),
    "columns in polars, CSV": polars("{csv}/TABLE.csv", "csv"),
    "columns in polars, zst": polars("{zst}/TABLE.csv.zst", "csv"),
    "columns in polars, arrow": polars("{arrow}/TABLE.arrow", "ipc"),
    "columns in polars, arrow and zst": polars("{arrow_zst}/TABLE.arrow", "ipc"),
    "columns in polars, none": python("import polars"),
}
TAKES_MINUTES = {"10 M pods on 100 000 servers", "100 M pods on 10 000 servers", "1 000 000 pods, easy-backfill",
                 "sweep of 1 000 points of 0.1 s"}


def measure(command, berth):
    """CPU seconds, elapsed seconds and peak memory in MiB of one process."""
    command = [str(word) for word in command]
    if command[0] != sys.executable:
        command.insert(0, str(berth))
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               env=os.environ | {"PYTHONPATH": str(berth.resolve().parent / "python")})
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"measure.py: {' '.join(command)} failed:\n{said}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - begin, usage.ru_maxrss / 1024


class Folder:
    """The folder for the outputs of commands, and for their inputs once these have been made."""

    def __init__(self, path, berth):
        self.path, self.berth, self.made = pathlib.Path(path), berth, {}

    def filled_in(self, words, out):
        """The words of a command. The inputs that they name in braces are made first."""
        for name in re.findall(r"{(\w+)}", " ".join(map(str, words))):
            if name != "out" and name not in self.made:
                self.made[name] = self.path / name
                measure(self.filled_in(READY[name], self.made[name]), self.berth)
        return [re.sub(r"{(\w+)}", lambda found: str(out if found[1] == "out" else self.made[found[1]]), str(word))
                for word in words]

    def measured(self, words):
        """The figures of measure(), and the megabytes that were written, which are removed."""
        figures = measure(self.filled_in(words, self.path / "out"), self.berth)
        written = [file for file in self.path.glob("out*/**/*") if file.is_file()]
        written += [file for file in self.path.glob("out*") if file.is_file()]
        size = sum(file.stat().st_size for file in written)
        shutil.rmtree(self.path / "out", ignore_errors=True)
        for file in self.path.glob("out*"):
            file.unlink()
        return *figures, size / 1e6


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
    with tempfile.TemporaryDirectory(prefix="berth-scale-") as path:
        folder = Folder(path, asked.berth)
        for name in asked.names or [name for name in COMMANDS if name not in TAKES_MINUTES]:
            runs = [folder.measured(COMMANDS[name]) for _ in range(asked.times)]
            cpu, elapsed, memory, written = (statistics.median(values) for values in zip(*runs))
            rows.append({"command": name, "cpu_s": round(cpu, 3), "elapsed_s": round(elapsed, 3),
                         "memory_mib": round(memory, 1), "written_mb": round(written, 2)})
            print(f"{name:44} {cpu:9.3f} s of CPU {elapsed:9.3f} s {memory:9.1f} MiB {written:9.2f} MB written",
                  flush=True)
    if asked.out:
        with asked.out.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
