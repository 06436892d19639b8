#!/usr/bin/env python3
"""How often the 95 % interval of each metric in summary.json covers the metric's long-run value.

usage: coverage.py BERTH [--model mm1|mm8|gangs]... [--studies N] [--first SEED] [--jobs N]
                   [--only METRIC]... [--least SHARE] [--json FILE]

A study is what a user would do: `berth run` of one experiment with a seed of its own and ten replications, from an
empty cluster, with `warmUp: auto`. Its `mean` and `ci95` either cover the long-run value or do not. That value is
exact where queueing theory gives it (long_run.py); otherwise it is the mean of a run that is four hundred times as
long as a replication. Metrics that grow with the run have a long-run rate: for submitted pods, the expected number in
the time that the study measured. With --least, the exit status is 1 if a smaller share of the studies covers a metric.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import long_run  # noqa: E402

REPLICATIONS = 10
# Metrics that a longer run brings no closer to a limit: the longest wait grows without bound, the mean slowdown of
# exponential services is infinite, and the others say when the run ended.
WITHOUT_LONG_RUN_VALUE = ("wait_s_max", "slowdown_mean", "makespan_s", "end_s", "measured_s")
PER_SECOND = ("pods_submitted", "pods_finished", "groups_submitted", "groups_started")

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
"""

GANG = ("{{group: {{kind: GroupPlacement, spec: {{group: {{name: gang-{size}, size: {size}, "
        "type: one}}}}}}, weight: {weight}, "
        "service: {{distribution: exponential, mean: 120s}}}}")


def queue(servers):
    return {"servers": servers, "capacity": "cpu: 1", "demand": "cpu: 1", "gap": 100 / servers,
            "service": "type: one\n        service: {distribution: exponential, mean: 80s}"}


def gangs():
    """Gangs of 1, 4 and 32 GPUs on eight servers with eight GPUs each: the long-run utilization is 62.5 %."""
    sizes = ((1, 6), (4, 3), (32, 1))
    mix = ", ".join(GANG.format(size=size, weight=weight) for size, weight in sizes)
    return {"servers": 8, "capacity": "cpu: 32, nvidia.com/gpu: 8",
            "demand": "nvidia.com/gpu: 1, cpu: 4", "gap": 15, "service": f"mix: [{mix}]"}


MODELS = {"mm1": queue(1), "mm8": queue(8), "gangs": gangs()}


def metrics_of(berth, folder, model, seed, horizon, window, replications=REPLICATIONS):
    name = f"of-seed-{seed}"
    text = EXPERIMENT.format(name=name, seed=seed, replications=replications, horizon=horizon,
                             window=window, **model)
    (folder / f"{name}.yaml").write_text(text)
    threads = "2" if replications > REPLICATIONS else "1"
    subprocess.run([berth, "run", f"{name}.yaml", "-o", name, "--quiet", "--threads", threads],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL)
    metrics = json.loads((folder / name / "summary.json").read_text())["metrics"]
    subprocess.run(["rm", "-r", name], cwd=folder, check=True)
    return metrics


def long_run_values(berth, folder, name, horizon):
    if name.startswith("mm"):
        servers = MODELS[name]["servers"]
        rate = 1 / MODELS[name]["gap"]
        return long_run.values(servers) | {"pods_submitted": rate, "pods_finished": rate}
    metrics = metrics_of(berth, folder, MODELS[name], 1_000_003, 10 * horizon,
                         f"from: {horizon}s", 4 * REPLICATIONS)
    measured = metrics["measured_s"]["mean"]
    return {metric: said["mean"] / (measured if metric in PER_SECOND else 1)
            for metric, said in metrics.items()}


def study(berth, folder, name, seed, horizon, values):
    """The mean of each metric, its long-run value, and whether its interval covers that value."""
    metrics = metrics_of(berth, folder, MODELS[name], seed, horizon, "warmUp: auto")
    out = {}
    for metric, said in metrics.items():
        if metric in WITHOUT_LONG_RUN_VALUE:
            continue
        value = values.get(metric, 0.0 if said["max"] == 0 else None)
        if value is None or said["mean"] is None:
            out[metric] = None
            continue
        value *= metrics["measured_s"]["mean"] if metric in PER_SECOND else 1
        # A metric that is equal in all replications is exact, except for rounding.
        reach = said["ci95"] + 1e-9 * abs(value)
        out[metric] = (said["mean"], value, abs(said["mean"] - value) <= reach)
    return out


def coverage(berth, name, seeds, jobs, only):
    horizon = round(jobs * MODELS[name]["gap"])
    with tempfile.TemporaryDirectory() as text, ThreadPoolExecutor(2) as pool:
        folder = pathlib.Path(text)
        values = long_run_values(berth, folder, name, horizon)
        made = list(pool.map(lambda seed: study(berth, folder, name, seed, horizon, values),
                             seeds))
    found = {}
    for metric in made[0]:
        if only and metric not in only:
            continue
        if any(one.get(metric) is None for one in made):
            found[metric] = None
            continue
        mean, value = (sum(one[metric][i] for one in made) / len(made) for i in (0, 1))
        found[metric] = {"covered": sum(one[metric][2] for one in made) / len(made),
                         "long_run": value,
                         "bias": (mean - value) / value if value else mean - value}
    return found


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter,
                                     description=__doc__)
    parser.add_argument("berth")
    parser.add_argument("--model", action="append", choices=sorted(MODELS))
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--first", type=int, default=1, help="the seed of the first study")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=40_000, help="of one replication")
    parser.add_argument("--least", type=float, default=0)
    parser.add_argument("--json")
    options = parser.parse_args()
    berth = str(pathlib.Path(options.berth).resolve())
    too_seldom = []
    everything = {}
    seeds = range(options.first, options.first + options.studies)
    for name in options.model or sorted(MODELS):
        found = everything[name] = coverage(berth, name, seeds, options.jobs, options.only)
        print(f"{name}: {options.studies} studies of {REPLICATIONS} replications "
              f"of {options.jobs} jobs")
        for metric, said in sorted(found.items()):
            if said is None:
                print(f"  {metric:44} has no long-run value here")
                too_seldom.append(f"{name} {metric}")
                continue
            print(f"  {metric:44} covered {said['covered']:.3f}  "
                  f"long-run {said['long_run']:.6g}  bias {100 * said['bias']:+.2f} %", flush=True)
            if said["covered"] < options.least:
                too_seldom.append(f"{name} {metric}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(everything, indent=1))
    if options.least and too_seldom:
        print(f"covered by less than {options.least} of the studies: " + ", ".join(too_seldom))
        sys.exit(1)


if __name__ == "__main__":
    main()
