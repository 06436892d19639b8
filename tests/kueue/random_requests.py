"""Random requests of `berth kueue`, of both kinds, with as many of their keys as the models support."""
import random

RESOURCES = ("cpu", "memory", "nvidia.com/gpu", "pods")
LABELS = {"zone": ("a", "b"), "tier": ("1", "2", "3")}
TAINTS = [{"key": "spot", "value": "yes", "effect": "NoSchedule"},
          {"key": "old", "effect": "PreferNoSchedule"}]
POLICIES = ("Never", "LowerPriority", "LowerOrNewerEqualPriority", "Any", "Any", "Any", "")
EVICTIONS = ("PodsReadyTimeout", "AdmissionCheck", "Preempted")
CYCLE_GATES = ("PartialAdmission", "FlavorFungibility", "PrioritySortingWithinCohort",
               "FairSharingPreemptWithinNominal", "FairSharingPrioritizeNonBorrowing", "ReclaimablePods",
               "QuotaCheckStrategy", "PrioritizePreemptorWorkloads", "PriorityBoost",
               "FlavorFungibilityPreserveScanProgress",
               "RecomputeAssignmentUponPreemptionTargetsOverlap", "ConcurrentAdmission")
TOPOLOGY_GATES = ("TASProfileMixed", "TASBalancedPlacement", "TASRespectNodeAffinityPreferred",
                  "TASHandleOverlappingFlavors", "TASCacheNodeMatchResults")
HOST = "kubernetes.io/hostname"


def flip(dice, gates, chance):
    """Some gates; gates that depend on one that is off are off, too."""
    out = {gate: dice.random() < 0.5 for gate in gates if dice.random() < chance}
    if not out.get("FlavorFungibility", True):
        out["FlavorFungibilityPreserveScanProgress"] = False
    return out


