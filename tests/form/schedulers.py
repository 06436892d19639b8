#!/usr/bin/env python3
"""Checks that only schedulers/schedulers.def and a scheduler's own folder name it.

schedulers.py ROOT  prints `FILE:LINE: names NAME`
"""
import re
import sys
from pathlib import Path

FOLDERS = ("core", "sim", "topologies", "workloads", "schedulers", "experiments/program", "experiments/c")
SUFFIXES = {".c", ".cpp", ".def", ".h", ".hpp", ".js", ".ts"}
# Pods of a running cluster have the labels of many systems; this list tells which of them name a group.
MAY_NAME_ANY = {"experiments/program/config/workload/pod_job.cpp", "schedulers/schedulers.def"}

# Programs of which the house speaks, and words of other systems.
OTHERS = re.compile(r"kube-scheduler|KubeGPU|KubeDevice|KubeConfig|kube_features|kai\.scheduler|KAI")
# Names that are also words of English: they may stand in comments and in sentences of texts.
WORDS = {"rounds"}
# On Slurm the house also runs sweeps, and its jobs and nodes it reads: only the code of the scheduler counts.
CODE = {"slurm": re.compile(r"schedulers/slurm|core::slurm|answer_slurm_request")}
SENTENCES = re.compile(r'//.*|"[^"]* [^"]*"')


def named(name):
    return re.compile(rf"(?<![a-z]){name}(?![a-z])|{name.capitalize()}(?![a-z])|{name.upper()}")


def main():
    root = Path(sys.argv[1])
    listed = (root / "schedulers" / "schedulers.def").read_text()
    names = {name: CODE.get(name) or named(name) for name in re.findall(r"^BERTH_SCHEDULER\((\w+)\)$", listed, re.M)}
    faults = 0
    for file in sorted(file for folder in FOLDERS for file in (root / folder).rglob("*")):
        place = file.relative_to(root)
        if file.suffix not in SUFFIXES or "node_modules" in place.parts or str(place) in MAY_NAME_ANY:
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            for name, pattern in names.items():
                own = place.parts[:2] == ("schedulers", name)
                left_out = SENTENCES if name in WORDS else OTHERS
                if not own and pattern.search(left_out.sub("", line)):
                    print(f"{place}:{number}: names {name}: ask by a seam (schedulers/README.md)")
                    faults += 1
    return 1 if faults or not names else 0


if __name__ == "__main__":
    sys.exit(main())
