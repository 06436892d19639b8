#!/usr/bin/env python3
"""Writes large requests of `berth slurm` and measures them.

large_requests.py pass [WAITING [NODES]]          one pass of backfill over jobs that wait on a full cluster
large_requests.py month [JOBS [NODES [DAYS]]]     jobs over a month, on the loops' own clock, with bf_interval=30
large_requests.py measure BERTH                   seconds of the processor and peak memory of a pass, and of months

Requests go to the standard output. A pass is measured as the difference of a request with eleven passes and one with
one, divided by ten.
"""
import json
import random
import resource
import subprocess
import sys

CORES = 32


def cluster_of(nodes, parameters):
    return {"nodes": [{"name": f"n{k + 1}", "sockets": 2, "cores_per_socket": CORES // 2, "threads_per_core": 1,
                       "memory_mib": 128000, "gpus": {}} for k in range(nodes)],
            "partitions": [{"PartitionName": "batch", "Default": "YES"}],
            "slurm_conf": {"SchedulerParameters": parameters, "DefMemPerCPU": "2000"}}


def job_of(rng, k, submit_s, hours):
    """Half of the jobs are parts of a node, and the others whole nodes, a few or many."""
    kind = rng.random()
    job = {"name": f"j{k}", "user": f"u{rng.randrange(50)}", "submit_s": round(submit_s, 3),
           "time_limit_min": rng.choice([60, 120, 240, 480, 1440])}
    if kind < 0.5:
        job |= {"nodes": 1, "ntasks": rng.choice([1, 2, 4, 8, 16])}
    elif kind < 0.9:
        job |= {"nodes": rng.choice([1, 2, 4, 8]), "tasks_per_node": rng.choice([16, CORES])}
    else:
        job |= {"nodes": rng.choice([16, 32, 64]), "tasks_per_node": CORES}
    job["sleep_s"] = round(min(60 * job["time_limit_min"], rng.expovariate(1 / (3600 * hours)) + 10), 1)
    return job


def passes_request(waiting, nodes, passes):
    """Jobs of one node each fill the cluster for good; then others wait, and backfill passes."""
    rng = random.Random(1)
    jobs = [{"name": f"r{k}", "submit_s": 0, "nodes": 1, "tasks_per_node": CORES, "run_s": 10**6,
             "sleep_s": 1, "time_limit_min": rng.randint(60, 1440)} for k in range(nodes)]
    for k in range(waiting):
        jobs.append(job_of(rng, k, 2, 1) | {"run_s": 100})
    cycles = {"main_full": [1], "main": [], "backfill": [10 + 30 * k for k in range(passes)]}
    return {"cluster": cluster_of(nodes, ""), "jobs": jobs, "cycles": cycles}


def month_request(count, nodes, days, load=0.9):
    """Jobs at a constant rate that keeps the nodes busy to about this share."""
    rng = random.Random(2)
    jobs = [job_of(rng, k, 0, 1) for k in range(count)]
    work = sum(job["sleep_s"] * job["nodes"] * job.get("tasks_per_node", job.get("ntasks", 0)) for job in jobs)
    stretch = load * nodes * CORES * days * 86400 / work
    at = 0.0
    for job in jobs:
        at += rng.expovariate(count / (days * 86400))
        job["submit_s"] = round(at, 3)
        job["time_limit_min"] = max(1, round(job["time_limit_min"] * stretch))
        job["sleep_s"] = round(job["sleep_s"] * stretch, 1)
    return {"cluster": cluster_of(nodes, "bf_interval=30"), "jobs": jobs}


def measured(berth, request):
    """(seconds of the processor, peak memory in MB, answer) of one process."""
    line = json.dumps(request) + "\n"
    begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with subprocess.Popen([berth, "slurm", "--jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        answer, _ = process.communicate(line)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime - begin, used.ru_maxrss * 1024 / 1e6, answer


def measure(berth):
    few = min(measured(berth, passes_request(1000, 1000, 1))[0] for _ in range(3))
    many = min(measured(berth, passes_request(1000, 1000, 11))[0] for _ in range(3))
    print(f"a pass over 1 000 jobs on 1 000 nodes: {(many - few) / 10 * 1000:.1f} ms")
    for count, days in ((10_000, 3), (100_000, 30)):
        seconds, memory, answer = measured(berth, month_request(count, 500, days))
        jobs = json.loads(answer)["jobs"].values()
        started = sum(bool(job.get("starts")) for job in jobs)
        print(f"{count} jobs over {days} days on 500 nodes: {seconds:.1f} s, {memory:.0f} MB, {started} started",
              flush=True)


def main():
    arguments = sys.argv[1:]
    numbers = [int(text) for text in arguments[1:]] if arguments[:1] in (["pass"], ["month"]) else []
    if arguments[:1] == ["measure"] and len(arguments) == 2:
        measure(arguments[1])
    elif arguments[:1] == ["pass"]:
        waiting, nodes = (numbers + [1000, 1000][len(numbers):])[:2]
        print(json.dumps(passes_request(waiting, nodes, 1)))
    elif arguments[:1] == ["month"]:
        count, nodes, days = (numbers + [100_000, 500, 30][len(numbers):])[:3]
        print(json.dumps(month_request(count, nodes, days)))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
