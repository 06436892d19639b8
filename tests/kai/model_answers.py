"""The answers of the models of KAI (kai_share.py, kai_cycle.py) to requests of `berth kai`."""

import kai_cycle
import kai_share

NOW = 1e6


def queues_of(request):
    def share(one):
        return kai_share.RS(
            one["quota"],
            one.get("fair", 0),
            one["limit"],
            one["weight"],
            one.get("allocated", 0),
            one.get("allocated_np", 0),
            one.get("request", 0),
            one.get("usage", 0),
        )

    return {
        queue["name"]: kai_share.Queue(
            queue["name"],
            queue["parent"],
            queue["created"],
            queue["priority"],
            {"CPU": share(queue["cpu"]), "Memory": share(queue["memory"]), "GPU": share(queue["gpu"])},
        )
        for queue in request["queues"]
    }


def triples(queues, field):
    return {name: [getattr(queue.res[resource], field) for resource in kai_share.RES] for name, queue in queues.items()}


def shares(request):
    queues = queues_of(request)
    total = request["total"]
    kai_share.set_fair_share(
        {"CPU": total["cpu"], "Memory": total["memory"], "GPU": total["gpu"]}, request["k"], queues
    )
    return {"fair": triples(queues, "fair")}


def rules(request):
    def named(triple):
        return dict(zip(kai_share.RES, triple, strict=True))

    queues = queues_of(request)
    victims = {name: [named(entry) for entry in entries] for name, entries in request["victims"].items()}
    asked = (request["reclaimer"], named(request["requested"]))
    return {
        "can_reclaim": bool(kai_share.can_reclaim(queues, *asked, request["preemptible"])),
        "filter": {name: bool(kai_share.filter_victim(queues, *asked, name)) for name in victims},
        "reclaimable": bool(
            kai_share.reclaimable(queues, *asked, request["preemptible"], victims, request["multiplier"])
        ),
    }


def group_of(one):
    topology = tuple(one["topology"]) if one["topology"] else None
    if one["kind"] == "pods":
        return kai_cycle.PodSet(one["name"], one["min"], topology)
    group = kai_cycle.SGS(one["name"], topology, one["min"])
    for kid in one["kids"]:
        group.add(group_of(kid))
    return group


def job_of(one):
    tasks = [
        kai_cycle.Task(
            f"{one['name']}-{i}",
            one["name"],
            [one["cpu"], one["memory"], float(task["gpus"]), 1.0],
            task["status"],
            task["node"],
            task["group"],
            task["order"],
        )
        for i, task in enumerate(one["tasks"])
    ]
    job = kai_cycle.Job(
        one["name"],
        one["queue"],
        one["priority"],
        one["preemptible"],
        NOW - 60 * one["age"],
        group_of(one["root"]),
        tasks,
    )
    if job.count(kai_cycle.ALLOC):
        job.last_start = NOW - 60
    if "started" in one:
        job.last_start = NOW - one["started"]
    job.delay = one.get("delay", 0.0)
    if "stale" in one:
        job.stale_since = NOW - one["stale"]
    return job


def session_of(request):
    params = request["params"]
    nodes = [
        kai_cycle.Node(
            node["name"], [node["cpu"], node["memory"], float(node["gpus"]), float(node["pods"])], node["labels"]
        )
        for node in request["nodes"]
    ]
    runtimes = {
        queue["name"]: {
            kind: queue[f"{kind}_min_runtime"] for kind in ("reclaim", "preempt") if f"{kind}_min_runtime" in queue
        }
        for queue in request["queues"]
    }
    return kai_cycle.Session(
        nodes,
        [job_of(job) for job in request["jobs"]],
        queues_of(request),
        [(topology["name"], topology["levels"]) for topology in request["topologies"]],
        NOW,
        params.get("k", 1.0),
        params.get("reclaim_multiplier", 1.0),
        params.get("spread", False),
        params.get("max_consolidation", -1),
        params.get("allow_consolidating_reclaim", True),
        params.get("signatures", True),
        params.get("grace", 60.0),
        min_rt=runtimes,
    )


def printed(amounts):
    return {
        name: [cpu, memory, gpus if 0 < gpus < 1 else max(0.0, float(int(gpus)))]
        for name, (cpu, memory, gpus) in amounts.items()
    }


def events_of(log):
    """The events, with those evictions by id that follow each other."""
    events, evictions = [], []
    for kind, pod, node in [*log, (None, "", "")]:
        if kind == "evict":
            evictions.append(["evict", pod])
            continue
        events += sorted(evictions)
        evictions = []
        if kind is not None:
            events.append(["bind" if kind == "allocate" else kind, pod, node])
    return events


def cycle(request):
    session = session_of(request)
    fair = printed(triples(session.queues, "fair"))
    kai_cycle.run(session, request["actions"])
    pods = {
        task.uid: [task.status, "" if task.status in ("Pending", "Gated") else task.node]
        for job in session.all_jobs()
        for task in job.tasks()
    }
    return {
        "pods": pods,
        "fair": fair,
        "allocated": printed(triples(session.queues, "alloc")),
        "idle": {node.name: node.idle for node in session.all_nodes()},
        "releasing": {node.name: node.rel for node in session.all_nodes()},
        "events": events_of(session.log),
    }, session.traps