def expression(dice):
    key, op = dice.choice([*LABELS, "other"]), dice.choice(("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))
    values = {"Gt": "12", "Lt": "12", "Exists": "", "DoesNotExist": ""}.get(op, LABELS.get(key, ("x",)))
    return {"key": key, "operator": op, "values": [dice.choice(values)] if values else []}


def tolerations(dice):
    return dice.choice(([], [], [{"operator": "Exists"}], [{"key": "spot", "value": "yes"}],
                        [{"key": "spot", "operator": "Exists", "effect": "NoExecute"}], [{"value": ""}]))


def labels(dice):
    return {key: dice.choice(values) for key, values in LABELS.items() if dice.random() < 0.5}


class Cycle:
    """One scheduling cycle: queues in cohorts, workloads that hold quota, and others that wait."""

    def __init__(self, dice):
        self.dice = dice
        self.flavors = [f"flavor-{i}" for i in range(dice.choice((1, 1, 2, 3)))]
        self.cohorts = [f"cohort-{i}" for i in range(dice.randint(0, 5))]
        # With usage of local queues, Kueue's order of candidates is circular across queues, and which one is first
        # depends on how they are sorted: docs/decisions/0060.
        self.by_local_usage = dice.random() < 0.15
        self.queues = [f"queue-{i}" for i in range(1 if self.by_local_usage else dice.randint(1, 6))]
        self.resources = dice.sample(RESOURCES, dice.choice((1, 1, 2, 3, 4)))
        self.groups = {}
        self.local_usage = {queue + lq: dice.choice((0, 1, 2.5)) for queue in self.queues for lq in "xy"}

    def quota(self):
        dice = self.dice
        nominal = dice.choice((0, dice.randint(2, 12), dice.randint(5, 20)))
        if dice.random() < 0.6:
            return [nominal]
        return [nominal, dice.choice((None, 0, dice.randint(0, 15))),
                dice.choice((None, 0, dice.randint(0, nominal)))]

    def group(self, resources, flavors):
        return {"resources": list(resources),
                "flavors": [{"name": flavor, "quota": {r: self.quota() for r in resources}}
                            for flavor in flavors]}

    def group_list(self):
        dice = self.dice
        if len(self.resources) > 1 and len(self.flavors) > 1 and dice.random() < 0.3:
            at, split = dice.randint(1, len(self.resources) - 1), dice.randint(1, len(self.flavors) - 1)
            return [self.group(self.resources[:at], self.flavors[:split]),
                    self.group(self.resources[at:], self.flavors[split:])]
        return [self.group(self.resources, dice.sample(self.flavors, dice.randint(1, len(self.flavors))))]

    def queue(self, name):
        dice, groups = self.dice, self.group_list()
        self.groups[name] = groups
        reclaim = dice.choice(POLICIES)
        borrow = {"policy": dice.choice(("Never", "LowerPriority"))}
        if dice.random() < 0.5:
            borrow["maxPriorityThreshold"] = dice.randint(-1, 3)
        return {"name": name, "cohort": dice.choice([None, *self.cohorts * 4]),
                "groups": groups, "weight": dice.choice((1, 1, 0, 0.5, 3)),
                "preemption": {"withinClusterQueue": dice.choice(POLICIES), "reclaimWithinCohort": reclaim,
                               "borrowWithinCohort": dice.choice((None, borrow))},
                "fungibility": {"whenCanBorrow": dice.choice(("MayStopSearch", "TryNextFlavor")),
                                "whenCanPreempt": dice.choice(("MayStopSearch", "TryNextFlavor")),
                                "preference": dice.choice((None, "BorrowingOverPreemption",
                                                           "PreemptionOverBorrowing"))},
                "strategy": dice.choice(("BestEffortFIFO", "StrictFIFO")), "generation": dice.randint(1, 4),
                "stopped": dice.random() < 0.05}

    def cohort(self, index):
        dice = self.dice
        parents = self.cohorts[:index] if dice.random() < 0.97 else self.cohorts
        return {"name": self.cohorts[index], "parent": dice.choice([None, *parents, *parents]),
                "weight": dice.choice((1, 1, 0, 2)), "groups": self.group_list() if dice.random() < 0.4 else []}

    def amounts(self, resources):
        dice = self.dice
        return {r: dice.choice((dice.randint(0, 2), dice.randint(1, 3))) for r in resources}

    def common(self, name):
        dice = self.dice
        queue, local = dice.choice(self.queues), dice.choice("xy")
        out = {"name": name, "uid": f"uid-{name}", "cq": queue, "localQueue": local,
               "priority": dice.randint(-1, 3) if name.startswith("wait") else dice.randint(-1, 1),
               "created": dice.randint(0, 9),
               "boost": dice.randint(-1, 1), "lqUsage": self.local_usage[queue + local]}
        if dice.random() < 0.1:
            out["evicted"] = {"reason": dice.choice(EVICTIONS), "time": dice.randint(0, 20)}
        if dice.random() < 0.1:
            out["preempted"] = {"reason": "InCohortReclaimWhileBorrowing", "time": dice.randint(0, 20)}
        return out

    def admitted(self, name):
        dice, out = self.dice, self.common(name)
        sets = []
        for i in range(dice.randint(1, 2)):
            count, usage, flavors = dice.randint(1, 4), {}, {}
            for group in self.groups[out["cq"]]:
                flavor = dice.choice(group["flavors"])["name"]
                for resource in group["resources"]:
                    if dice.random() < 0.8:
                        flavors[resource] = flavor
                        usage[resource] = dice.randint(0, 6)
            one = {"name": f"set-{i}", "count": count, "usage": usage, "flavors": flavors}
            if dice.random() < 0.2:
                one.update(assignedCount=dice.randint(1, count), reclaimable=dice.randint(0, count))
            sets.append(one)
        out.update(podSets=sets, reserved=dice.choice((None, dice.randint(0, 9), dice.randint(0, 9))))
        return out

    def pending(self, name):
        dice, out, sets = self.dice, self.common(name), []
        for i in range(dice.choice((1, 1, 1, 2, 3))):
            count = dice.randint(0 if dice.random() < 0.1 else 1, 6)
            asked = [r for r in self.resources if r != "pods" and dice.random() < 0.9]
            one = {"name": f"set-{i}", "count": count, "tolerations": tolerations(dice),
                   "requests": self.amounts(asked + (["unknown"] if dice.random() < 0.04 else []))}
            if dice.random() < 0.4:
                one["minCount"] = dice.randint(0, count)
            if dice.random() < 0.1:
                one["reclaimable"] = dice.randint(0, count)
            if dice.random() < 0.1:
                one["nodeSelector"] = labels(dice)
            if dice.random() < 0.1:
                one["affinity"] = [[expression(dice)] for _ in range(dice.randint(1, 2))]
            sets.append(one)
        if len(sets) > 1 and dice.random() < 0.3:
            sets[0]["podSetGroup"] = sets[1]["podSetGroup"] = "both"
        if dice.random() < 0.2:
            out["lastAssignment"] = {
                "tried": [{r: dice.randint(-1, 2) for r in self.resources} for _ in sets],
                "generation": dice.randint(0, 4), "cycle": dice.randint(0, 9),
                "hash": dice.choice(("", "h")), "currentHash": dice.choice("hk")}
        out.update(podSets=sets, isPreemptor=dice.random() < 0.2, preemptionGateClosed=dice.random() < 0.3)
        if dice.random() < 0.03:
            out["cq"] = "no-queue"
        return out

    def request(self):
        dice = self.dice
        queues = [self.queue(name) for name in self.queues]
        strategies = [[], ["LessThanOrEqualToFinalShare"], ["LessThanInitialShare"],
                      ["LessThanInitialShare", "LessThanOrEqualToFinalShare"]]
        return {"kind": "cycle", "now": 100, "cycle": dice.randint(1, 9),
                # Unlike Kueue, the model goes through resources by their names.
                "gates": {"VectorizedResourceRequests": False, **flip(dice, CYCLE_GATES, 0.1)},
                "fairSharing": dice.choice((None, {"strategies": dice.choice(strategies)})),
                "admissionFairSharing": self.by_local_usage,
                "quotaCheckStrategy": dice.choice((None, "IgnoreUndeclared")),
                "podsReadyRequeuingTimestamp": dice.choice(("Eviction", "Creation")),
                "flavors": [{"name": name, "nodeLabels": labels(dice), "tolerations": tolerations(dice),
                             "taints": TAINTS if dice.random() < 0.1 else []}
                            for name in self.flavors if dice.random() < 0.97],
                "cohorts": [self.cohort(i) for i in range(len(self.cohorts)) if dice.random() < 0.9],
                "clusterQueues": queues,
                "admitted": [self.admitted(f"held-{i}") for i in range(dice.randint(3, 20))],
                "pending": [self.pending(f"wait-{i}") for i in range(dice.randint(1, 8))]}


class Topology:
    """Pod sets of one workload on a small cluster."""

    def __init__(self, dice):
        self.dice = dice
        self.levels = ["block", "rack", HOST][dice.choice((0, 0, 0, 1, 2)):]
        if dice.random() < 0.2 and len(self.levels) > 1:
            self.levels = self.levels[:-1]
        self.nodes = []

    def node(self, index, block, rack):
        dice = self.dice
        out = {"name": f"n{index}", "labels": {"block": f"b{block}", "rack": f"r{rack}", **labels(dice),
                                               HOST: f"n{index}"},
               "allocatable": {"cpu": dice.randint(0, 8) * 1000, "gpu": dice.randint(0, 8),
                               "pods": dice.choice((110, 110, 110, 3))}}
        if dice.random() < 0.05:
            out.update(dice.choice(({"ready": False}, {"unschedulable": True})))
        if dice.random() < 0.1:
            out["taints"] = TAINTS
        return out

    def domain(self):
        labels_of = self.dice.choice(self.nodes)["labels"]
        return [labels_of[HOST]] if self.levels[-1] == HOST else [labels_of[level] for level in self.levels]

    def layers(self, count):
        dice = self.dice
        sizes = [s for s in (1, 2, 3, 4, 6) if s <= max(1, count)]
        if dice.random() < 0.4:
            return {"sliceTopology": dice.choice(self.levels), "sliceSize": dice.choice(sizes)}
        chosen = sorted(dice.sample(range(len(self.levels)), dice.randint(1, len(self.levels))))
        size, out = dice.choice(sizes), []
        for level in chosen:
            out.append({"topology": self.levels[level], "size": size})
            size = dice.choice([s for s in range(1, size + 1) if size % s == 0 or dice.random() < 0.02])
        return {"constraints": out}

    def asked(self, count):
        dice = self.dice
        kind = dice.choice(("required", "preferred", "preferred", "unconstrained", "none"))
        out = {} if kind == "none" else {kind: True if kind == "unconstrained" else dice.choice(
            self.levels if dice.random() < 0.98 else ["unknown"])}
        if kind == "none" or dice.random() < 0.5:
            out.update(self.layers(count))
        return out

    def assignment(self):
        dice, domains = self.dice, {}
        for _ in range(dice.randint(1, 4)):
            domains[tuple(self.domain())] = dice.randint(1, 4)
        return {"levels": [HOST] if self.levels[-1] == HOST else self.levels,
                "domains": [{"values": list(v), "count": n} for v, n in sorted(domains.items())]}

    def pod_set(self, name, count):
        dice = self.dice
        out = {"name": name, "count": count, "tolerations": tolerations(dice),
               "requests": {"cpu": dice.randint(0, 3) * 1000, "gpu": dice.randint(0, 2)},
               "topologyRequest": self.asked(count)}
        if dice.random() < 0.1:
            out["nodeSelector"] = labels(dice)
        if dice.random() < 0.1:
            out["requiredAffinity"] = [{"matchExpressions": [expression(dice)]}]
        if dice.random() < 0.3:
            out["preferredAffinity"] = [{"weight": dice.randint(1, 5),
                                         "term": {"matchExpressions": [expression(dice)]}}]
        if dice.random() < 0.05:
            out["implied"] = True
        if dice.random() < 0.03:
            out["podSetUpdates"] = [{"nodeSelector": {"zone": "a"}}, {"nodeSelector": {"zone": dice.choice("ab")}}]
        return out

    def sets(self):
        dice = self.dice
        first = self.pod_set("workers", dice.choice((dice.randint(1, 6), dice.randint(1, 14))))
        if dice.random() < 0.3:
            leader = self.pod_set("leader", 1)
            first["group"] = leader["group"] = "g"
            return dice.choice(([first, leader], [leader, first]))
        return [first] + [self.pod_set(f"more-{i}", dice.randint(1, 4)) for i in range(dice.choice((0, 0, 1)))]

    def request(self):
        dice, index = self.dice, 0
        for block in range(dice.randint(1, 3)):
            for rack in range(dice.randint(1, 3)):
                for _ in range(dice.randint(1, 4)):
                    self.nodes.append(self.node(index, block, rack))
                    index += 1
        use = {"requests": {"cpu": 1000, "gpu": 1}, "count": 1}
        out = {"kind": "topology-assignment", "levels": self.levels, "nodes": self.nodes,
               "gates": flip(dice, TOPOLOGY_GATES, 0.4), "podSets": self.sets(),
               "flavor": {"nodeLabels": labels(dice) if dice.random() < 0.1 else {},
                          "tolerations": tolerations(dice)},
               "usage": [{**use, "values": self.domain()} for _ in range(dice.randint(0, 3))],
               "siblingUsage": [{**use, "values": self.domain()} for _ in range(dice.randint(0, 1))],
               "nonTASPods": [{"node": dice.choice(self.nodes)["name"], "requests": {"cpu": "1500m"},
                               "phase": dice.choice(("Running", "Failed"))} for _ in range(dice.randint(0, 2))],
               "simulateEmpty": dice.random() < 0.2}
        if dice.random() < 0.15:
            held = self.assignment()
            bad = dice.choice(held["domains"])["values"][-1]
            out["workload"] = {"uid": "u", "unhealthyNodes": [bad], "ownedBySinglePod": dice.random() < 0.1,
                               "admission": {"workers": held}}
        elif dice.random() < 0.1:
            out["workload"] = {"uid": "u"}
        if dice.random() < 0.1:
            out["gates"]["ElasticJobsViaWorkloadSlicesWithTAS"] = True
            for pods in out["podSets"]:
                pods["topologyRequest"].pop("required", None)
                pods["topologyRequest"].pop("preferred", None)
                pods["topologyRequest"]["unconstrained"] = True
                pods["previousAssignment"] = self.assignment()
        return out


def request(kind, seed):
    return {"cycle": Cycle, "topology": Topology}[kind](random.Random(f"{kind}-{seed}")).request()
