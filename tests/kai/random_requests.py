"""Random requests of `berth kai`: request(kind, seed). Numbers are small, so that rules meet ties and limits often."""

import random

RESOURCES = ("cpu", "memory", "gpu")
UNITS = {"cpu": 1000.0, "memory": 1e9, "gpu": 1.0}


def forest(rng, most):
    """Names of queues with their parents, each one after its parent."""
    names = [f"q{i:02}" for i in range(rng.randint(1, most))]
    queues = []
    for i, name in enumerate(names):
        parent = rng.choice(names[:i]) if i and rng.random() < 0.6 else ""
        queues.append(
            {"name": name, "parent": parent, "created": 60.0 * i, "priority": rng.choice((50, 100, 100, 200))}
        )
    rng.shuffle(queues)
    return queues


def share_of(rng, unit, whole):
    """One resource of a queue; `whole` is what the cluster has of it."""
    quota = rng.choice((-1.0, 0.0, 0.0, unit * rng.randint(0, 8), whole * rng.choice((0.1, 0.25, 0.5))))
    limit = rng.choice((-1.0, -1.0, -1.0, unit * rng.randint(0, 20), whole * 0.5))
    return {"quota": quota, "limit": limit, "weight": rng.choice((0.0, 1.0, 1.0, 2.0, 3.0, 0.1, 0.7))}


def shares(rng):
    total = {
        "cpu": 1000.0 * rng.randint(0, 300),
        "memory": 1e9 * rng.randint(0, 900) + rng.randint(0, 3),
        "gpu": float(rng.randint(0, 100)),
    }
    queues = forest(rng, 14)
    for queue in queues:
        for resource in RESOURCES:
            queue[resource] = share_of(rng, UNITS[resource], total[resource])
            queue[resource]["request"] = rng.choice(
                (
                    0.0,
                    total[resource] * rng.random() // 1,
                    UNITS[resource] * rng.randint(0, 60),
                    rng.randint(0, 200) / 10 if resource == "gpu" else 1.0,
                )
            )
            queue[resource]["usage"] = rng.choice((0.0, 0.0, 0.25, rng.randint(0, 1000) / 1000))
    return {"kind": "shares", "k": rng.choice((0.0, 0.5, 1.0, 1.0, 3.0)), "total": total, "queues": queues}


def rules(rng):
    queues = forest(rng, 12)
    for queue in queues:
        for resource in RESOURCES:
            unit = UNITS[resource]
            queue[resource] = share_of(rng, unit, 40 * unit)
            queue[resource].update(
                fair=rng.choice((-1.0, unit * rng.randint(0, 20), unit * rng.randint(0, 20) * 1.5)),
                allocated=unit * rng.randint(0, 12),
                allocated_np=unit * rng.randint(0, 3),
            )
    names = [queue["name"] for queue in queues]
    triple = lambda most: [UNITS[resource] * rng.randint(0, most) for resource in RESOURCES]  # noqa: E731
    victims = {
        name: [triple(4) for _ in range(rng.randint(0, 3))] for name in rng.sample(names, rng.randint(0, len(names)))
    }
    return {
        "kind": "rules",
        "queues": queues,
        "reclaimer": rng.choice(names),
        "requested": triple(5),
        "preemptible": rng.random() < 0.7,
        "multiplier": rng.choice((1.0, 1.0, 1.5)),
        "victims": victims,
    }


