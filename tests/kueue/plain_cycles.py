"""The cycles of a plain run: which jobs are considered, what the models decide about them, and where the jobs go
then."""

import kueue
from plain_objects import KueueObjects
from plain_places import PlacedCycle, Topologies
from plain_queue import Queue
from plain_servers import Servers
from plain_sharing import NotComparable, Sharing, with_victims_in_order

PARKS_EQUALS = ("NoFit", "PreemptionNoCandidates")
MOST_CYCLES = 2000


class Endless(NotComparable):
    """Jobs preempt each other in turn, forever."""


class Cycles:
    """Queues and cycles. A subclass defines what happens to admitted and preempted jobs: admit(entry), preempt(name,
    reason), which returns whether that is new, and start_placed(), which is called after a cycle."""

    def __init__(self, run):
        self.objects = KueueObjects(run)
        self.gates = {**kueue.DEFAULT_GATES, **run["gates"]}
        self.servers = Servers(run)
        self.sharing = Sharing(self.objects, self.gates)
        self.queues = {spec["name"]: Queue() for spec in run["clusterQueues"]}
        self.jobs = {}  # by name
        self.held_back = {}  # by name, jobs that wait for their LocalQueue, which is stopped
        self.now, self.cycle = 0, 0
        self.happened = False  # whether something relevant to cycles has happened since the last ones

    def wait(self, job):
        """Lets a job wait in its ClusterQueue, or for its LocalQueue if that is stopped."""
        if self.objects.is_stopped(job.spec.get("lq")):
            self.held_back[job.name] = job
        else:
            self.queues[job.cq].arrive(job)
            self.happened = True

    def holders(self):
        return [job for job in self.jobs.values() if job.holds]

    def order(self, queue):
        """The sort key of a queue: usage of the LocalQueue, then the sticky preemptor, priority, time in the queue,
        uid."""

        def key(job):
            since = job.created
            if job.evicted and job.evicted["reason"] == "PodsReadyTimeout" and self.by_eviction():
                since = job.evicted["time"]
            elif (
                not self.gates["PrioritySortingWithinCohort"]
                and job.preempted is not None
                and job.preempted["reason"] == "InCohortReclaimWhileBorrowing"
            ):
                since = job.preempted["time"] + 0.001
            sticky = self.objects.is_best_effort(queue) and self.queues[queue].preemptor == job.name
            return (self.sharing.usage_of(job), not sticky, -job.spec["priority"], since, job.uid)

        return key

    def by_eviction(self):
        return self.objects.run.get("podsReadyRequeuingTimestamp", "Eviction") == "Eviction"

    def first(self):
        """The first job of each ClusterQueue in which any job waits, by the queue's name."""
        return {
            name: min(queue.heap.values(), key=self.order(name))
            for name, queue in self.queues.items()
            if queue.heap and self.objects.takes_jobs(name)
        }

    def heads(self):
        """The first job of each ClusterQueue in which any job waits; they leave their heaps."""
        for name, first in self.first().items():
            yield self.queues[name].heap.pop(first.name)

    def decide(self, heads):
        """The decisions of the models: each entry of the cycle, with the decision about it."""
        asked = dict(self.objects.as_asked(self.queues), now=self.now // 1000, cycle=self.cycle)
        asked["admissionFairSharing"] = bool(self.sharing.queues)
        asked["admitted"] = [{**job.holding(), **self.sharing.told(job)} for job in self.holders()]
        asked["pending"] = [
            {**job.waiting(self.queues[job.cq].preemptor == job.name), **self.sharing.told(job)} for job in heads
        ]
        entries = {}

        class KeptEntry(kueue.Entry):
            def __init__(self, workload):
                super().__init__(workload)
                entries[workload.name] = self

        plain, kueue.Entry = kueue.Entry, KeptEntry
        try:
            with PlacedCycle(Topologies(self.objects.run, self.servers, self.gates), self.jobs).in_place():
                decide = with_victims_in_order(kueue.run_cycle) if self.sharing.queues else kueue.run_cycle
                decisions = decide(kueue.build(asked))
        finally:
            kueue.Entry = plain
        return [(entries[decision["workload"]], decision) for decision in decisions]

    def requeue(self, entry, decision):
        """Puts a job that was not admitted back. Returns True if that parks it."""
        job, queue = self.jobs[entry.w.name], self.queues[entry.w.cq]
        job.memory = entry.last
        if decision["requeueReason"] == "PendingPreemption":
            queue.preemptor = job.name
        if decision["requeue"] == "active":
            queue.heap[job.name] = job
            return False
        alike = self.gates["SchedulingEquivalenceHashing"] and decision["requeueReason"] in PARKS_EQUALS
        queue.park(job, alike and self.objects.is_best_effort(job.cq))
        return True

    def one_cycle(self, heads):
        """Runs one cycle. Returns True if it changed anything except what the heads remember."""
        self.cycle += 1
        changed, victims = False, []
        decided = self.decide(heads)
        for entry, decision in decided:
            if decision["decision"] == "admitted":
                self.admit(entry)
                changed = True
        for entry, decision in decided:
            if decision["decision"] != "admitted":
                changed |= self.requeue(entry, decision)
                if "preempts" in decision:
                    victims += [(target.w.name, target.reason) for target in entry.targets]
        for name, reason in victims:
            changed |= self.preempt(name, reason)
        self.start_placed()
        return changed

    def settle(self):
        if self.happened:
            self.go_round()
        self.happened = False

    def go_round(self):
        """Runs cycles until one changes nothing and leaves the heads as an earlier one did."""
        seen = []
        for _ in range(MOST_CYCLES):
            heads = list(self.heads())
            if not heads:
                return
            if self.one_cycle(heads):
                seen.clear()
                continue
            left = {job.name: job.memory and job.memory["tried"] for job in heads}
            if left in seen:
                return
            seen.append(left)
        raise Endless
