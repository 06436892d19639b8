"""Invents a cluster of 60 nodes for docs/how-to/when-does-my-job-start.md.

python3 experiments/forecast/invent_cluster.py > docs/examples/forecast/cluster.json
"""

import datetime
import json
import random

NODES = 60
QUOTAS = {"research": 320, "product": 160}  # GPUs
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
    for team, gpus in QUOTAS.items():
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
                    "queueingStrategy": "StrictFIFO",
                    "namespaceSelector": {},
                    "resourceGroups": [group],
                    "preemption": {"withinClusterQueue": "LowerPriority"},
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
    cluster = Cluster()
    for job in jobs:
        cluster.go_on_until(job["submit"])
        cluster.waiting[job["team"]].append(job)
        cluster.start_all(job["submit"])
    cluster.go_on_until(0)
    waiting = sorted((job for queue in cluster.waiting.values() for job in queue), key=lambda job: job["submit"])
    pods = cluster.pods + [pod(job, {"phase": "Pending"}) for job in waiting]
    items = [node(number) for number in range(1, NODES + 1)] + queue_objects() + pods
    lines = ",\n".join(json.dumps(item, separators=(",", ":")) for item in items)
    print('{"apiVersion":"v1","kind":"List","items":[\n' + lines + "\n]}")


class Cluster:
    """Each team starts its jobs in their order, as far as its quota and some node have room."""

    def __init__(self):
        self.free = [8] * NODES
        self.left = dict(QUOTAS)
        self.leaving = []
        self.waiting = {team: [] for team in QUOTAS}
        self.pods = []

    def go_on_until(self, until):
        while self.leaving and min(self.leaving, key=lambda one: one[0])[0] <= until:
            gone = min(self.leaving, key=lambda one: one[0])
            self.leaving.remove(gone)
            end, number, job = gone
            self.free[number] += job["gpus"]
            self.left[job["team"]] += job["gpus"]
            self.start_all(end)

    def start_all(self, now):
        for queue in self.waiting.values():
            while queue and (place := self.room(queue[0])) is not None:
                self.start(queue.pop(0), now, place)

    def room(self, job):
        if self.left[job["team"]] < job["gpus"]:
            return None
        return next((i for i, left in enumerate(self.free) if left >= job["gpus"]), None)

    def start(self, job, now, place):
        self.free[place] -= job["gpus"]
        self.left[job["team"]] -= job["gpus"]
        end = now + job["run"]
        self.leaving.append((end, place, job))
        name = f"gpu-{place + 1:02}"
        if end <= 0:
            self.pods.append(ended(job, now, end, name))
        else:
            self.pods.append(pod(job, {"phase": "Running", "startTime": stamp(now)}, name))


main()
