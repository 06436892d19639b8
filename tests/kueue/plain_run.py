"""A run under Kueue's objects, computed plainly: queues, cycles one after the other, retries, ends.

The decisions of one cycle are the model's (kueue.py must be importable); everything between cycles is
written here, from the description of Kueue's behaviour alone. A cycle takes no time. At an instant all
arrivals and ends come first; then cycles follow each other until nothing more can come of them; then
whoever is to be offered again at that instant is, and cycles follow again.
"""
import kueue

RETRY_AFTER = 1000  # ms
PARKS_EQUALS = ("NoFit", "PreemptionNoCandidates")
MOST_CYCLES = 2000


class Endless(Exception):
    """Jobs preempt each other in turn, for ever, and no time passes."""


class Job:
    """A workload: waiting in its queue, or holding quota."""

    def __init__(self, spec, uid):
        self.spec, self.uid, self.name, self.cq = spec, uid, spec["name"], spec["cq"]
        self.created = spec["at"] // 1000
        self.preempted = None    # how and when it was preempted last, until it has quota again
        self.memory = None       # which flavors were tried in its last cycle
        self.reserved = self.usage = self.flavors = None
        self.placed, self.starts, self.finish, self.evictions = 0, [], None, 0

    def hash(self):
        """Jobs that are told apart by nothing that a decision looks at."""
        spec = self.spec
        return (spec["priority"], spec["count"], spec["least"], tuple(sorted(spec["requests"].items())))

    def pod_set(self):
        spec = self.spec
        return {"name": "main", "count": spec["count"], "requests": spec["requests"],
                **({"minCount": spec["least"]} if spec["least"] < spec["count"] else {})}

    def waiting(self, is_preemptor):
        return {"name": self.name, "uid": self.uid, "cq": self.cq, "priority": self.spec["priority"],
                "created": self.created, "preempted": self.preempted, "lastAssignment": self.memory,
                "isPreemptor": is_preemptor, "podSets": [self.pod_set()]}

    def holding(self):
        held = {"name": "main", "count": self.spec["count"], "assignedCount": self.placed, "usage": self.usage,
                "flavors": self.flavors}
        return {"name": self.name, "uid": self.uid, "cq": self.cq, "priority": self.spec["priority"],
                "created": self.created, "reserved": self.reserved, "podSets": [held]}


class Queue:
    """Who waits for a ClusterQueue: in its heap, or parked until something is given back."""

    def __init__(self, spec):
        self.best_effort = spec["strategy"] == "BestEffortFIFO"
        self.heap, self.parked, self.parked_hashes = {}, {}, set()
        self.preemptor = None
        self.generation = 1

    def arrive(self, job):
        (self.parked if job.hash() in self.parked_hashes else self.heap)[job.name] = job

    def park(self, job, with_equals):
        self.parked[job.name] = job
        if with_equals and self.best_effort:
            self.parked_hashes.add(job.hash())
            for other in [one for one in self.heap.values() if one.hash() == job.hash()]:
                self.parked[other.name] = self.heap.pop(other.name)

    def retry(self):
        self.parked_hashes.clear()
        self.heap.update(self.parked)
        self.parked.clear()


