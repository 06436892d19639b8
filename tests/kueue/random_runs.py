"""Random runs under Kueue's objects: a description for the plain run, and the same as berth's documents.

The description uses the words of the models: cohorts and clusterQueues with groups of quotas. Times
are whole milliseconds, amounts are texts as Kubernetes writes them.
"""
import random

RESOURCES = ("cpu", "memory", "nvidia.com/gpu")
GATES = ("PartialAdmission", "FlavorFungibility", "PrioritySortingWithinCohort", "FairSharingPreemptWithinNominal",
         "FairSharingPrioritizeNonBorrowing", "QuotaCheckStrategy", "PrioritizePreemptorWorkloads",
         "FlavorFungibilityPreserveScanProgress", "RecomputeAssignmentUponPreemptionTargetsOverlap",
         "SchedulingEquivalenceHashing")
STRATEGIES = (["LessThanOrEqualToFinalShare"], ["LessThanInitialShare"],
              ["LessThanOrEqualToFinalShare", "LessThanInitialShare"])


def amount(resource, number):
    return f"{number}Gi" if resource == "memory" else str(number)


class Run:
    """One run: its dice, and what all of its objects have in common."""

    def __init__(self, dice):
        self.dice = dice
        self.resources = dice.sample(RESOURCES, dice.choice((1, 1, 2, 3)))
        self.flavors = [f"flavor-{i}" for i in range(dice.choice((1, 1, 2, 3)))]
        self.cohorts = [f"cohort-{i}" for i in range(dice.randint(0, 4))]
        self.depths = {}
        self.queues = [f"queue-{i}" for i in range(dice.randint(1, 8))]
        self.covers_pods = dice.random() < 0.2
        self.scale = dice.choice((4, 8, 16))

    def quota(self, resource, limited, lends_at_most_nominal):
        dice = self.dice
        nominal = dice.choice((0, dice.randint(1, self.scale), dice.randint(1, self.scale)))
        if not limited or dice.random() < 0.5:
            return [amount(resource, nominal)]
        borrowing = dice.choice((None, 0, dice.randint(0, self.scale)))
        lending = dice.choice((None, 0, dice.randint(0, nominal if lends_at_most_nominal else self.scale)))
        return [amount(resource, nominal), *(None if x is None else amount(resource, x) for x in (borrowing, lending))]

    def group(self, resources, flavors, limited, of_queue):
        return {"resources": list(resources),
                "flavors": [{"name": flavor, "quota": {r: self.quota(r, limited, of_queue) for r in resources}}
                            for flavor in flavors]}

    def groups(self, limited, of_queue):
        dice = self.dice
        covered = self.resources + (["pods"] if self.covers_pods else [])
        if len(covered) > 1 and dice.random() < 0.1:
            covered = covered[1:]
        flavors = dice.sample(self.flavors, dice.randint(1, len(self.flavors)))
        if len(covered) > 1 and len(flavors) > 1 and dice.random() < 0.3:
            at, split = dice.randint(1, len(covered) - 1), dice.randint(1, len(flavors) - 1)
            return [self.group(covered[:at], flavors[:split], limited, of_queue),
                    self.group(covered[at:], flavors[split:], limited, of_queue)]
        return [self.group(covered, flavors, limited, of_queue)]

    def cohort(self, index):
        dice, name = self.dice, self.cohorts[index]
        parents = [None, *(other for other in self.cohorts[:index] if self.depths[other] < 3)]
        parent = dice.choice(parents)
        self.depths[name] = 1 if parent is None else self.depths[parent] + 1
        return {"name": name, "parent": parent, "weight": dice.choice((1, 1, 0, 2, 0.5)),
                "groups": self.groups(parent is not None, False) if dice.random() < 0.3 else []}

    def preemption(self):
        dice = self.dice
        reclaim = dice.choice(("Never", "LowerPriority", "Any", "Any"))
        out = {"withinClusterQueue": dice.choice(("Never", "LowerPriority", "LowerOrNewerEqualPriority")),
               "reclaimWithinCohort": reclaim}
        if reclaim != "Never" and dice.random() < 0.5:
            out["borrowWithinCohort"] = {"policy": "LowerPriority"}
            if dice.random() < 0.5:
                out["borrowWithinCohort"]["maxPriorityThreshold"] = dice.randint(-1, 3)
        return out

    def fungibility(self):
        dice = self.dice
        out = {"whenCanBorrow": dice.choice(("MayStopSearch", "TryNextFlavor")),
               "whenCanPreempt": dice.choice(("MayStopSearch", "TryNextFlavor"))}
        if set(out.values()) == {"TryNextFlavor"} and dice.random() < 0.6:
            out["preference"] = dice.choice(("BorrowingOverPreemption", "PreemptionOverBorrowing"))
        return out

    def queue(self, name):
        dice = self.dice
        # A cohort that no object describes has no quota of its own.
        cohort = dice.choice([None, "undescribed", *self.cohorts * 4]) if len(self.queues) > 1 else None
        return {"name": name, "cohort": cohort, "groups": self.groups(cohort is not None, True),
                "weight": dice.choice((1, 1, 1, 0, 0.5, 3)), "preemption": self.preemption(),
                "fungibility": self.fungibility(),
                "strategy": dice.choice(("BestEffortFIFO", "BestEffortFIFO", "StrictFIFO"))}

    def shape(self):
        """What a job asks for: the same shapes come again, so that there are equivalent jobs."""
        dice = self.dice
        asked = [r for r in self.resources if dice.random() < 0.9] or self.resources[:1]
        count = dice.choice((1, 1, 1, dice.randint(2, 6)))
        least = dice.randint(1, count) if dice.random() < 0.5 else count
        return {"requests": {r: amount(r, dice.randint(1, 3)) for r in asked}, "count": count, "least": least}

    def jobs(self):
        dice = self.dice
        shapes = [self.shape() for _ in range(dice.choice((1, 2, 4, 12)))]
        priorities = dice.choice(((0,), (0, 1), (-1, 0, 1, 2)))
        step = dice.choice((1000, 500, 250, 1))  # whole seconds give many ties
        span = dice.choice((20_000, 60_000, 200_000))
        for index in range(dice.choice((6, 15, 30, 60))):
            yield {"name": f"job-{index:03}", "cq": dice.choice(self.queues), "priority": dice.choice(priorities),
                   "at": dice.randrange(0, span, step), "lifetime": dice.randrange(step, span // 2, step),
                   **dice.choice(shapes)}

    def describe(self):
        dice = self.dice
        return {"fairSharing": dice.choice((None, None, {"strategies": dice.choice(STRATEGIES)})),
                "gates": {gate: dice.random() < 0.5 for gate in GATES if dice.random() < 0.05},
                "quotaCheckStrategy": dice.choice((None, "IgnoreUndeclared")),
                "flavors": [{"name": name} for name in self.flavors],
                "cohorts": [self.cohort(i) for i in range(len(self.cohorts))],
                "clusterQueues": [self.queue(name) for name in self.queues],
                "jobs": list(self.jobs())}


def random_run(seed):
    return Run(random.Random(f"run-{seed}")).describe()


# As berth reads it: Kueue's objects, and an experiment on a cluster that is never full.

def of_kueue(kind, name, spec):
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "metadata": {"name": name}, "spec": spec}


