#!/usr/bin/env python3
"""Measures large cycles of `berth kai`: large_requests.py BERTH

A request is answered with its actions and without any; the difference is what the actions take.
"""

import json
import os
import random
import subprocess
import sys
import tempfile

ALL = ["allocate", "consolidation", "reclaim", "preempt", "stalegangeviction"]


def queues(gpus):
    shares = {"quota": -1.0, "limit": -1.0, "weight": 1.0}
    tree = [{"name": f"team{i}", "parent": "", "created": float(i), "priority": 100} for i in range(4)]
    tree += [
        {"name": f"team{i}-{j}", "parent": f"team{i}", "created": float(10 * i + j), "priority": 100}
        for i in range(4)
        for j in range(3)
    ]
    for queue in tree:
        part = gpus / (4 if queue["parent"] == "" else 12)
        queue |= {"cpu": shares, "memory": shares, "gpu": {"quota": float(part // 2), "limit": -1.0, "weight": 1.0}}
    return tree


def job(rng, name, queue, gpus, nodes, priority):
    """A job of pods on these nodes; of nodes that are empty texts, it waits."""
    tasks = [
        {"gpus": gpus, "status": "Running" if node else "Pending", "node": node, "group": "", "order": None}
        for node in nodes
    ]
    leaf = {"kind": "pods", "name": "default", "min": len(nodes), "topology": None, "kids": []}
    return {
        "name": name,
        "queue": queue,
        "priority": priority,
        "preemptible": True,
        "age": rng.randint(0, 200),
        "cpu": 1000.0,
        "memory": 1e9,
        "root": {"kind": "set", "name": "", "min": None, "topology": None, "kids": [leaf]},
        "tasks": tasks,
    }


def request(nodes, running, pending, actions, is_full):
    """Jobs that run fill the nodes, nearly all of them if `is_full`; then teams 0 and 1 have far more than quota."""
    rng = random.Random(1)
    free = {f"n{i:05}": 8 for i in range(nodes)}
    names = list(free)
    jobs, pods, at = [], 0, 0
    while pods < running:
        gpus = rng.choice((4, 4, 8)) if is_full else rng.choice((1, 2, 4))
        places = []
        for _ in range(rng.choice((1, 1, 2, 4))):
            tries = 0
            while free[names[at]] < gpus and tries < nodes:
                at, tries = (at + 1) % nodes, tries + 1
            if free[names[at]] < gpus:
                break
            free[names[at]] -= gpus
            places.append(names[at])
        if not places:
            break
        pods += len(places)
        queue = f"team{rng.randint(0, 1 if is_full else 3)}-{rng.randint(0, 2)}"
        jobs.append(job(rng, f"r{len(jobs):05}", queue, gpus, places, rng.choice((50, 50, 75))))
    count = 0
    while count < pending:
        size = rng.choice((1, 1, 1, 2, 4))
        count += size
        queue = f"team{rng.randint(0, 3)}-{rng.randint(0, 2)}"
        gpus = rng.choice((1, 2, 4, 8))
        jobs.append(job(rng, f"w{len(jobs):05}", queue, gpus, [""] * size, rng.choice((50, 50, 75))))
    listed = [
        {"name": name, "gpus": 8, "cpu": 64000.0, "memory": 512e9, "pods": 110, "labels": {}} for name in names
    ]
    return {"kind": "cycle", "nodes": listed, "queues": queues(8.0 * nodes), "jobs": jobs, "actions": actions}


def seconds(berth, asked):
    with tempfile.TemporaryFile("w+") as line:
        line.write(json.dumps(asked) + "\n")
        line.seek(0)
        process = subprocess.Popen([berth, "kai", "--jsonl"], stdin=line, stdout=subprocess.PIPE)
        answer = process.stdout.read()
        _, _, used = os.wait4(process.pid, 0)
    return used.ru_utime + used.ru_stime, json.loads(answer)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: large_requests.py BERTH")
    for nodes, running, pending, actions, is_full in (
        (1000, 1500, 2002, ["allocate"], False),
        (4000, 6000, 6003, ["allocate"], False),
        (1000, 1500, 1500, ALL, True),
        (4000, 6000, 6003, ALL, True),
    ):
        least, _ = seconds(sys.argv[1], request(nodes, running, pending, [], is_full))
        most, answer = seconds(sys.argv[1], request(nodes, running, pending, actions, is_full))
        events = [event[0] for event in answer["events"]]
        print(
            f"{nodes} nodes, {running} pods running and {pending} waiting, {len(actions)} actions: "
            f"{1000 * (most - least):.1f} ms, {events.count('evict')} evictions, {events.count('bind')} starts",
            flush=True,
        )


if __name__ == "__main__":
    main()
