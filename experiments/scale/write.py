#!/usr/bin/env python3
"""Large inputs that measure.py reads and no document can describe in a few lines. What is drawn is the same each time.

usage: write.py nodes FILE N                        N Kubernetes nodes, as `kubectl get nodes -o json` prints them
       write.py estimates FILE N SHORTEST LONGEST   a trace of N jobs with estimates of SHORTEST to LONGEST times
                                                    their length
       write.py queues FILE COHORTS QUEUES JOBS KIND   an experiment in which Kueue admits JOBS jobs to so many
                                                    ClusterQueues in each of so many cohorts; KIND is one of
                                                    sizes, priorities, groups
"""
import json
import math
import random
import sys


def node(number):
    """A node with the data that a node of a cloud has besides what berth reads: images, conditions, annotations."""
    name = f"node-{number:06}"
    amounts = {"cpu": "191800m", "ephemeral-storage": "3480000000Ki", "hugepages-2Mi": "0", "memory": "2100000000Ki",
               "nvidia.com/gpu": "8", "pods": "110"}
    conditions = [{"lastHeartbeatTime": "2026-01-31T12:00:00Z", "lastTransitionTime": "2026-01-01T12:00:00Z",
                   "message": f"kubelet has no {kind}", "reason": f"KubeletHasNo{kind}", "status": "False",
                   "type": kind}
                  for kind in ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")]
    conditions.append(conditions[0] | {"message": "kubelet is posting ready status", "reason": "KubeletReady",
                                       "status": "True", "type": "Ready"})
    images = [{"names": [f"registry.example.com/team/image-{i}@sha256:{i:064x}",
                         f"registry.example.com/team/image-{i}:v1"],
               "sizeBytes": 1_000_000_000 + i} for i in range(8)]
    labels = {"kubernetes.io/arch": "amd64", "kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
              "node.kubernetes.io/instance-type": "hgx", "nvidia.com/gpu.count": "8", "nvidia.com/gpu.memory": "81559",
              "nvidia.com/gpu.product": "H100", "topology.kubernetes.io/region": "region-0",
              "topology.kubernetes.io/zone": f"zone-{number // 1024}"}
    metadata = {"annotations": {"csi.volume.kubernetes.io/nodeid": json.dumps({"csi.example.com": name})},
                "creationTimestamp": "2026-01-01T12:00:00Z", "labels": labels, "name": name,
                "resourceVersion": str(number), "uid": f"{number:08x}-0000-4000-8000-000000000000"}
    status = {"addresses": [{"address": f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}", "type": "InternalIP"},
                            {"address": name, "type": "Hostname"}],
              "allocatable": amounts, "capacity": amounts, "conditions": conditions, "images": images,
              "nodeInfo": {"architecture": "amd64", "containerRuntimeVersion": "containerd://1.7.0",
                           "kernelVersion": "6.1.0", "kubeletVersion": "v1.31.0", "operatingSystem": "linux"}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": {"podCIDR": "10.0.0.0/24"},
            "status": status}


def write_nodes(out, count):
    out.write('{\n    "apiVersion": "v1",\n    "items": [\n')
    for number in range(int(count)):
        text = json.dumps(node(number), indent=4).replace("\n", "\n        ")
        out.write("        " + text + (",\n" if number + 1 < int(count) else "\n"))
    out.write('    ],\n    "kind": "List"\n}\n')


def write_estimates(out, count, shortest, longest):
    """The jobs of backfill.yaml, and gangs: 3 in 100 have four pods of 8 GPUs. They arrive at the same rate, 1.1 times
    what the cluster can do."""
    draw = random.Random(1)
    gang, gpus = 0.03, 0.97 * 3.75 + 0.03 * 32
    gap, sigma = gpus * 7200 / 8000 / 1.1, math.sqrt(math.log(2))
    submit = 0.0
    out.write("name,submit,run_time,time_limit,gpus,members\n")
    for number in range(int(count)):
        submit += draw.expovariate(1 / gap)
        length = 7200 * math.exp(draw.gauss(-sigma * sigma / 2, sigma))
        limit = length * draw.uniform(float(shortest), float(longest))
        size, members = (8, 4) if draw.random() < gang else (draw.choice([1, 2, 4, 8]), 1)
        out.write(f"job-{number},{submit:.6f},{length:.6f},{limit:.6f},{size},{members}\n")


# The jobs that arrive at a queue of 20 CPUs: CPUs, seconds, relative frequency, priority.
SIZES = [(1, 20, 7, 0), (5, 50, 2, 0), (20, 100, 1, 0)]
PRIORITIES = [(cpus, 60, 1, priority) for cpus in (1, 2, 3, 4, 5, 8, 10, 20) for priority in range(10)]
GROUPS = [(members, 60, 1, 0) for members in (4, 8, 16, 32)]
KINDS = {"sizes": (SIZES, 1.1, 20), "priorities": (PRIORITIES, 2, 20), "groups": (GROUPS, 1.1, 800)}


def queue_objects(cohorts, queues, quota, topology):
    """The objects in flow style, one per line: JSON is YAML."""
    flavor = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": {"name": "default"}}
    objects = [flavor]
    if topology:
        flavor["spec"] = {"nodeLabels": {"pool": "all"}, "topologyName": "racks"}
        levels = [{"nodeLabel": "example.com/topology-rack"}, {"nodeLabel": "kubernetes.io/hostname"}]
        objects.append({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Topology", "metadata": {"name": "racks"},
                        "spec": {"levels": levels}})
    for number in range(cohorts * queues):
        cpus = {"name": "cpu", "nominalQuota": quota, "borrowingLimit": 5 * quota}
        spec = {"cohortName": f"cohort-{number // queues}", "namespaceSelector": {},
                "resourceGroups": [{"coveredResources": ["cpu"],
                                    "flavors": [{"name": "default", "resources": [cpus]}]}],
                "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"}}
        objects.append({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue",
                        "metadata": {"name": f"queue-{number}"}, "spec": spec})
    return objects