def resource_groups(groups):
    limits = ("nominalQuota", "borrowingLimit", "lendingLimit")
    return [{"coveredResources": group["resources"],
             "flavors": [{"name": flavor["name"],
                          "resources": [{"name": resource, **{limit: value for limit, value in
                                                              zip(limits, flavor["quota"][resource])
                                                              if value is not None}}
                                        for resource in group["resources"]]}
                         for flavor in group["flavors"]]}
            for group in groups]


def named(key, value):
    return {} if value is None else {key: value}


def kueue_objects(run):
    fair, check = run["fairSharing"], run["quotaCheckStrategy"]
    yield {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", "featureGates": run["gates"],
           **named("fairSharing", fair and {"preemptionStrategies": fair["strategies"]}),
           **named("resources", check and {"quotaCheckStrategy": check})}
    for flavor in run["flavors"]:
        yield of_kueue("ResourceFlavor", flavor["name"], {})
    for cohort in run["cohorts"]:
        yield of_kueue("Cohort", cohort["name"], {
            **named("parentName", cohort["parent"]), "fairSharing": {"weight": cohort["weight"]},
            "resourceGroups": resource_groups(cohort["groups"])})
    for queue in run["clusterQueues"]:
        yield of_kueue("ClusterQueue", queue["name"], {
            **named("cohortName", queue["cohort"]), "queueingStrategy": queue["strategy"], "namespaceSelector": {},
            "resourceGroups": resource_groups(queue["groups"]), "preemption": queue["preemption"],
            "flavorFungibility": queue["fungibility"], "fairSharing": {"weight": queue["weight"]}})


def source(job, type_name):
    common = {"at": f"{job['at']}ms", "lifetime": f"{job['lifetime']}ms", "priority": job["priority"],
              "quota": job["cq"]}
    if job["count"] == 1:
        return {"pods": [{"name": job["name"], "type": type_name, **common}]}
    group = {"name": job["name"], "size": job["count"], "minAvailable": job["least"], "type": type_name}
    return {"groups": [{"document": {"kind": "GroupPlacement", "spec": {"group": group}}, **common}]}


def experiment(run):
    types = {}
    for job in run["jobs"]:
        types.setdefault(tuple(job["requests"].items()), f"type-{len(types)}")
    plenty = {resource: amount(resource, 100_000) for resource in RESOURCES}
    return {"apiVersion": "berth/v1", "kind": "Experiment", "metadata": {"name": "run"}, "spec": {
        "topology": {"spec": {"levels": [{"name": "server", "count": 2}], "machines": [{"type": "node"}],
                              "machineTypes": {"node": {"capacity": plenty}}}},
        "types": {name: dict(requests) for requests, name in types.items()},
        "workload": [source(job, types[tuple(job["requests"].items())]) for job in run["jobs"]],
        "scheduler": {"kueue": {"objects": list(kueue_objects(run))}}}}
