#!/usr/bin/env python3
"""Answers random requests of `berth kube` whose pods claim devices, and repeats them plainly with models.

usage: compare_claims.py BERTH MODELS [--count N] [--first SEED]

MODELS is the folder of kube_scheduler.py and dra.py; without it nothing is compared (status 77). A request of the kind
`sequence` has the nodes, objects and pods of a random run of compare_device_runs.py; each cycle asks the model about
each node anew, with all claims that are allocated. The last pod of each is also asked about in a request `schedule`.
Every difference is printed with its seed; the status is 1 if there is any.
"""
import argparse
import os
import random
import sys

import compare_runs
from compare import answers_of
from compare_device_runs import Book, add_devices, with_devices
from compare_runs import nodes_of
from plain_gangs import CycleError

LISTS = {"DeviceClass": "classes", "ResourceSlice": "slices", "ResourceClaim": "resourceClaims",
         "ResourceClaimTemplate": "resourceClaimTemplates", "Namespace": "namespaces", "Service": "services"}


def pods_of(document):
    spec, pods = document["spec"], []
    for entry in spec["workload"][0]["groups"]:
        group = entry["document"]["spec"]["group"]
        says = {key: entry[key] for key in ("affinity", "nodeSelector", "topologySpreadConstraints", "resourceClaims")
                if key in entry}
        requests = {key: str(value) for key, value in spec["types"][group["type"]].items()}
        for number in range(group["size"]):
            pods.append({
                "metadata": {"name": f"{entry['name']}-{number}", "uid": f"{entry['name']}-{number}",
                             "namespace": entry.get("namespace", "default"), "labels": entry.get("labels", {})},
                "spec": {**says, "priority": entry["priority"],
                         "containers": [{"name": "main", "resources": {"requests": requests}}]}, "status": {}})
    return pods


def request_of(seed):
    document, *counts = compare_runs.experiment(seed)
    add_devices(random.Random(f"devices {seed}"), document, counts)
    request = {"kind": "sequence", "nodes": nodes_of(*counts), "pending": pods_of(document)}
    for one in document["spec"]["scheduler"]["kube"]["objects"]:
        if one["kind"] in LISTS:
            request.setdefault(LISTS[one["kind"]], []).append(one)
    return request, document["spec"]["scheduler"]["kube"]["objects"]


def plain_answer(model, dra, request, objects):
    """The node of each pod, and the devices that its claims have there."""
    book, running, start, hosts, devices = Book(dra, objects), [], 0, [], []
    by_name = {node["metadata"]["name"]: node for node in request["nodes"]}
    scheduler = with_devices(model, book).Scheduler
    for pod in request["pending"]:
        hosts.append(None)
        devices.append(None)
        if not book.is_there(pod):
            continue
        one = scheduler({"nodes": request["nodes"], "pods": running, "pod": pod, "nextStartNodeIndex": start,
                         "namespaces": request.get("namespaces", []), "services": request.get("services", [])})
        try:
            feasible, _ = one.find(pod)
        except CycleError:
            start = one.next
            continue
        start = one.next
        if not feasible:
            continue
        hosts[-1] = feasible[0].name
        if len(feasible) > 1:
            hosts[-1] = model.heap_pop([node.name for node in feasible], one.score(pod, feasible)[1])
        if pod["spec"].get("resourceClaims"):
            book.reserve(pod, by_name[hosts[-1]])
            devices[-1] = {claim["name"]: [
                {key: device[key] for key in ("driver", "pool", "device")}
                for device in book.held[key]["allocation"]["devices"]["results"]]
                for claim, (key, _) in zip(pod["spec"]["resourceClaims"], book.claims(pod))}
        running.append({**pod, "spec": {**pod["spec"], "nodeName": hosts[-1]}})
    return hosts, devices


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth")
    parser.add_argument("models")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--first", type=int, default=1)
    given = parser.parse_args()
    if not os.path.isdir(given.models):
        return 77
    sys.path.insert(0, given.models)
    import dra
    import kube_scheduler
    different = placed = 0
    for seed in range(given.first, given.first + given.count):
        request, objects = request_of(seed)
        alone = {**{key: value for key, value in request.items() if key != "pending"}, "kind": "schedule",
                 "pod": request["pending"][-1]}
        first = {**request, "pending": request["pending"][-1:]}
        got, got_first, cycle = answers_of(given.berth, [request, first, alone])
        hosts, devices = plain_answer(kube_scheduler, dra, request, objects)
        placed += sum(bool(one) for one in devices)
        if (got.get("hosts"), got.get("devices")) != (hosts, devices):
            different += 1
            print(f"{seed}:\n  model: {hosts} {devices}\n  berth: {got}")
        elif (cycle.get("chosen"), cycle.get("devices")) != (got_first["hosts"][0], got_first["devices"][0]):
            different += 1
            print(f"{seed}: {cycle}\n  in a sequence: {got_first}")
    print(f"{given.count} requests, {placed} pods with devices: {different} differences")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
