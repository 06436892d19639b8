"""Random runs of each kind: a description for the plain run, from which documents.py makes berth's input."""

import random

from random_clusters import TAS_GATES, Cluster
from random_objects import RESOURCES, Objects, amount


def quota_run(dice):
    """Only quota matters: servers have room for every job."""
    return {**Objects(dice).describe(), "grace": dice.choice((0, 0, 0, 500, 3000))}


def topology_run(dice):
    """Flavors with a topology, and some without: servers limit jobs just as quota does."""
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
    placed = {flavor["name"] for flavor in flavors if "topology" in flavor}
    with_topology = {
        queue["name"]
        for queue in run["clusterQueues"]
        if any(flavor["name"] in placed for group in queue["groups"] for flavor in group["flavors"])
    }
    return {
        **run,
        "levels": cluster.levels,
        "servers": servers,
        "topologies": topologies,
        "flavors": flavors,
        "jobs": [cluster.constrain(job, topologies, job["cq"] in with_topology) for job in run["jobs"]],
        "failures": cluster.failures(servers, max(job["at"] for job in run["jobs"]) + 20_000),
        "gates": {**run["gates"], **{gate: dice.random() < 0.5 for gate in TAS_GATES if dice.random() < 0.1}},
    }


def servers_run(dice):
    """Quota suffices but servers do not: a job that has waited too long for its places comes again later. Groups only
    occur in runs in which each flavor has one server, so that it does not matter how a profile spreads them."""
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


def in_fine_amounts(dice, run):
    """The same amounts in thousandths of a core and in single bytes, where only CPUs count. With a long half-life, a
    short sample of a few thousandths adds a few billionths or less than one: then the order depends on how each of them
    is rounded, and on the rule that each sample lowers past usage by at least one."""
    sharing = {
        "halfLife": dice.choice((36_000_000, 360_000_000)),
        "sampling": dice.choice((500, 1500)),
        "weights": {resource: 0 for resource in RESOURCES if resource != "cpu"},
    }
    fine = {"cpu": lambda text: f"{text}m", "memory": lambda text: text.removesuffix("Gi")}

    def amounts_of(node):
        if isinstance(node, list):
            return [amounts_of(one) for one in node]
        if not isinstance(node, dict):
            return node
        return {key: refined(fine[key], value) if key in fine else amounts_of(value) for key, value in node.items()}

    def refined(refine, value):
        return [one and refine(one) for one in value] if isinstance(value, list) else refine(value)

    amounts = {key: amounts_of(run[key]) for key in ("cohorts", "clusterQueues", "jobs")}
    local = [{**queue, "weight": 1} for queue in run["localQueues"]]
    return {**run, **amounts, "localQueues": local, "admissionFairSharing": sharing}


def with_undeclared_resources(dice, run):
    """Jobs ask for resources that their ClusterQueues do not cover, and for which they need no quota: these are not
    charged."""

    def without(group, gone):
        flavors = [
            {**flavor, "quota": {key: cells for key, cells in flavor["quota"].items() if key != gone}}
            for flavor in group["flavors"]
        ]
        return {"resources": [one for one in group["resources"] if one != gone], "flavors": flavors}

    def uncovering(queue):
        groups = queue["groups"]
        if sum(len(group["resources"]) for group in groups) > 1 and dice.random() < 0.6:
            gone = dice.choice([resource for group in groups for resource in group["resources"]])
            groups = [without(group, gone) for group in groups]
        return {**queue, "groups": [group for group in groups if group["resources"]]}

    def asking(job):
        more = {resource: amount(resource, dice.randint(1, 3)) for resource in RESOURCES if dice.random() < 0.4}
        covered = {resource for group in queues[job["cq"]]["groups"] for resource in group["resources"]}
        more = {resource: text for resource, text in more.items() if resource not in covered}
        return {**job, "requests": {**more, **job["requests"]}}

    queues = {queue["name"]: uncovering(queue) for queue in run["clusterQueues"]}
    if dice.random() < 0.7:  # no preemption, so that usage only shows in the order of admission
        for queue in queues.values():
            queue["preemption"] = {"withinClusterQueue": "Never", "reclaimWithinCohort": "Never"}
    sharing = {
        "halfLife": dice.choice((20_000, 60_000, 600_000)),
        "sampling": dice.choice((500, 1500, 4000, 10_000)),
        "weights": {resource: dice.choice((0.1, 1, 2.5)) for resource in RESOURCES if dice.random() < 0.5},
    }
    return {
        **run,
        "admissionFairSharing": sharing,
        "quotaCheckStrategy": "IgnoreUndeclared",
        "clusterQueues": list(queues.values()),
        "jobs": [asking(job) for job in run["jobs"]],
    }


