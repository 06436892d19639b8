"""Allocation candidates: what pods took from which provider, from the column `providers` of pods.csv."""

from collections import defaultdict
from fractions import Fraction

AMOUNTS = {"VCPU": ("cpu", 1000), "MEMORY_MB": ("memory", 2**20 * 1000),
           "DISK_GB": ("ephemeral-storage", 2**30 * 1000), "PGPU": ("nvidia.com/gpu", 1000)}


def taken(row):
    """(provider, resource class, amount) for each entry of a pod's row."""
    for entry in row.get("providers", "").split():
        provider, amount = entry.split(":", 1)
        name, number = amount.rsplit("=", 1)
        yield provider, name, int(number)


def own_demand(pod):
    """What a pod takes of its server's amounts: what the server's own providers serve."""
    demand = {r: a for r, a in pod.demand.items()
              if r not in [name for name, _ in AMOUNTS.values()]}
    for provider, name, number in taken(pod.row):
        if name in AMOUNTS and (provider + "_").startswith(pod.row["node"] + "_"):
            resource, unit = AMOUNTS[name]
            demand[resource] = demand.get(resource, 0) + number * unit
    return demand


def use_is_told(run, cluster, work):
    """Whether a pod took the same of its server before an eviction as after it: if servers share something, it might
    have come from another provider."""
    return not (shared_totals(run, cluster) and work.evictions)


def read_own_demands(work, all_told):
    """Sets what each pod took of its server in the end; for an evicted pod, it may have taken something else before."""
    for pod in work.pods:
        pod.use_is_told = all_told or not any(stint.cause for stint in pod.stints)
        if pod.row["providers"]:
            pod.demand = own_demand(pod)


def shared_metrics(run, cluster, work, window):
    """What pods took from all shared providers of each class, as a share over time."""
    totals = shared_totals(run, cluster)
    area = defaultdict(int)
    for pod in work.pods:
        for provider, name, number in taken(pod.row) if pod.last() else ():
            if not (provider + "_").startswith(pod.row["node"] + "_"):
                stop = window.end if pod.last().end is None else min(pod.last().end, window.end)
                area[name] += number * max(0, stop - max(pod.last().start, window.begin))
    length = window.length()
    return {f"shared_{name}_utilization": Fraction(area[name], total * length) if length else 0
            for name, total in totals.items()}


def shared_totals(run, cluster):
    """Totals of the shared providers; there is one for each node of its level."""
    spec = run.get("topology", "spec") or run.get("topology", "document", "spec", default={})
    totals = defaultdict(int)
    for provider in spec.get("sharedProviders", []):
        nodes = 1
        if provider.get("level") in cluster.levels:
            depth = cluster.levels.index(provider["level"]) + 1
            nodes = len({cluster.node_of(s, depth) for s in range(len(cluster.names))})
        for name, inventory in provider["inventories"].items():
            each = inventory["total"] if isinstance(inventory, dict) else inventory
            totals[name] += int(each) * nodes
    return totals
