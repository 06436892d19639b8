#!/usr/bin/env python3
"""Dominant shares of ClusterQueues over time, and how far apart they are: shares.py DIR..., for runs or sweeps.

A queue's share at an instant is defined as in Kueue's fair sharing: the GPUs that it uses beyond its nominal quota, in
thousandths of what its cohort can lend, divided by its weight. The cohort is the one of all queues, with the GPUs of
all of them and its own. For each run, the output has means over the replications with 95 % intervals, for the window of
the run:

- for each queue, the GPUs in use, and its share while a workload of any queue waits for quota or a place;
- how far apart shares are in that time: the greatest share of a queue with a waiting workload, or of one that borrows,
  minus the least share of a queue with a waiting workload. If shares are fair, no queue waits with a much smaller
  share.
"""
import csv
import json
import math
import os
import sys
from collections import defaultdict

import yaml

GPU = "nvidia.com/gpu"


def quotas_of(folder):
    """The nominal quota and the weight of each queue, and what the cohort can lend."""
    with open(f"{folder}/experiment.yaml", encoding="utf-8") as file:
        objects = yaml.safe_load(file)["spec"]["scheduler"]["kueue"]["objects"]
    queues, total = {}, 0
    for thing in objects:
        if thing["kind"] not in ("ClusterQueue", "Cohort"):
            continue
        spec = thing.get("spec", {})
        nominal = sum(int(resource["nominalQuota"]) for group in spec.get("resourceGroups", ())
                      for flavor in group["flavors"] for resource in flavor["resources"]
                      if resource["name"] == GPU)
        total += nominal
        if thing["kind"] == "ClusterQueue":
            weight = float((spec.get("fairSharing") or {}).get("weight", 1))
            queues[thing["metadata"]["name"]] = (nominal, weight)
    return queues, total


def changes_of(folder):
    """For each replication: (time, queue, change in GPUs in use, change in waiting workloads)."""
    ran = defaultdict(list)
    with open(f"{folder}/evictions.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            end = float(row["time_s"])
            ran[row["replication"], row["pod"]].append((end - float(row["ran_s"]), end))
    changes = defaultdict(list)
    with open(f"{folder}/pods.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            runs = ran[row["replication"], row["pod"]]
            if row["start_s"]:
                runs.append((float(row["start_s"]), float(row["finish_s"] or "inf")))
            out, queue, gpus = changes[int(row["replication"])], row["quota"], int(row["gpus"])
            since = float(row["submit_s"])
            for start, end in runs:
                out += [(since, queue, 0, 1), (start, queue, gpus, -1), (end, queue, -gpus, 0)]
                since = end
            if not row["start_s"]:
                out.append((since, queue, 0, 1))
    return changes


def figures_of(changes, queues, total, begin, end):
    """The means over the measured time of one replication."""
    used, waiting = dict.fromkeys(queues, 0), dict.fromkeys(queues, 0)
    use, share = dict.fromkeys(queues, 0.0), dict.fromkeys(queues, 0.0)
    apart = contended = 0.0
    now = begin
    for at, queue, gpus, waits in sorted(changes) + [(end, next(iter(queues)), 0, 0)]:
        passed = min(at, end) - now
        if passed > 0:
            shares = {name: 1000 * max(0, used[name] - nominal) / total / weight
                      for name, (nominal, weight) in queues.items()}
            for name in queues:
                use[name] += passed * used[name]
            if any(waiting.values()):
                contended += passed
                for name in queues:
                    share[name] += passed * shares[name]
                least = min(shares[name] for name in queues if waiting[name])
                apart += passed * (max(shares.values()) - least)
            now = min(at, end)
        used[queue] += gpus
        waiting[queue] += waits
    figures = {f"{name}: GPUs in use": use[name] / (end - begin) for name in queues}
    figures |= {f"{name}: share while somebody waits": share[name] / contended
                for name in queues if contended}
    if contended:
        figures["shares apart while somebody waits"] = apart / contended
    figures["time in which somebody waits, %"] = 100 * contended / (end - begin)
    return figures


def student(n):
    """The 97.5 % point of Student's t with n - 1 degrees of freedom, accurate to 1 % from n = 4 on."""
    z, v = 1.959964, n - 1
    return z + (z**3 + z) / (4 * v) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2) \
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)


def runs_of(folder):
    """The run directories of a sweep, with the values of its axes, or a single run directory."""
    if not os.path.exists(f"{folder}/points.csv"):
        return [(folder, folder)]
    with open(f"{folder}/points.csv", encoding="utf-8") as file:
        return [(", ".join(f"{axis}={row[axis]}" for axis in row if axis not in ("point", "key")),
                 f"{folder}/points/{row['key']}") for row in csv.DictReader(file)]


def main():
    for title, folder in (run for given in sys.argv[1:] for run in runs_of(given)):
        queues, total = quotas_of(folder)
        with open(f"{folder}/summary.json", encoding="utf-8") as file:
            window = json.load(file)["window"]
        measured = defaultdict(list)
        for _, changes in sorted(changes_of(folder).items()):
            for name, value in figures_of(changes, queues, total, window["from_s"],
                                          window["to_s"]).items():
                measured[name].append(value)
        print(title)
        for name, values in measured.items():
            n, mean = len(values), sum(values) / len(values)
            half = ""
            if n > 2:
                sd = math.sqrt(sum((value - mean)**2 for value in values) / (n - 1))
                half = f" ± {student(n) * sd / math.sqrt(n):.2g}"
            print(f"  {name:40} {mean:.4g}{half}")


if __name__ == "__main__":
    main()
