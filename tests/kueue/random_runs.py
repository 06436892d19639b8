"""Random runs of each kind: a description for the plain run, of which documents.py makes berth's."""

import random

from random_clusters import TAS_GATES, Cluster
from random_objects import Objects


def quota_run(dice):
    """Quota alone: there is room for everybody."""
    return {**Objects(dice).describe(), "grace": dice.choice((0, 0, 0, 500, 3000))}


def topology_run(dice):
    """Flavors with a topology, and some without: servers bind as quota does."""
    objects = Objects(dice, scales=(8, 16, 32, 64), splits=0.1, never=dice.choice(((), ("Never",))))
    run = {**objects.describe(), "grace": dice.choice((0, 0, 0, 500, 3000))}
    cluster = Cluster(dice, objects)
    topologies = cluster.topologies()
    share = dice.choice((1, 1, 0.6))
    while True:
        flavors = list(cluster.flavors(topologies, share))
        servers = cluster.servers([flavor["name"] for flavor in flavors if "topology" not in flavor])
        if all(
            any(flavor["nodeLabels"].items() <= server["labels"].items() for server in servers.values())
            for flavor in flavors
        ):
            break
        cluster = Cluster(dice, objects)
        topologies = cluster.topologies()
    return {
        **run,
        "levels": cluster.levels,
        "servers": servers,
        "topologies": topologies,
        "flavors": flavors,
        "jobs": [cluster.constrain(job, topologies) for job in run["jobs"]],
        "failures": cluster.failures(servers, max(job["at"] for job in run["jobs"]) + 20_000),
        "gates": {**run["gates"], **{gate: dice.random() < 0.5 for gate in TAS_GATES if dice.random() < 0.1}},
    }


def servers_run(dice):
    """Quota suffices where servers do not: who has waited too long for its places comes again later. Groups are
    in runs in which each flavor has one server, so that it does not matter how a profile spreads them."""
    objects = Objects(dice, scales=(8, 16, 32), splits=0.1)
    run, of_groups = objects.describe(), dice.random() < 0.5
    jobs = run["jobs"] if of_groups else [{**job, "count": 1, "least": 1} for job in run["jobs"]]
    least = max(3 * job["least"] for job in jobs)  # each job fits into an empty server
    pools = [flavor["name"] for flavor in run["flavors"]] if dice.random() < 0.5 else ["all"]
    per_pool = 1 if of_groups else dice.randint(1, 4)
    servers = {
        f"host-{index}": {
            "path": ["rack-0"],
            "labels": {"pool": pools[index % len(pools)]},
            "capacity": {
                resource: objects.amount(resource, least + dice.randint(0, 6)) for resource in objects.every_resource
            },
        }
        for index in range(len(pools) * per_pool)
    }
    flavors = [
        {**flavor, "nodeLabels": {"pool": pools[index % len(pools)]}} for index, flavor in enumerate(run["flavors"])
    ]
    limit = dice.choice((None, None, 0, 1, 3))
    return {
        **run,
        "levels": ["rack"],
        "servers": servers,
        "flavors": flavors,
        "jobs": jobs,
        "grace": dice.choice((0, 0, 500, 3000)),
        "failures": Cluster(dice, objects).failures(servers, 60_000),
        "podsReady": {
            "timeout": dice.choice((2000, 5000, 20_000)),
            "backoff": dice.choice((1, 5, 60)),
            "most": dice.choice((20, 3600)),
            "limit": limit,
        },
        "podsReadyRequeuingTimestamp": dice.choice(("Eviction", "Eviction", "Creation")),
    }


def changes_run(dice):
    """Kueue's objects change while jobs wait and run."""
    objects = Objects(dice)
    run = objects.describe()
    until = max(job["at"] for job in run["jobs"]) + 20_000
    changes = []
    for _ in range(dice.randint(1, 5)):
        queues = dice.sample(run["clusterQueues"], dice.randint(0, min(3, len(run["clusterQueues"]))))
        cohorts = dice.sample(run["cohorts"], dice.randint(0, min(2, len(run["cohorts"]))))
        changes.append(
            {
                "at": dice.randrange(0, until, 500),
                "clusterQueues": [objects.changed_queue(queue) for queue in queues],
                "cohorts": [objects.changed_cohort(cohort) for cohort in cohorts],
            }
        )
    changes.append(
        {
            "at": until,
            "clusterQueues": [{**queue, "stopPolicy": "None"} for queue in run["clusterQueues"]],
            "cohorts": [],
        }
    )
    changes = [change for change in changes if change["clusterQueues"] or change["cohorts"]]
    return {**run, "grace": dice.choice((0, 0, 500, 3000)), "changes": sorted(changes, key=lambda change: change["at"])}


def sharing_run(dice):
    """Several LocalQueues of one ClusterQueue, where those go first that used less. A pod of each job has room in an
    empty queue: one that never had would be the first for ever, since its LocalQueue uses nothing."""
    objects = Objects(dice, scales=(3, 4, 6, 12), splits=0.1, never=(), least=3)
    objects.queues = objects.queues[: dice.choice((1, 1, 2, 3))]
    run = objects.describe()
    modes = (*["UsageBasedAdmissionFairSharing"] * 6, "NoAdmissionFairSharing", None)
    queues = [
        {**queue, "admissionMode": dice.choice(modes), "strategy": dice.choice(("BestEffortFIFO", "StrictFIFO"))}
        for queue in run["clusterQueues"]
    ]
    local = [
        {"name": f"{queue['name']}-{index}", "cq": queue["name"], "weight": dice.choice((1, 1, 1, 0, 0.5, 3))}
        for queue in queues
        for index in range(dice.choice((1, 2, 2, 3, 4)))
    ]
    names = {queue["name"]: [other["name"] for other in local if other["cq"] == queue["name"]] for queue in queues}
    jobs = [{**job, "least": 1, "lq": dice.choice(names[job["cq"]])} for job in run["jobs"]]
    weights = {resource: dice.choice((0, 0.1, 1, 2.5, 1e-9)) for resource in objects.resources if dice.random() < 0.5}
    gates = {"AdmissionFairSharing": False} if dice.random() < 0.05 else {}
    return {
        **run,
        "grace": dice.choice((0, 0, 500, 3000)),
        "clusterQueues": queues,
        "localQueues": local,
        "jobs": jobs,
        "gates": {**run["gates"], **gates},
        "admissionFairSharing": {
            "halfLife": dice.choice((0, 3000, 10_000, 20_000, 60_000, 600_000, 36_000_000)),
            "sampling": dice.choice((500, 1500, 4000, 10_000, 30_000)),
            "weights": weights,
        },
    }


KINDS = {
    "quota": quota_run,
    "topology": topology_run,
    "servers": servers_run,
    "changes": changes_run,
    "sharing": sharing_run,
}
# Those that are compared where no kind is named.
USUAL = tuple(KINDS)


def random_run(kind, seed):
    return KINDS[kind](random.Random(f"{kind}-{seed}"))
