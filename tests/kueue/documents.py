"""A run in the form that berth reads: Kueue's objects, and an experiment with its cluster and its jobs."""

from random_objects import RESOURCES, amount
from random_requests import HOST


def of_kueue(kind, name, spec):
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "metadata": {"name": name}, "spec": spec}


def resource_groups(groups):
    limits = ("nominalQuota", "borrowingLimit", "lendingLimit")
    return [
        {
            "coveredResources": group["resources"],
            "flavors": [
                {
                    "name": flavor["name"],
                    "resources": [
                        {
                            "name": resource,
                            **{
                                limit: value
                                for limit, value in zip(limits, flavor["quota"][resource])
                                if value is not None
                            },
                        }
                        for resource in group["resources"]
                    ],
                }
                for flavor in group["flavors"]
            ],
        }
        for group in groups
    ]


def named(key, value):
    return {} if value is None else {key: value}


def sharing_of(run):
    sharing = run.get("admissionFairSharing")
    return sharing and {
        "usageHalfLifeTime": f"{sharing['halfLife']}ms",
        "resourceWeights": sharing["weights"],
        "usageSamplingInterval": f"{sharing['sampling']}ms",
    }


def configuration(run):
    fair, check, ready = run["fairSharing"], run["quotaCheckStrategy"], run.get("podsReady")
    requeuing = ready and {
        "timestamp": run["podsReadyRequeuingTimestamp"],
        "backoffBaseSeconds": ready["backoff"],
        "backoffMaxSeconds": ready["most"],
        **named("backoffLimitCount", ready["limit"]),
    }
    waiting = ready and {"timeout": f"{ready['timeout']}ms", "requeuingStrategy": requeuing}
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        # Unlike Kueue, the model goes through resources by their names.
        "featureGates": {"VectorizedResourceRequests": False, **run["gates"]},
        **named("fairSharing", fair and {"preemptionStrategies": fair["strategies"]}),
        **named("admissionFairSharing", sharing_of(run)),
        **named("resources", check and {"quotaCheckStrategy": check}),
        **named("waitForPodsReady", waiting),
    }


def cohort_object(cohort):
    return of_kueue(
        "Cohort",
        cohort["name"],
        {
            **named("parentName", cohort["parent"]),
            "fairSharing": {"weight": cohort["weight"]},
            "resourceGroups": resource_groups(cohort["groups"]),
        },
    )


def queue_object(queue):
    return of_kueue(
        "ClusterQueue",
        queue["name"],
        {
            **named("cohortName", queue["cohort"]),
            "queueingStrategy": queue["strategy"],
            "namespaceSelector": {},
            "resourceGroups": resource_groups(queue["groups"]),
            "preemption": queue["preemption"],
            "flavorFungibility": queue["fungibility"],
            "fairSharing": {"weight": queue["weight"]},
            **named(
                "admissionScope", {"admissionMode": queue["admissionMode"]} if queue.get("admissionMode") else None
            ),
            **named("stopPolicy", queue.get("stopPolicy")),
        },
    )


def local_queue_object(queue):
    return of_kueue(
        "LocalQueue",
        queue["name"],
        {
            "clusterQueue": queue["cq"],
            "fairSharing": {"weight": queue["weight"]},
            **named("stopPolicy", queue.get("stopPolicy")),
        },
    )


def kueue_objects(run):
    yield configuration(run)
    for name, levels in run.get("topologies", {}).items():
        yield of_kueue("Topology", name, {"levels": [{"nodeLabel": label} for label in levels]})
    for flavor in run["flavors"]:
        yield of_kueue(
            "ResourceFlavor",
            flavor["name"],
            {**named("nodeLabels", flavor.get("nodeLabels")), **named("topologyName", flavor.get("topology"))},
        )
    for cohort in run["cohorts"]:
        yield cohort_object(cohort)
    for queue in run["clusterQueues"]:
        yield queue_object(queue)
    for queue in run.get("localQueues", ()):
        yield local_queue_object(queue)


def source(job, type_name):
    common = {
        "at": f"{job['at']}ms",
        "lifetime": f"{job['lifetime']}ms",
        "priority": job["priority"],
        "quota": job.get("lq", job["cq"]),
    }
    if job["count"] == 1 and not job.get("level"):
        return {"pods": [{"name": job["name"], "type": type_name, **common}]}
    spec = {"group": {"name": job["name"], "size": job["count"], "minAvailable": job["least"], "type": type_name}}
    if job.get("level"):
        level = "server" if job["level"] == HOST else job["level"].rsplit("/topology-")[-1]
        spec["constraints"] = [{"level": level, "affinity": "pack", "soft": not job["hard"]}]
    return {"groups": [{"document": {"kind": "GroupPlacement", "spec": spec}, **common}]}


def plenty():
    """A cluster that is never full."""
    capacity = {resource: amount(resource, 100_000) for resource in RESOURCES}
    return {
        "levels": [{"name": "server", "count": 2}],
        "machines": [{"type": "node"}],
        "machineTypes": {"node": {"capacity": capacity}},
    }


def tree(run):
    """The servers of a run, with the nodes above them in the order in which the servers name them. Nodes are identified
    by their paths, since their names may occur more than once."""
    types, ids = {}, {(): "cluster"}
    nodes = [{"id": "cluster", "name": "cluster"}]
    for name, server in run["servers"].items():
        labels = {key: value for key, value in server["labels"].items() if "topology-" not in key and key != HOST}
        machine = {"capacity": server["capacity"], "labels": labels}
        kind = next((kind for kind, other in types.items() if other == machine), f"type-{len(types)}")
        types[kind] = machine
        path = tuple(server["path"])
        for depth in range(1, len(path) + 1):
            if path[:depth] not in ids:
                ids[path[:depth]] = "/".join(path[:depth])
                nodes.append({"id": ids[path[:depth]], "name": path[depth - 1], "parent": ids[path[: depth - 1]]})
        nodes.append({"id": "/".join((*path, name)), "name": name, "parent": ids[path], "type": kind})
    return {"levels": ["cluster", *run["levels"], "server"], "machineTypes": types, "nodes": nodes}


def scheduler(run):
    kueue = {"objects": list(kueue_objects(run)), **named("grace", run.get("grace") and f"{run['grace']}ms")}
    if run.get("latency"):
        kueue["latency"] = {key: f"{time}ms" for key, time in run["latency"].items()}
    if run.get("changes"):
        kueue["changes"] = [
            {"at": f"{change['at']}ms", "objects": list(changed_objects(change))} for change in run["changes"]
        ]
    return {"kueue": kueue, "profile": {"score": ["first-fit"]}}


def changed_objects(change):
    for cohort in change.get("cohorts", ()):
        yield cohort_object(cohort)
    for queue in change.get("clusterQueues", ()):
        yield queue_object(queue)
    for queue in change.get("localQueues", ()):
        yield local_queue_object(queue)


def experiment(run):
    types = {}
    for job in run["jobs"]:
        types.setdefault(tuple(job["requests"].items()), f"type-{len(types)}")
    events = [
        {"at": f"{event['at']}ms", "node": event["node"], "event": event["event"]} for event in run.get("failures", ())
    ]
    return {
        "apiVersion": "berth/v1",
        "kind": "Experiment",
        "metadata": {"name": "run"},
        "spec": {
            "topology": {"spec": tree(run) if run.get("servers") else plenty()},
            "types": {name: dict(requests) for requests, name in types.items()},
            "workload": [source(job, types[tuple(job["requests"].items())]) for job in run["jobs"]],
            **named("failures", {"events": events} if events else None),
            "scheduler": scheduler(run),
        },
    }