class Cycle:
    """One request of kind cycle."""

    def __init__(self, rng):
        self.rng = rng
        self.contended = rng.random() < 0.6
        self.nodes = self.some_nodes()
        self.free = {node["name"]: [node["cpu"], node["memory"], node["gpus"], node["pods"]] for node in self.nodes}
        self.topologies = self.some_topologies()
        self.queues = self.some_queues()
        self.jobs = [self.job(f"j{i:02}") for i in range(rng.randint(2, 16))]

    def some_nodes(self):
        rng = self.rng
        nodes = []
        for i in range(rng.randint(1, 9)):
            labels = {"zone": f"z{rng.randint(0, 1)}", "rack": f"r{rng.randint(0, 2)}", "host": f"n{i:02}"}
            for key in list(labels):
                if rng.random() < 0.04:
                    del labels[key]
            nodes.append(
                {
                    "name": f"n{i:02}",
                    "gpus": rng.choice((0, 2, 4, 8, 8)),
                    "cpu": rng.choice((8000.0, 64000.0)),
                    "memory": rng.choice((16e9, 512e9)),
                    "pods": rng.choice((4, 110, 110, 110)),
                    "labels": labels,
                }
            )
        if not any(node["gpus"] for node in nodes):
            nodes[0]["gpus"] = 8
        rng.shuffle(nodes)
        return nodes

    def some_topologies(self):
        known = {key for node in self.nodes for key in node["labels"]}
        levels = [level for level in ("zone", "rack", "host") if level in known]
        if not levels or self.rng.random() < 0.4:
            return []
        return [{"name": "topo", "levels": levels}, {"name": "flat", "levels": levels[-1:]}]

    def some_queues(self):
        rng = self.rng
        queues = forest(rng, 7)
        gpus = sum(node["gpus"] for node in self.nodes)
        for queue in queues:
            queue["cpu"] = {"quota": -1.0, "limit": -1.0, "weight": 1.0}
            queue["memory"] = {"quota": -1.0, "limit": -1.0, "weight": 1.0}
            if rng.random() < 0.1:
                queue["cpu"] = share_of(rng, 1000.0, 64000.0)
            queue["gpu"] = share_of(rng, 1.0, float(gpus))
            if rng.random() < 0.7:
                queue["gpu"].update(quota=float(rng.randint(0, 6)), limit=-1.0)
            if rng.random() < 0.15:
                queue["gpu"]["usage"] = rng.randint(0, 10) / 10
            for key in ("reclaim_min_runtime", "preempt_min_runtime"):
                if rng.random() < 0.15:
                    queue[key] = rng.choice((30.0, 100.0, 1000.0))
        return queues

    def constraint(self):
        rng = self.rng
        if not self.topologies or rng.random() < 0.65:
            return None
        topology = rng.choice(self.topologies)
        level = lambda: rng.choice(("", *topology["levels"], "zone"))  # noqa: E731
        return ["unknown" if rng.random() < 0.03 else topology["name"], level(), level()]

    def leaf(self, name, tasks):
        rng = self.rng
        count = rng.randint(1, 5)
        least = rng.choice((count, count, 1, rng.randint(0, count)))
        for _ in range(count):
            tasks.append(self.task("" if name == "default" else name))
        return {"kind": "pods", "name": name, "min": least, "topology": self.constraint(), "kids": []}

    def members(self, name, tasks, depth):
        rng = self.rng
        kids = []
        for i in range(rng.randint(1, 3)):
            own = f"{name}{'abc'[i]}"
            kids.append(
                self.members(own, tasks, depth + 1) if depth < 2 and rng.random() < 0.3 else self.leaf(own, tasks)
            )
        return {
            "kind": "set",
            "name": name,
            "min": rng.choice((None, None, rng.randint(0, len(kids)))),
            "topology": self.constraint(),
            "kids": kids,
        }

    def task(self, group):
        rng = self.rng
        return {
            "gpus": self.gpus if rng.random() < 0.95 else rng.randint(0, 2),
            "status": "Pending",
            "node": "",
            "group": group,
            "order": rng.choice((None, None, None, 0, 1, 2)),
        }

    def job(self, name):
        rng = self.rng
        self.gpus = rng.choice((0, 1, 1, 1, 2, 2, 4))
        tasks = []
        if rng.random() < 0.25:
            root = self.members("g", tasks, 1)
            root["name"] = ""
        else:
            root = {
                "kind": "set",
                "name": "",
                "min": None,
                "topology": self.constraint(),
                "kids": [self.leaf("default", tasks)],
            }
        priority = rng.choice((25, 50, 50, 75, 100))
        parents = {queue["parent"] for queue in self.queues}
        leaves = [queue["name"] for queue in self.queues if queue["name"] not in parents]
        job = {
            "name": name,
            "queue": rng.choice(leaves),
            "priority": priority,
            "preemptible": rng.random() < 0.85,
            "age": rng.randint(0, 6) if rng.random() < 0.5 else rng.randint(0, 200),
            "cpu": rng.choice((0.0, 500.0, 1000.0, 4000.0)),
            "memory": 1e9 * rng.randint(0, 4),
            "root": root,
            "tasks": tasks,
        }
        if rng.random() < (0.6 if self.contended else 0.4):
            self.start(job, rng.choice((1.0, 1.0, 0.7)))
        for key, chance, most in (("started", 0.2, 400), ("delay", 0.1, 600), ("stale", 0.15, 120)):
            if rng.random() < chance:
                job[key] = float(rng.randint(0, most))
        return job

    def start(self, job, part):
        """Lets some pods run where they have room."""
        rng = self.rng
        for task in job["tasks"]:
            request = [job["cpu"], job["memory"], task["gpus"], 1]
            rooms = [
                name for name, free in self.free.items() if all(a <= b for a, b in zip(request, free, strict=True))
            ]
            if not rooms or rng.random() > part:
                continue
            task["node"] = rng.choice(rooms)
            task["status"] = rng.choices(("Running", "Releasing", "Binding", "Bound"), (40, 3, 2, 1))[0]
            self.free[task["node"]] = [b - a for a, b in zip(request, self.free[task["node"]], strict=True)]
        if rng.random() < 0.03:
            job["tasks"][-1].update(status="Gated", node="")

    def params(self):
        rng = self.rng
        params = {"max_consolidation": -1}
        for key, chance, values in (
            ("signatures", 0.3, (False,)),
            ("allow_consolidating_reclaim", 0.2, (False,)),
            ("reclaim_multiplier", 0.2, (1.0, 1.5)),
            ("spread", 0.2, (True,)),
            ("k", 0.2, (0.0, 0.5)),
            ("grace", 0.2, (0.0, 30.0, -1.0)),
        ):
            if rng.random() < chance:
                params[key] = rng.choice(values)
        return params

    def request(self):
        rng = self.rng
        every = ["allocate", "consolidation", "reclaim", "preempt", "stalegangeviction"]
        actions = rng.choice(
            (
                every,
                every,
                every,
                ["allocate"],
                ["reclaim"],
                ["preempt"],
                ["consolidation"],
                ["allocate", "reclaim"],
                every + every,
            )
        )
        jobs = self.jobs[:]
        rng.shuffle(jobs)
        return {
            "kind": "cycle",
            "actions": actions,
            "params": self.params(),
            "queues": self.queues,
            "nodes": self.nodes,
            "topologies": self.topologies,
            "jobs": jobs,
        }


def request(kind, seed):
    rng = random.Random(f"{kind} {seed}")
    return {"shares": shares, "rules": rules, "cycle": lambda rng: Cycle(rng).request()}[kind](rng)
