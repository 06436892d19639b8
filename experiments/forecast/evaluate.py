"""Measures how well berth forecasts starts on a trace: coverage, error and width, and controls.

python3 experiments/forecast/evaluate.py BERTH TRACE.swf [MOMENTS]
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

SYSTEMS = {
    "240 CPUs, 1.8 times as dense": (240, 1.8),
    "240 CPUs, 1.4 times as dense": (240, 1.4),
    "128 CPUs": (128, 1),
}
EXPERIMENT = """apiVersion: berth/v1
kind: Experiment
metadata: {{name: truth}}
spec:
  topology:
    spec:
      levels: [{{name: server, count: 1}}]
      machines: [{{type: node}}]
      machineTypes: {{node: {{capacity: {{cpu: {cpus}}}}}}}
  workload:
    - trace: {{format: swf, file: {trace}}}
      rate: {rate}
  scheduler: {{profile: {{queueSort: easy-backfill}}}}
  record: {{placements: false}}
"""
INDEPENDENT = ["--independent"]
LIMITS = ["--run-times", "limits", "--independent", "--no-arrivals"]
POOLED = ["--run-times", "pooled", "--independent"]


def known_jobs(trace):
    """Header, and the fields of the jobs whose run time is known."""
    lines = Path(trace).read_text().splitlines()
    header = [line for line in lines if line.startswith(";")]
    jobs = [line.split() for line in lines if not line.startswith(";")]
    return header, [job for job in jobs if len(job) == 18 and float(job[3]) > 0]


def write_trace(file, header, jobs):
    file.write_text("\n".join(header + [" ".join(job) for job in jobs]) + "\n")


def shuffled(jobs):
    """The same jobs, whose run times are the same parts of their limits, in another order."""
    parts = [float(job[3]) / float(job[8]) for job in jobs]
    random.Random(1).shuffle(parts)
    return [[*job[:3], str(max(1, round(part * float(job[8])))), *job[4:]] for job, part in zip(jobs, parts)]


def check(berth, folder, trace, system, seed, moments, options):
    cpus, rate = system
    (folder / "truth.yaml").write_text(EXPERIMENT.format(cpus=cpus, rate=rate, trace=trace))
    subprocess.run(
        [berth, "run", "truth.yaml", "--quiet", "-o", "truth"],
        cwd=folder,
        check=True,
        stderr=subprocess.DEVNULL,
    )
    command = [berth, "forecast", "truth", "--check", str(moments), "--seed", str(seed), "--json", *options]
    return json.loads(subprocess.run(command, cwd=folder, check=True, capture_output=True).stdout)["check"]


def row(name, found):
    by_moment = [interval["by_moment"] for interval in found["intervals"]]
    middle = found["intervals"][1]
    print(
        f"{name:<50} {by_moment[0]:5.1f} {by_moment[1]:5.1f} ({middle['least']:.1f} to {middle['most']:.1f}) "
        f"{by_moment[2]:5.1f}  by job {middle['by_job']:5.1f}  CRPS {found['crps_s'] / found['crps_of_limits_s']:.2f} "
        f"width {found['width_s'] / found['all_at_limit_s']:.2f}",
        flush=True,
    )


def main():
    berth = str(Path(sys.argv[1]).resolve())
    moments = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    header, jobs = known_jobs(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_trace(folder / "jobs.swf", header, jobs)
        write_trace(folder / "shuffled.swf", header, shuffled(jobs))
        for system, values in SYSTEMS.items():
            for seed in (1, 2, 3):
                row(f"{system}, draw {seed}", check(berth, folder, "jobs.swf", values, seed, moments, []))
        dense = SYSTEMS["240 CPUs, 1.8 times as dense"]
        row("control: limits alone", check(berth, folder, "jobs.swf", dense, 1, moments, LIMITS))
        row(
            "control: jobs of a user are independent",
            check(berth, folder, "jobs.swf", dense, 1, moments, INDEPENDENT),
        )
        row("control: no arrivals", check(berth, folder, "jobs.swf", dense, 1, moments, ["--no-arrivals"]))
        row(
            "control: shuffled run times, pooled",
            check(berth, folder, "shuffled.swf", dense, 1, moments, POOLED),
        )


main()