def sharing_run(dice):
    """Several LocalQueues for one ClusterQueue, in which those that used less go first. A pod of each job fits into an
    empty queue: a job that never fits would be first forever, since its LocalQueue uses nothing."""
    objects = Objects(dice, scales=(3, 4, 6, 12), splits=0.1, never=(), least=3)
    objects.queues = objects.queues[: dice.choice((1, 1, 2, 3))]
    variant = dice.choice(("any", "any", "fine amounts", "undeclared resources"))
    run = objects.describe()
    modes = ("NoAdmissionFairSharing", None) if variant == "any" else ()
    queues = [
        {
            **queue,
            "admissionMode": dice.choice((*["UsageBasedAdmissionFairSharing"] * 6, *modes)),
            "strategy": dice.choice(("BestEffortFIFO", "StrictFIFO")),
        }
        for queue in run["clusterQueues"]
    ]
    local = [
        {"name": f"{queue['name']}-{index}", "cq": queue["name"], "weight": dice.choice((1, 1, 1, 0, 0.5, 3))}
        for queue in queues
        for index in range(dice.choice((1, 2, 2, 3, 4) if variant == "any" else (2, 3, 4)))
    ]
    names = {queue["name"]: [other["name"] for other in local if other["cq"] == queue["name"]] for queue in queues}
    jobs = [{**job, "least": 1, "lq": dice.choice(names[job["cq"]])} for job in run["jobs"]]
    weights = {resource: dice.choice((0, 0.1, 1, 2.5, 1e-9)) for resource in objects.resources if dice.random() < 0.5}
    gates = {"AdmissionFairSharing": False} if variant == "any" and dice.random() < 0.1 else {}
    run = {
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
    if variant == "undeclared resources":
        return with_undeclared_resources(dice, run)
    return in_fine_amounts(dice, run) if variant == "fine amounts" else run


def with_local_queues(dice, run):
    """One to three LocalQueues for each ClusterQueue, among which its jobs are divided."""
    if run.get("localQueues"):
        return run
    local = [
        {"name": f"{queue['name']}-{index}", "cq": queue["name"], "weight": 1}
        for queue in run["clusterQueues"]
        for index in range(dice.choice((1, 2, 2, 3)))
    ]
    by_queue = {}
    for other in local:
        by_queue.setdefault(other["cq"], []).append(other["name"])
    return {
        **run,
        "localQueues": local,
        "jobs": [{**job, "lq": dice.choice(by_queue[job["cq"]])} for job in run["jobs"]],
    }


def stops_run(dice):
    """LocalQueues that are stopped from the beginning, or while jobs wait and run, in runs of the other kinds. In most
    runs they are resumed, at the latest at the end."""
    run = with_local_queues(dice, dice.choice((quota_run, topology_run, servers_run, changes_run, sharing_run))(dice))
    until = max([job["at"] for job in run["jobs"]] + [change["at"] for change in run.get("changes", ())]) + 20_000
    policies = ("None", "None", "Hold", "HoldAndDrain")

    def stopped(queues, policies):
        weights = (1, 0.5, 3) if run.get("admissionFairSharing") else (1,)
        return [{**queue, "stopPolicy": dice.choice(policies), "weight": dice.choice(weights)} for queue in queues]

    local = stopped(run["localQueues"], ("None", *policies))
    changes = [
        {
            "at": dice.randrange(0, until, 500),
            "localQueues": stopped(dice.sample(local, dice.randint(1, len(local))), policies),
        }
        for _ in range(dice.randint(1, 6))
    ]
    if dice.random() < 0.8:
        changes.append({"at": until, "localQueues": stopped(local, ("None",))})
    every = sorted([*run.get("changes", ()), *changes], key=lambda change: change["at"])
    return {**run, "localQueues": local, "changes": every}


def latency_run(dice):
    """Runs of all kinds in which writing admissions takes time, and retries come sooner or later."""
    kinds = (quota_run, topology_run, servers_run, changes_run, sharing_run, stops_run)
    latency = {"admit": dice.choice((0, 1, 20, 250, 1000, 4000)), "retry": dice.choice((1, 300, 1000, 1000, 5000))}
    return {**dice.choice(kinds)(dice), "latency": latency}


KINDS = {
    "quota": quota_run,
    "topology": topology_run,
    "servers": servers_run,
    "changes": changes_run,
    "sharing": sharing_run,
    "stops": stops_run,
    "latency": latency_run,
}
# The kinds that are compared if none is named.
USUAL = tuple(KINDS)


def random_run(kind, seed):
    return KINDS[kind](random.Random(f"{kind}-{seed}"))
