"""Admission fair sharing in a plain run: the usage of LocalQueues, which orders those of one ClusterQueue.

Times are whole milliseconds; usage is a decimal with nine places, in cores, bytes, and units of all else.
"""

import math
from decimal import ROUND_DOWN, Context, Decimal

import kueue

ROUNDS = Context(prec=100, rounding=ROUND_DOWN)
PLACE = Decimal("1e-9")


def as_decimal(resource, amount):
    """An amount in the unit of the model of a cycle."""
    return Decimal(amount) / (1000 if resource == "cpu" else 1)


def scaled(amounts, factor):
    factor = Decimal(repr(factor))
    return {resource: ROUNDS.quantize(ROUNDS.multiply(amount, factor), PLACE) for resource, amount in amounts.items()}


def added(one, other):
    return {
        resource: ROUNDS.add(one.get(resource, Decimal(0)), other.get(resource, Decimal(0)))
        for resource in {**one, **other}
    }


class NotComparable(Exception):
    """Kueue's rules do not determine how the run continues."""


class Circular(NotComparable):
    """Each of three candidates for preemption comes before the next: two LocalQueues of one ClusterQueue are ordered by
    usage, and both are ordered by priority against a third job of another ClusterQueue. Which one Kueue takes depends
    on its sort."""


def check_order(scheduler, candidates, queue):
    """Checks that each pair is in order, since then every sort has the same result."""
    if any(
        scheduler.candidates_cmp(one, other, queue, True) > 0
        for index, one in enumerate(candidates)
        for other in candidates[index:]
    ):
        raise Circular


def with_victims_in_order(decide):
    """The same decisions, provided that the candidates for preemption have an order."""
    own = kueue.classical_candidates, kueue.Sched.sort_candidates

    def classical_candidates(preemption):
        every, *above = own[0](preemption)
        listed = [id(one) for part in above for one in part]
        for part in (*above, [one for one in every if id(one) not in listed]):
            members = [id(one) for one in part]
            for evicted in (True, False):
                check_order(
                    preemption.s,
                    [one[0] for one in every if id(one) in members and bool(one[0].evicted) == evicted],
                    preemption.cq.name,
                )
        return every, *above

    def sort_candidates(scheduler, candidates, queue):
        ordered = own[1](scheduler, candidates, queue)
        check_order(scheduler, ordered, queue)
        return ordered

    def decided(scheduler):
        kueue.classical_candidates, kueue.Sched.sort_candidates = classical_candidates, sort_candidates
        try:
            return decide(scheduler)
        finally:
            kueue.classical_candidates, kueue.Sched.sort_candidates = own

    return decided


class LocalQueue:
    def __init__(self, spec, settings):
        self.weight, self.settings = spec["weight"], settings
        self.consumed, self.updated = {}, 0

    def share_of(self, elapsed):
        half_life = self.settings["halfLife"] / 1000
        return 1 - 0.5 ** (elapsed / 1000 / half_life) if half_life else 0.0

    def next_sample(self):
        return self.updated + self.settings["sampling"]

    def update(self, now, held):
        share = self.share_of(now - self.updated)
        self.consumed = added(scaled(self.consumed, 1 - share), scaled(held, share))
        self.updated = now

    def sample(self, now, held):
        """Takes all samples due by now, between which the queue held the same."""
        while self.next_sample() <= now:
            self.update(self.next_sample(), held)
            if not self.settings["halfLife"]:
                self.consumed = {}

    def charge(self, requests):
        self.consumed = added(self.consumed, scaled(requests, self.share_of(self.settings["sampling"])))

    def usage(self):
        weights = self.settings["weights"]
        used = 0.0
        for resource in sorted(self.consumed):
            billionths = int(ROUNDS.scaleb(self.consumed[resource], 9))
            used += weights.get(resource, 1) * (float(billionths) * 1e-9)
        return used / self.weight if self.weight > 0 else math.inf


class Sharing:
    """The LocalQueues of the ClusterQueues that go by usage; without any, usage orders nothing."""

    def __init__(self, objects, gates):
        self.objects = objects
        settings = objects.run.get("admissionFairSharing") if gates.get("AdmissionFairSharing", True) else None
        by_usage = {
            name
            for name, spec in objects.specs().items()
            if spec.get("admissionMode") == "UsageBasedAdmissionFairSharing"
        }
        self.queues = {
            spec["name"]: LocalQueue(spec, settings)
            for spec in objects.run.get("localQueues", ())
            if settings and spec["cq"] in by_usage
        }

    def weigh(self, specs):
        """Sets the weights of LocalQueues from now on."""
        for name, queue in self.queues.items():
            queue.weight = specs[name]["weight"]

    def of(self, job):
        return self.queues.get(job.spec.get("lq"))

    def usage_of(self, job):
        queue = self.of(job)
        return 0 if queue is None else queue.usage()

    def told(self, job):
        """What the model of a cycle is told about a job."""
        return {"localQueue": job.spec["lq"], "lqUsage": self.usage_of(job)} if self.of(job) else {}

    def held(self, name, holders):
        held = {}
        for job in holders:
            if job.spec.get("lq") == name:
                held = added(held, {resource: as_decimal(resource, used) for resource, used in job.usage.items()})
        return held

    def sample(self, now, holders):
        for name, queue in self.queues.items():
            if queue.next_sample() <= now:
                queue.sample(now, self.held(name, holders))

    def admit(self, job, now, holders):
        """Notes that a job is among the holders now."""
        queue = self.of(job)
        if queue is not None:
            queue.update(now, self.held(job.spec["lq"], holders))
            queue.charge(self.first_asked(job))

    def first_asked(self, job):
        covered = {resource for group in self.objects.specs()[job.cq]["groups"] for resource in group["resources"]}
        some = self.objects.run["quotaCheckStrategy"] == "IgnoreUndeclared"
        return {
            resource: as_decimal(resource, kueue.qty(resource, amount) * job.spec["count"])
            for resource, amount in job.spec["requests"].items()
            if resource in covered or not some
        }

    def next_sample(self, waiting):
        """The next time at which the order of waiting jobs may change; `waiting` has the offered jobs of each
        ClusterQueue."""
        times = []
        for jobs in waiting:
            names = {job.spec["lq"] for job in jobs if self.of(job)}
            if len(names) > 1:
                times += [self.queues[name].next_sample() for name in names]
        return min(times, default=None)
