#!/usr/bin/env python3
"""Runs random experiments in which Kueue admits jobs and kube-scheduler places their pods.

usage: compare_admitted.py BERTH [--count N] [--first SEED]

Two things are compared, without any model. If quota has no bound, Kueue keeps no job waiting, and the run has to be
the one that kube-scheduler alone decides. If all pods that have quota fit anywhere, kube-scheduler keeps none waiting,
and Kueue has to admit and preempt the same jobs at the same times as with a profile behind it; all pods have to be on
nodes of their flavor. Every difference is printed with its seed; the status is 1 if there is any.
"""
import argparse
import copy
import random
import sys

from compare_runs import experiment, tables_of


def kueue_object(kind, name, spec):
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "metadata": {"name": name}, "spec": spec}


def cluster_queue(name, quotas, more):
    """`quotas`: of each flavor, the quota of each resource."""
    flavors = [{"name": flavor, "resources": [{"name": key, "nominalQuota": value} for key, value in of.items()]}
               for flavor, of in quotas.items()]
    groups = [{"coveredResources": list(next(iter(quotas.values()))), "flavors": flavors}]
    return kueue_object("ClusterQueue", name, {"namespaceSelector": {}, "resourceGroups": groups, **more})


def configuration(timeout):
    return {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
            "waitForPodsReady": {"timeout": timeout}}


def without_bound(seed):
    """The run of compare_runs.py alone, and with Kueue before it, whose only queue has quota for everything."""
    alone, *_ = experiment(seed)
    alone["spec"]["scheduler"]["kube"].pop("gangs", None)  # they are refused behind Kueue
    for source in alone["spec"]["workload"]:
        for entry in source.get("groups", []):
            entry.pop("schedulingGroup", None)
    both = copy.deepcopy(alone)
    everything = {"cpu": 10**6, "memory": "1000Ti", "nvidia.com/gpu": 10**6}
    both["spec"]["scheduler"]["kueue"] = {"objects": [
        configuration("9000h"), kueue_object("ResourceFlavor", "all", {}),
        cluster_queue("queue", {"all": everything}, {})]}
    for source in both["spec"]["workload"]:
        for entry in [*source.get("groups", []), *source.get("pods", [])]:
            entry["quota"] = "queue"
    return alone, both


def without_places(seed):
    """Queues that lend and preempt, for pods of one CPU each on servers that hold all that has quota: once with a
    profile behind Kueue, and once with kube-scheduler."""
    rng = random.Random(seed)
    pools = rng.randint(1, 2)
    servers = rng.randint(1, 3)
    names = ["a", "b", "c"][:rng.randint(1, 3)]
    flavors = {f"pool-{pool}": {"cpu": 8 * servers // len(names)} for pool in range(pools)}
    objects = [configuration("9000h")]
    for pool in range(pools):
        objects.append(kueue_object("ResourceFlavor", f"pool-{pool}", {"nodeLabels": {"pool": str(pool)}}))
    for name in names:
        objects.append(cluster_queue(name, flavors, {
            "cohortName": "all", "queueingStrategy": rng.choice(["StrictFIFO", "BestEffortFIFO"]),
            "preemption": {"withinClusterQueue": rng.choice(["Never", "LowerPriority"]),
                           "reclaimWithinCohort": rng.choice(["Never", "LowerPriority", "Any"])}}))
    groups = []
    for number in range(rng.randint(5, 40)):
        size = rng.choice([1, 1, 2, 3, 5])
        spec = {"group": {"name": f"g{number}", "size": size, "type": "one"}}
        groups.append({"document": {"apiVersion": "berth/v1", "kind": "GroupPlacement",
                                    "metadata": {"name": f"g{number}"}, "spec": spec},
                       "name": f"g{number}", "at": f"{rng.randint(0, 2000)}s", "quota": rng.choice(names),
                       "priority": rng.choice([0, 0, 5]), "lifetime": f"{rng.randint(1, 2000)}s"})
    kueue = {"objects": objects}
    if rng.random() < 0.3:
        kueue["grace"] = f"{rng.randint(1, 60)}s"
    if rng.random() < 0.3:
        kueue["latency"] = {"admit": f"{rng.randint(1, 3000)}ms"}
    spec = {"topology": {"spec": {
                "levels": [{"name": "rack", "count": pools}, {"name": "server", "count": servers}],
                "machines": [{"type": f"m{pool}", "weight": 1} for pool in range(pools)],
                "machineTypes": {f"m{pool}": {"capacity": {"cpu": 8}, "labels": {"pool": str(pool)}}
                                 for pool in range(pools)}}},
            "types": {"one": {"cpu": 1}}, "workload": [{"groups": groups}], "until": "3h",
            "scheduler": {"kueue": kueue}}
    document = {"apiVersion": "berth/v1", "kind": "Experiment", "metadata": {"name": f"random-{seed}"}, "spec": spec}
    both = copy.deepcopy(document)
    both["spec"]["scheduler"]["kube"] = {}
    return document, both


def strays(berth, seed):
    """How many pods are not on a node of the flavor that their job got last: servers are of each pool in turn."""
    _, both = without_places(seed)
    tables = rows_of(berth, both, {"pods.csv": ["group", "node"], "admissions.csv": ["job", "queued_s", "amounts"]})
    flavors = {}
    for job, _, amounts in sorted(tables["admissions.csv"], key=lambda row: float(row[1])):
        flavors[job] = amounts
    pools = len(both["spec"]["topology"]["spec"]["machineTypes"])
    return sum(node != "" and not flavors[group].startswith(f"pool-{int(node.split('-')[1]) % pools}:cpu=")
               for group, node in tables["pods.csv"])


def rows_of(berth, document, wanted):
    """The rows of each wanted table with these columns, or with all, sorted; or an error."""
    tables = tables_of(berth, document, wanted)
    if isinstance(tables, str):
        return tables
    return {table: sorted([row[column] for column in columns or row] for row in tables[table])
            for table, columns in wanted.items()}


def compare(berth, seed, make, wanted):
    """Whether the two runs of a seed have the same rows."""
    one, other = (rows_of(berth, document, wanted) for document in make(seed))
    if one == other and isinstance(one, dict):
        return True
    print(f"{make.__name__}, seed {seed}:")
    if not isinstance(one, dict) or not isinstance(other, dict):
        print(f"  {one if isinstance(one, str) else other}")
        return False
    for table in wanted:
        for left, right in zip(one[table], other[table]):
            if left != right:
                print(f"  {table}: {left}\n  {' ' * len(table)}  {right}")
                break
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth")
    parser.add_argument("--count", type=int, default=25)
    parser.add_argument("--first", type=int, default=1)
    given = parser.parse_args()
    different = 0
    for seed in range(given.first, given.first + given.count):
        different += not compare(given.berth, seed, without_bound, {
            "pods.csv": ["pod", "node", "start_s", "finish_s", "outcome", "preempted"]})
        different += not compare(given.berth, seed, without_places, {
            "jobs.csv": ["job", "outcome", "admitted_s", "start_s", "finish_s", "preempted"], "admissions.csv": None})
        if wrong := strays(given.berth, seed):
            different += 1
            print(f"without_places, seed {seed}: {wrong} pods are not on nodes of their flavor")
    print(f"{given.count} runs of each kind: {different} differences")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
