"""Allocation candidates: what pods took of which provider, by pods.csv's column `providers`."""

from collections import defaultdict
from fractions import Fraction

AMOUNTS = {"VCPU": ("cpu", 1000), "MEMORY_MB": ("memory", 2**20 * 1000),
           "DISK_GB": ("ephemeral-storage", 2**30 * 1000), "PGPU": ("nvidia.com/gpu", 1000)}


def taken(row):
    """(provider, resource class, amount) of a pod's row."""
    for entry in row.get("providers", "").split():
        provider, amount = entry.split(":", 1)
        name, number = amount.rsplit("=", 1)
        yield provider, name, int(number)


def own_demand(pod):
    """What a pod takes of its server: what its providers there serve, by the server's amounts."""
    demand = {r: a for r, a in pod.demand.items()
              if r not in [name for name, _ in AMOUNTS.values()]}
    for provider, name, number in taken(pod.row):
        if name in AMOUNTS and (provider + "_").startswith(pod.row["node"] + "_"):
            resource, unit = AMOUNTS[name]
            demand[resource] = demand.get(resource, 0) + number * unit
    return demand


def use_is_told(run, cluster, work):
    """Whether what a pod took of its server before an eviction is what it took after: it might have
    found on another provider what servers share."""
    return not (shared_totals(run, cluster) and work.evictions)


def read_own_demands(work, all_told):
    """What each pod took of its server, the last time; of one that was evicted, that may not be
    what it took before."""
    for pod in work.pods:
        pod.use_is_told = all_told or not any(stint.cause for stint in pod.stints)
        if pod.row["providers"]:
            pod.demand = own_demand(pod)


def shared_metrics(run, cluster, work, window):
    """What pods took of what all shared providers have of each class, over time."""
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
    """Totals of the shared providers, of which there is one for each node of its level."""
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