class PlainRun:
    def __init__(self, run):
        self.run = run
        self.gates = {**kueue.DEFAULT_GATES, **run["gates"]}
        self.now, self.cycle = 0, 0
        self.queues = {spec["name"]: Queue(spec) for spec in run["clusterQueues"]}
        arriving = sorted(run["jobs"], key=lambda job: job["at"])
        self.jobs = {spec["name"]: Job(spec, uid) for uid, spec in enumerate(arriving)}
        self.arriving = list(self.jobs.values())
        self.holders = {}
        self.ends, self.retries = {}, {}
        parents = {cohort["name"]: cohort["parent"] for cohort in run["cohorts"]}
        self.roots = {spec["name"]: self.root_of(spec, parents) for spec in run["clusterQueues"]}

    @staticmethod
    def root_of(spec, parents):
        if spec["cohort"] is None:
            return "queue " + spec["name"]
        node = spec["cohort"]
        while parents.get(node) is not None:
            node = parents[node]
        return "cohort " + node

    def order(self, queue):
        """Who is first: the sticky preemptor, then by priority, time in the queue, uid."""
        def key(job):
            since = job.created
            if not self.gates["PrioritySortingWithinCohort"] and job.preempted is not None \
                    and job.preempted["reason"] == "InCohortReclaimWhileBorrowing":
                since = job.preempted["time"] + 0.001
            sticky = queue.best_effort and queue.preemptor == job.name
            return (not sticky, -job.spec["priority"], since, job.uid)
        return key

    def give_back(self, job):
        """The job's quota is free again: whoever is parked in its tree is offered again a little later."""
        del self.holders[job.name], self.ends[job.name]
        self.queues[job.cq].generation += 1
        self.retries.setdefault(self.roots[job.cq], self.now + RETRY_AFTER)

    def evict(self, name, reason):
        job = self.jobs[name]
        self.give_back(job)
        if job.starts[-1] == self.now:
            job.starts.pop()  # its pods had not begun
        else:
            job.evictions += 1
        job.preempted = {"reason": reason, "time": self.now // 1000}
        job.placed = 0
        job.memory = None
        self.queues[job.cq].arrive(job)

    def admit(self, entry):
        job = self.jobs[entry.w.name]
        pod_set = entry.a.podsets[0]
        job.placed = pod_set["count"]
        job.flavors = {resource: flavor["name"] for resource, flavor in pod_set["flavors"].items()}
        job.usage = {resource: used for (_, resource), used in entry.a.usage.items()}
        job.reserved, job.preempted, job.memory = self.now // 1000, None, None
        if self.queues[job.cq].preemptor == job.name:
            self.queues[job.cq].preemptor = None
        job.starts.append(self.now)
        self.holders[job.name] = job
        self.ends[job.name] = self.now + job.spec["lifetime"]

    def heads(self):
        """One of each ClusterQueue in which anybody waits; they leave their heaps."""
        for queue in self.queues.values():
            if queue.heap:
                first = min(queue.heap.values(), key=self.order(queue))
                yield queue.heap.pop(first.name)

    def decide(self, heads):
        """What the model decides: each entry of the cycle, and the decision that tells of it."""
        asked = dict(self.run, now=self.now // 1000, cycle=self.cycle)
        asked["clusterQueues"] = [dict(spec, generation=self.queues[spec["name"]].generation)
                                  for spec in self.run["clusterQueues"]]
        asked["admitted"] = [job.holding() for job in self.holders.values()]
        asked["pending"] = [job.waiting(self.queues[job.cq].preemptor == job.name) for job in heads]
        entries = {}

        class KeptEntry(kueue.Entry):
            def __init__(self, workload):
                super().__init__(workload)
                entries[workload.name] = self

        plain, kueue.Entry = kueue.Entry, KeptEntry
        try:
            decisions = kueue.run_cycle(kueue.build(asked))
        finally:
            kueue.Entry = plain
        return [(entries[decision["workload"]], decision) for decision in decisions]

    def requeue(self, entry, decision):
        """Puts who was not admitted back: True if that parks it."""
        job, queue = self.jobs[entry.w.name], self.queues[entry.w.cq]
        job.memory = entry.last
        if decision["requeueReason"] == "PendingPreemption":
            queue.preemptor = job.name
        if decision["requeue"] == "active":
            queue.heap[job.name] = job
            return False
        queue.park(job, self.gates["SchedulingEquivalenceHashing"] and decision["requeueReason"] in PARKS_EQUALS)
        return True

    def one_cycle(self, heads):
        """True if it changed anything but what the heads remember."""
        self.cycle += 1
        changed, victims = False, {}
        decided = self.decide(heads)
        for entry, decision in decided:
            if decision["decision"] == "admitted":
                self.admit(entry)
                changed = True
        for entry, decision in decided:
            if decision["decision"] != "admitted":
                changed |= self.requeue(entry, decision)
                victims.update(decision.get("preempts", ()))
        for name, reason in sorted(victims.items(), key=lambda victim: self.jobs[victim[0]].uid):
            self.evict(name, reason)
        return changed or bool(victims)

    def settle(self):
        """Cycles until one changes nothing and leaves the heads as an earlier one did."""
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

    def next_instant(self):
        times = [*self.ends.values(), *self.retries.values()]
        if self.arriving:
            times.append(self.arriving[0].spec["at"])
        return min(times, default=None)

    def arrive_and_end(self):
        """All arrivals and ends of this instant: whether there is any."""
        ended = [self.jobs[name] for name, end in self.ends.items() if end == self.now]
        for job in ended:
            self.give_back(job)
            job.finish = self.now
        arrived = [job for job in self.arriving if job.spec["at"] == self.now]
        for job in arrived:
            self.queues[job.cq].arrive(job)
        self.arriving = self.arriving[len(arrived):]
        return bool(ended or arrived)

    def retry(self):
        """Those who are parked are offered again in each tree whose time has come: whether there is any."""
        due = [root for root, time in self.retries.items() if time == self.now]
        for root in due:
            del self.retries[root]
            for name, queue in self.queues.items():
                if self.roots[name] == root:
                    queue.retry()
        return bool(due)

    def outcome(self):
        while (instant := self.next_instant()) is not None:
            self.now = instant
            for happens in (self.arrive_and_end, self.retry):
                if happens():
                    self.settle()
        return {job.name: {"starts": job.starts, "finish": job.finish, "evictions": job.evictions,
                           "placed": job.placed, "queue": job.cq} for job in self.jobs.values()}