def write_queues(out, cohorts, queues, jobs, kind):
    cohorts, queues, jobs = int(cohorts), int(queues), int(jobs)
    arriving, load, quota = KINDS[kind]
    topology = kind == "groups"
    weights = sum(weight for _, _, weight, _ in arriving)
    work = sum(cpus * seconds * weight for cpus, seconds, weight, _ in arriving) / weights
    mix = []
    for number in range(cohorts * queues):
        for cpus, seconds, weight, priority in arriving:
            entry = {"weight": weight, "service": {"distribution": "constant", "value": f"{seconds}s"},
                     "priority": priority, "quota": f"queue-{number}"}
            if topology:
                rack = {"level": "rack", "affinity": "pack", "soft": True, "scope": "group"}
                group = {"name": f"group-{number}-{cpus}", "size": cpus, "type": "cpus-1"}
                entry["group"] = {"spec": {"group": group, "constraints": [rack]}}
            else:
                entry |= {"type": f"cpus-{cpus}", "name": f"job-{number}-{cpus}-{priority}"}
            mix.append(entry)
    gap = round(work / quota / load / (cohorts * queues) * 1e6)
    # Quota is what is scarce: there is room for two thirds more than all quotas or, with a topology, for a little more.
    racks, cpus_a_server = (64, 8) if topology else (-(-cohorts * queues // 60), 200)
    machine = {"capacity": {"cpu": cpus_a_server}, "labels": {"pool": "all"}}
    spec = {"topology": {"spec": {"levels": [{"name": "rack", "count": racks}, {"name": "server", "count": 10}],
                                  "machines": [{"type": "node"}], "machineTypes": {"node": machine}}},
            "types": {f"cpus-{cpus}": {"cpu": cpus} for cpus in sorted({1, *(kind[0] for kind in arriving)})},
            "workload": [{"generate": {"arrivals": {"distribution": "exponential", "mean": f"{gap}us"}, "count": jobs,
                                       "mix": mix}}],
            "scheduler": {"kueue": {"objects": queue_objects(cohorts, queues, quota, topology)}}}
    json.dump({"apiVersion": "berth/v1", "kind": "Experiment", "metadata": {"name": "queues"}, "spec": spec}, out,
              indent=1)


KINDS_OF_FILES = {"nodes": write_nodes, "estimates": write_estimates, "queues": write_queues}


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in KINDS_OF_FILES:
        sys.exit(__doc__)
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        KINDS_OF_FILES[sys.argv[1]](out, *sys.argv[3:])


if __name__ == "__main__":
    main()
