#!/usr/bin/env python3
"""How often a 95 % interval of a metric covers the metric's long-run value.

usage: coverage.py BERTH [--model mm1|mm8|gangs]... [--groups N] [--of N] [--least SHARE] [--json FILE]

Each model is run with groups x of replications, from an empty cluster. Each group of replications is one study that a
person could have made: its interval is made as berth makes it, Student's t over the replications, and either covers the
long-run value or not. That value is exact where queueing theory has it, and otherwise the mean of a run that is several
hundred times as long. With --least the exit status is 1 when a metric is covered less often than that share.
"""
import argparse
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

STUDENT_975 = {5: 2.776, 10: 2.262, 20: 2.093}  # by replications of a group
# What has no value that a longer run would come nearer to: counts and the longest times grow with the run.
# The share that started grows towards 1 with the run, and the mean slowdown of exponential services is infinite.
ALONE = ("success_rate", "slowdown_mean", "end_s", "measured_s", "makespan_s")
PARTS = ("pods_", "jobs_", "groups_", "_s_max", "resizes_refused", "interruptions")

EXPERIMENT = """apiVersion: berth/v1
kind: Experiment
metadata: {{name: {name}}}
spec:
  seed: {seed}
  replications: {replications}
  topology:
    spec:
      levels: [{{name: server, count: {servers}}}]
      machines: [{{type: host}}]
      machineTypes: {{host: {{capacity: {{{capacity}}}}}}}
  types: {{one: {{{demand}}}}}
  workload:
    - generate:
        name: jobs
        until: {horizon}s
        arrivals: {{distribution: exponential, mean: {gap}s}}
        {service}
  scheduler: {{profile: {{score: [first-fit]}}}}
  record: {{placements: false, sampleEvery: {horizon}s, {window}}}
  until: {horizon}s
"""

GANG = ("{{group: {{kind: GroupPlacement, spec: {{group: {{name: gang-{size}, size: {size}, type: one}}}}}}, "
        "weight: {weight}, service: {{distribution: exponential, mean: {mean}s}}}}")


def queue(servers):
    return {"servers": servers, "capacity": "cpu: 1", "demand": "cpu: 1", "gap": 100 / servers,
            "service": "type: one\n        service: {distribution: exponential, mean: 80s}"}


def gangs():
    """Gangs of 1, 4 and 16 pods on eight servers of four, first come first served: about 60 % in use."""
    mix = ", ".join(GANG.format(size=size, weight=weight, mean=80) for size, weight in ((1, 6), (4, 3), (16, 1)))
    return {"servers": 8, "capacity": "cpu: 4", "demand": "cpu: 1", "gap": 15, "service": f"mix: [{mix}]"}


MODELS = {"mm1": (queue(1), 200_000), "mm8": (queue(8), 50_000), "gangs": (gangs(), 50_000)}


def erlang(servers):
    """Long-run values of M/M/c at a load of 0.8 and a mean service of 80 s."""
    load = 0.8 * servers
    last = load ** servers / math.factorial(servers) / (1 - 0.8)
    waits = last / (sum(load ** k / math.factorial(k) for k in range(servers)) + last)
    rate = servers / 80 * (1 - 0.8)  # of the exponential wait of those that wait
    values = {"wait_s_mean": waits / rate, "jct_s_mean": waits / rate + 80, "cpu_utilization": 0.8}
    for percent in (50, 95, 99):
        values[f"wait_s_p{percent}"] = max(0.0, math.log(waits / (1 - percent / 100)) / rate)
    if servers == 1:
        for percent in (50, 95):
            values[f"jct_s_p{percent}"] = -math.log(1 - percent / 100) / (1 / 80 - 1 / 100)
    return values


def run(berth, folder, name, model, seed, replications, horizon, window):
    text = EXPERIMENT.format(name=name, seed=seed, replications=replications, horizon=horizon, window=window, **model)
    (folder / f"{name}.yaml").write_text(text)
    subprocess.run([berth, "run", f"{name}.yaml", "-o", name, "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    with open(folder / name / "replications.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return {metric: [float(row[metric]) if row[metric] else None for row in rows]
            for metric in rows[0] if metric not in ("replication", "seed")}


def has_long_run_value(metric):
    return metric not in ALONE and not any(part in metric for part in PARTS)


def interval(values):
    n = len(values)
    mean = sum(values) / n
    sd = math.sqrt(sum((value - mean) ** 2 for value in values) / (n - 1))
    return mean, STUDENT_975[n] * sd / math.sqrt(n)


def study(berth, name, groups, of, window):
    model, horizon = MODELS[name]
    with tempfile.TemporaryDirectory() as text:
        folder = pathlib.Path(text)
        short = run(berth, folder, name, model, 1, groups * of, horizon, window)
        long = run(berth, folder, f"{name}-long", model, 2, 20, 40 * horizon, f"from: {horizon}s")
    exact = erlang(model["servers"]) if name.startswith("mm") else {}
    found = {}
    for metric, values in short.items():
        if not has_long_run_value(metric) or None in values or None in long.get(metric, [None]):
            continue
        truth = exact.get(metric, sum(long[metric]) / len(long[metric]))
        inside = 0
        for group in range(groups):
            mean, half = interval(values[group * of:(group + 1) * of])
            inside += abs(mean - truth) <= half + 1e-12 * abs(truth)
        mean = sum(values) / len(values)
        found[metric] = {"covered": inside / groups, "truth": truth, "exact": metric in exact,
                         "bias": (mean - truth) / truth if truth else mean - truth}
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("berth")
    parser.add_argument("--model", action="append", choices=sorted(MODELS))
    parser.add_argument("--groups", type=int, default=200)
    parser.add_argument("--of", type=int, default=10, choices=sorted(STUDENT_975))
    parser.add_argument("--window", default="warmUp: auto")
    parser.add_argument("--least", type=float, default=0)
    parser.add_argument("--json")
    options = parser.parse_args()
    berth = str(pathlib.Path(options.berth).resolve())
    worst = 1.0
    everything = {}
    for name in options.model or sorted(MODELS):
        found = everything[name] = study(berth, name, options.groups, options.of, options.window)
        print(f"{name}: {options.groups} studies of {options.of} replications")
        for metric, said in sorted(found.items()):
            print(f"  {metric:32} covered {said['covered']:.3f}  long-run {said['truth']:.6g}"
                  f"{' (exact)' if said['exact'] else ''}  bias {100 * said['bias']:+.2f} %")
            worst = min(worst, said["covered"])
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(everything, indent=1))
    if worst < options.least:
        print(f"a metric is covered in {worst:.3f} of the studies: expected {options.least} or more")
        sys.exit(1)


if __name__ == "__main__":
    main()
