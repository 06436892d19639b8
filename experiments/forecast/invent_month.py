"""Invents a month of a Slurm cluster's accounting for docs/how-to/is-my-cluster-reproduced.md.

python3 experiments/calibrate/invent_month.py > docs/examples/calibrate/month.sacct

Sixteen nodes of eight GPUs. Jobs start in the order in which they were submitted; behind the first that waits, others
start if its reservation stays where it is. One account may use only 40 GPUs at a time, which no row of an accounting
says.
"""

import datetime
import heapq
import math
import random

NODES, GPUS = 16, 8
DAYS = 30
BEGIN = datetime.datetime(2026, 1, 1)
USERS = {"ana": ("vision", 5), "bo": ("vision", 3), "chen": ("speech", 4), "dia": ("speech", 2), "eli": ("robots", 4)}
LIMITED = {"robots": 40}  # GPUs of an account
SIZES = {1: 45, 2: 20, 4: 15, 8: 12, 16: 6, 32: 2}  # GPUs of a job, and how many of a hundred jobs have so many
LIMITS = [3600 * hours for hours in (1, 4, 12, 24, 48)]
JOBS_A_DAY = 48


def draw_jobs(draws):
    jobs = []
    for day in range(DAYS):
        weekend = (BEGIN + datetime.timedelta(days=day)).weekday() >= 5
        for _ in range(round(JOBS_A_DAY * (0.45 if weekend else 1.2) * draws.uniform(0.75, 1.25))):
            hour = draws.triangular(0, 24, 14)
            user = draws.choices(list(USERS), [share for _, share in USERS.values()])[0]
            length = min(LIMITS[-1], max(30, round(draws.lognormvariate(math.log(6 * 3600), 1.5))))
            limit = next(limit for limit in LIMITS if limit >= length)
            limit = draws.choice([limit, limit, LIMITS[min(len(LIMITS) - 1, LIMITS.index(limit) + 1)]])
            gpus = draws.choices(list(SIZES), list(SIZES.values()))[0]
            jobs.append(
                {
                    "submit": round(3600 * (24 * day + hour)),
                    "user": user,
                    "account": USERS[user][0],
                    "gpus": gpus,
                    "length": length,
                    "limit": limit,
                }
            )
    jobs.sort(key=lambda job: job["submit"])
    return [{**job, "number": number} for number, job in enumerate(jobs)]


def nodes_for(job, free):
    """The nodes that a job would take, those with the fewest free GPUs first, or None."""
    count, each = max(1, job["gpus"] // GPUS), min(job["gpus"], GPUS)
    fitting = sorted((node for node in range(NODES) if free[node] >= each), key=lambda node: (free[node], node))
    return fitting[:count] if len(fitting) >= count else None


def change(free, job, sign):
    for node in job["nodes"]:
        free[node] += sign * min(job["gpus"], GPUS)


def reservation(job, free, running):
    """When a job that waits can start at the latest, and the GPUs that are free beside it then."""
    then = list(free)
    for other in sorted(running, key=lambda other: other["start"] + other["limit"]):
        change(then, other, 1)
        if (nodes := nodes_for(job, then)) is not None:
            change(then, {**job, "nodes": nodes}, -1)
            return other["start"] + other["limit"], then
    raise ValueError("a job that fits on no cluster")


def decide(now, waiting, free, running):
    """Starts what can start, and returns the jobs that still wait."""
    reserved = None
    left = []
    for job in waiting:
        used = sum(other["gpus"] for other in running if other["account"] == job["account"])
        if used + job["gpus"] > LIMITED.get(job["account"], NODES * GPUS):
            left.append(job)
            continue
        nodes = nodes_for(job, free)
        if nodes is not None and reserved is not None and now + job["limit"] > reserved[0]:
            nodes = nodes_for(job, [min(pair) for pair in zip(free, reserved[1], strict=True)])
            if nodes is not None:
                change(reserved[1], {**job, "nodes": nodes}, -1)
        if nodes is None:
            reserved = reserved or reservation(job, free, running)
            left.append(job)
            continue
        job.update(start=now, nodes=nodes)
        change(free, job, -1)
        running.append(job)
    return left


def run(jobs):
    events = [(job["submit"], 0, job["number"]) for job in jobs]
    heapq.heapify(events)
    free, running, waiting = [GPUS] * NODES, [], []
    while events:
        now, ends, number = heapq.heappop(events)
        job = jobs[number]
        if ends:
            change(free, job, 1)
            running.remove(job)
        else:
            waiting.append(job)
        before = len(running)
        waiting = decide(now, waiting, free, running)
        for started in running[before:]:
            heapq.heappush(events, (now + started["length"], 1, started["number"]))


def stamp(seconds):
    return (BEGIN + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S")


def amount(seconds):
    days, rest = divmod(seconds, 86400)
    hours = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    return f"{days}-{hours}" if days else hours


def main():
    jobs = draw_jobs(random.Random(7))
    run(jobs)
    print("JobID|User|Account|Submit|Start|End|Timelimit|State|NNodes|AllocTRES")
    for job in jobs:
        tres = f"cpu={12 * job['gpus']},gres/gpu={job['gpus']},mem={96 * job['gpus']}G,node={len(job['nodes'])}"
        print(
            1000 + job["number"],
            job["user"],
            job["account"],
            stamp(job["submit"]),
            stamp(job["start"]),
            stamp(job["start"] + job["length"]),
            amount(job["limit"]),
            "COMPLETED",
            len(job["nodes"]),
            tres,
            sep="|",
        )


main()
