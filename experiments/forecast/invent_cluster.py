"""Invents a cluster of 60 nodes for docs/how-to/when-does-my-job-start.md.

python3 experiments/forecast/invent_cluster.py > docs/examples/forecast/cluster.json
"""

import datetime
import json
import random

NODES = 60
DAYS = 5
NOW = datetime.datetime(2026, 3, 9, 12, 0, 0)
USERS = {"research": ["ana", "bo", "chen"], "product": ["dia", "eli"]}


def stamp(hours):
    return (NOW + datetime.timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ")


def node(number):
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"gpu-{number:02}"},
        "status": {
            "allocatable": {"cpu": "96", "nvidia.com/gpu": "8"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def pod(job, status, node_name=None):
    spec = {
        "activeDeadlineSeconds": job["limit"] * 3600,
        "containers": [
            {
                "name": "main",
                "resources": {"requests": {"cpu": str(11 * job["gpus"]), "nvidia.com/gpu": str(job["gpus"])}},
            }
        ],
    }
    if node_name:
        spec["nodeName"] = node_name
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": job["name"],
            "namespace": job["user"],
            "creationTimestamp": stamp(job["submit"]),
            "labels": {"kueue.x-k8s.io/queue-name": job["team"]},
        },
        "spec": spec,
        "status": status,
    }


def ended(job, start, end, node_name):
    terminated = {"exitCode": 0, "startedAt": stamp(start), "finishedAt": stamp(end)}
    status = {
        "phase": "Succeeded",
        "startTime": stamp(start),
        "containerStatuses": [{"name": "main", "state": {"terminated": terminated}}],
    }
    return pod(job, status, node_name)


def queue_objects():
    objects = [
        {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": {"name": "default"}}
    ]
    for team, gpus in (("research", 320), ("product", 160)):
        resources = [
            {"name": "cpu", "nominalQuota": 12 * gpus},
            {"name": "nvidia.com/gpu", "nominalQuota": gpus},
        ]
        group = {
            "coveredResources": ["cpu", "nvidia.com/gpu"],
            "flavors": [{"name": "default", "resources": resources}],
        }
        objects.append(
            {
                "apiVersion": "kueue.x-k8s.io/v1beta2",
                "kind": "ClusterQueue",
                "metadata": {"name": team},
                "spec": {
                    "cohortName": "lab",
                    "namespaceSelector": {},
                    "resourceGroups": [group],
                    "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
                },
            }
        )
        for user in USERS[team]:
            objects.append(
                {
                    "apiVersion": "kueue.x-k8s.io/v1beta2",
                    "kind": "LocalQueue",
                    "metadata": {"name": team, "namespace": user},
                    "spec": {"clusterQueue": team},
                }
            )
    return objects


def main():
    draw = random.Random(58)
    mood = {}
    jobs = []
    hours = -24.0 * DAYS
    while hours < 0:
        hours += draw.expovariate(3.2)
        team = "research" if draw.random() < 0.6 else "product"
        user = draw.choice(USERS[team])
        size, limit, usual = mood.get(user, (8, 24, 0.4))
        if user not in mood or draw.random() < 0.1:
            size = draw.choice([4, 8, 8, 8])
            limit = draw.choice([24, 48, 48])
            usual = draw.choice([0.3, 0.6, 0.9])
            mood[user] = (size, limit, usual)
        run = limit * min(1.0, max(0.02, draw.lognormvariate(0, 0.4) * usual))
        jobs.append(
            {
                "name": f"{team}-{len(jobs)}",
                "user": user,
                "team": team,
                "gpus": size,
                "limit": limit,
                "run": run,
                "submit": hours,
            }
        )
    jobs = [job for job in jobs if job["submit"] < 0]
    free = [8] * NODES
    leaving = []
    pods = []
    waiting = []
    for job in jobs:
        waiting.append(job)
        for end, number, gpus in sorted(leaving):
            if end > job["submit"]:
                break
            free[number] += gpus
            leaving.remove((end, number, gpus))
            while waiting and (place := room(free, waiting[0])) is not None:
                start(waiting.pop(0), end, place, free, leaving, pods)
        while waiting and (place := room(free, waiting[0])) is not None:
            start(waiting.pop(0), job["submit"], place, free, leaving, pods)
    for end, number, gpus in sorted(leaving):
        if end > 0:
            break
        free[number] += gpus
        while waiting and (place := room(free, waiting[0])) is not None:
            start(waiting.pop(0), end, place, free, leaving, pods)
    pods += [pod(job, {"phase": "Pending"}) for job in waiting]
    items = [node(number) for number in range(1, NODES + 1)] + queue_objects() + pods
    lines = ",\n".join(json.dumps(item, separators=(",", ":")) for item in items)
    print('{"apiVersion":"v1","kind":"List","items":[\n' + lines + "\n]}")


def room(free, job):
    return next((i for i, left in enumerate(free) if left >= job["gpus"]), None)


def start(job, now, place, free, leaving, pods):
    free[place] -= job["gpus"]
    end = now + job["run"]
    leaving.append((end, place, job["gpus"]))
    name = f"gpu-{place + 1:02}"
    if end <= 0:
        pods.append(ended(job, now, end, name))
    else:
        pods.append(pod(job, {"phase": "Running", "startTime": stamp(now)}, name))


main()
