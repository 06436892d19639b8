"""Random objects of Kueue, and jobs that name their ClusterQueues.

They are described in the terms of the models: cohorts and clusterQueues with groups of quotas. Times are whole
milliseconds, amounts are texts in Kubernetes notation.
"""
from random_requests import flip

RESOURCES = ("cpu", "memory", "nvidia.com/gpu")
GATES = (
    "PartialAdmission",
    "FlavorFungibility",
    "PrioritySortingWithinCohort",
    "FairSharingPreemptWithinNominal",
    "FairSharingPrioritizeNonBorrowing",
    "QuotaCheckStrategy",
    "PrioritizePreemptorWorkloads",
    "FlavorFungibilityPreserveScanProgress",
    "RecomputeAssignmentUponPreemptionTargetsOverlap",
    "SchedulingEquivalenceHashing",
)
STRATEGIES = (
    ["LessThanOrEqualToFinalShare"],
    ["LessThanInitialShare"],
    ["LessThanOrEqualToFinalShare", "LessThanInitialShare"],
)


def amount(resource, number):
    return f"{number}Gi" if resource == "memory" else str(number)


class Objects:
    """What all objects of one run have in common, with its random generator."""

    every_resource = RESOURCES
    amount = staticmethod(amount)

    def __init__(self, dice, scales=(4, 8, 16), splits=0.3, never=("Never",), least=0):
        """`scales`: sizes of quotas; `splits`: how often resources are in two groups of a queue; `never`: empty if
        queues preempt wherever they may; `least`: minimum of nominal quotas."""
        self.dice, self.splits, self.never, self.least = dice, splits, never, least
        self.resources = dice.sample(RESOURCES, dice.choice((1, 1, 2, 3)))
        self.flavors = [f"flavor-{i}" for i in range(dice.choice((1, 1, 2, 3)))]
        self.cohorts = [f"cohort-{i}" for i in range(dice.randint(0, 4))]
        self.depths = {}
        self.queues = [f"queue-{i}" for i in range(dice.randint(1, 8))]
        self.covers_pods = dice.random() < 0.2
        self.scale = dice.choice(scales)

    def quota(self, resource, limited, lends_at_most_nominal):
        dice = self.dice
        some = max(1, self.least), self.scale
        nominal = dice.choice((self.least, dice.randint(*some), dice.randint(*some)))
        if not limited or dice.random() < 0.5:
            return [amount(resource, nominal)]
        borrowing = dice.choice((None, 0, dice.randint(0, self.scale)))
        lending = dice.choice((None, 0, dice.randint(0, nominal if lends_at_most_nominal else self.scale)))
        return [amount(resource, nominal), *(None if x is None else amount(resource, x) for x in (borrowing, lending))]

    def group(self, resources, flavors, limited, of_queue):
        return {
            "resources": list(resources),
            "flavors": [
                {"name": flavor, "quota": {r: self.quota(r, limited, of_queue) for r in resources}}
                for flavor in flavors
            ],
        }

    def groups(self, limited, of_queue):
        dice = self.dice
        covered = self.resources + (["pods"] if self.covers_pods else [])
        if len(covered) > 1 and dice.random() < 0.1:
            covered = covered[1:]
        flavors = dice.sample(self.flavors, dice.randint(1, len(self.flavors)))
        if len(covered) > 1 and len(flavors) > 1 and dice.random() < self.splits:
            at, split = dice.randint(1, len(covered) - 1), dice.randint(1, len(flavors) - 1)
            return [
                self.group(covered[:at], flavors[:split], limited, of_queue),
                self.group(covered[at:], flavors[split:], limited, of_queue),
            ]
        return [self.group(covered, flavors, limited, of_queue)]

    def cohort(self, index):
        dice, name = self.dice, self.cohorts[index]
        parents = [None, *(other for other in self.cohorts[:index] if self.depths[other] < 3)]
        parent = dice.choice(parents)
        self.depths[name] = 1 if parent is None else self.depths[parent] + 1
        return {
            "name": name,
            "parent": parent,
            "weight": dice.choice((1, 1, 0, 2, 0.5)),
            "groups": self.groups(parent is not None, False) if dice.random() < 0.3 else [],
        }

    def preemption(self):
        dice = self.dice
        reclaim = dice.choice((*self.never, "LowerPriority", "Any", "Any"))
        out = {
            "withinClusterQueue": dice.choice((*self.never, "LowerPriority", "LowerOrNewerEqualPriority")),
            "reclaimWithinCohort": reclaim,
        }
        if reclaim != "Never" and dice.random() < 0.5:
            out["borrowWithinCohort"] = {"policy": "LowerPriority"}
            if dice.random() < 0.5:
                out["borrowWithinCohort"]["maxPriorityThreshold"] = dice.randint(-1, 3)
        return out

    def fungibility(self):
        dice = self.dice
        out = {
            "whenCanBorrow": dice.choice(("MayStopSearch", "TryNextFlavor")),
            "whenCanPreempt": dice.choice(("MayStopSearch", "TryNextFlavor")),
        }
        if set(out.values()) == {"TryNextFlavor"} and dice.random() < 0.6:
            out["preference"] = dice.choice(("BorrowingOverPreemption", "PreemptionOverBorrowing"))
        return out

    def queue(self, name):
        dice = self.dice
        # A cohort without an object has no quota of its own.
        cohort = dice.choice([None, "undescribed", *self.cohorts * 4]) if len(self.queues) > 1 else None
        return {
            "name": name,
            "cohort": cohort,
            "groups": self.groups(cohort is not None, True),
            "weight": dice.choice((1, 1, 1, 0, 0.5, 3)),
            "preemption": self.preemption(),
            "fungibility": self.fungibility(),
            "strategy": dice.choice(("BestEffortFIFO", "BestEffortFIFO", "StrictFIFO")),
        }

    def requoted(self, groups, limited, of_queue):
        return [
            self.group(group["resources"], [flavor["name"] for flavor in group["flavors"]], limited, of_queue)
            for group in groups
        ]

    def changed_queue(self, queue):
        dice, limited = self.dice, queue["cohort"] is not None
        return {
            **queue,
            "groups": self.requoted(queue["groups"], limited, True),
            "weight": dice.choice((1, 0, 0.5, 3)),
            "preemption": self.preemption(),
            "stopPolicy": dice.choice(("None", "None", "Hold", "HoldAndDrain")),
        }

    def changed_cohort(self, cohort):
        return {
            **cohort,
            "weight": self.dice.choice((1, 0, 2, 0.5)),
            "groups": self.requoted(cohort["groups"], cohort["parent"] is not None, False),
        }

    def shape(self):
        """What a job asks for: shapes repeat, so that there are equivalent jobs."""
        dice = self.dice
        asked = [r for r in self.resources if dice.random() < 0.9] or self.resources[:1]
        count = dice.choice((1, 1, 1, dice.randint(2, 6)))
        least = dice.randint(1, count) if dice.random() < 0.5 else count
        return {"requests": {r: amount(r, dice.randint(1, 3)) for r in asked}, "count": count, "least": least}

    def jobs(self):
        dice = self.dice
        shapes = [self.shape() for _ in range(dice.choice((1, 2, 4, 12)))]
        priorities = dice.choice(((0,), (0, 1), (-1, 0, 1, 2)))
        step = dice.choice((1000, 500, 250, 1))  # whole seconds cause many ties
        span = dice.choice((20_000, 60_000, 200_000))
        for index in range(dice.choice((6, 15, 30, 60))):
            yield {
                "name": f"job-{index:03}",
                "cq": dice.choice(self.queues),
                "priority": dice.choice(priorities),
                "at": dice.randrange(0, span, step),
                "lifetime": dice.randrange(step, span // 2, step),
                **dice.choice(shapes),
            }

    def describe(self):
        dice = self.dice
        return {
            "fairSharing": dice.choice((None, None, {"strategies": dice.choice(STRATEGIES)})),
            "gates": flip(dice, GATES, 0.05),
            "quotaCheckStrategy": dice.choice((None, "IgnoreUndeclared")),
            "flavors": [{"name": name} for name in self.flavors],
            "cohorts": [self.cohort(i) for i in range(len(self.cohorts))],
            "clusterQueues": [self.queue(name) for name in self.queues],
            "jobs": list(self.jobs()),
        }
