"""One cycle of Kueue with places by topology: the model of a cycle, combined with the model of placement.

kueue.py decides about quota, kueue_tas.py where the pods of one workload are placed. The connection between both is
written here, from the description of Kueue's behaviour: a flavor must have a topology if places are asked for; an
assignment needs places in addition to quota, and preempts for them; places are taken within a cycle. Workloads have
one pod set. PlacedCycle replaces functions of the model with its own.
"""
from contextlib import contextmanager

import kueue
import kueue_tas

ALWAYS = "TASRecomputeAssignmentWithinSchedulingCycle"
OVERLAP = "RecomputeAssignmentUponPreemptionTargetsOverlap"
ENOUGH_PODS = 1_000_000  # no server has a pod limit of its own


class Topologies:
    """The flavors with a topology at the beginning of a cycle, with what the cycle takes and gives back."""

    def __init__(self, run, servers, gates):
        self.levels = {flavor["name"]: run["topologies"][flavor["topology"]] for flavor in run["flavors"]
                       if flavor.get("topology")}
        self.snapshots = {flavor["name"]: kueue_tas.Snapshot(self.scenario(flavor, servers, gates))
                          for flavor in run["flavors"] if flavor.get("topology")}

    def scenario(self, flavor, servers, gates):
        return {"levels": self.levels[flavor["name"]], "flavor": {"nodeLabels": flavor["nodeLabels"]},
                "nodes": [{"name": name, "labels": server["labels"],
                           "allocatable": {**server["capacity"], "pods": ENOUGH_PODS}}
                          for name, server in servers.all.items() if servers.is_up(name)],
                "nonTASPods": [{"node": server, "requests": job.spec["requests"]}
                               for job in servers.lying.values() if job.placed_on is None
                               for server, count in job.lies.items() for _ in range(count)],
                "gates": {gate: value for gate, value in gates.items() if gate in kueue_tas.GATES},
                "podSets": []}

    def use(self, flavor, places, requests, sign):
        """Takes places of a flavor, or gives them back: other flavors on the same servers do not see it in this
        cycle."""
        for server, count in places.items():
            leaf = self.snapshots[flavor].leaves.get(server)
            if leaf is not None:
                self.add(leaf, requests, sign * count)

    def hold(self, job):
        """Counts what a job holds at the beginning of the cycle, for all flavors with servers below their topology."""
        for snapshot in self.snapshots.values():
            for server, count in job.places.items():
                if server in snapshot.leaves:
                    self.add(snapshot.leaves[server], job.spec["requests"], count)

    @staticmethod
    def add(leaf, requests, count):
        one = {**kueue_tas.reqs(requests), "pods": 1}
        kueue_tas.radd(leaf.used, kueue_tas.scaled(one, count))

    def find(self, flavor, job, count, empty):
        """Pods by server; None if there is no place for all of them."""
        request = job.request
        asked = {"name": "main", "count": count, "requests": job.spec["requests"], "topologyRequest": request,
                 "implied": request is None}
        found = self.snapshots[flavor].run([asked], empty)["main"]["assignment"]
        return found and {domain["values"][-1]: domain["count"] for domain in found["domains"]}

    def have_room(self, flavor, places, requests):
        leaves = self.snapshots[flavor].leaves
        for server, count in places.items():
            if server not in leaves:
                return False
            left = kueue_tas.radd(dict(leaves[server].free), leaves[server].used, -1)
            if kueue_tas.count_in(kueue_tas.reqs(requests), left)[0] < count:
                return False
        return True


def set_mode(assignment, mode):
    for flavor in assignment.podsets[0]["flavors"].values():
        flavor["mode"] = mode


def flavors_of(assignment):
    return {flavor["name"] for flavor in assignment.podsets[0]["flavors"].values()}


class PlacedCycle:
    """The differences in a cycle if flavors have topologies. `jobs` are all jobs, by name."""

    def __init__(self, topologies, jobs):
        self.topologies, self.jobs = topologies, jobs
        self.asking = None  # the workload whose flavors are checked
        self.sought = None  # the flavor and the pods for which room is made
        self.model = {}
        for job in jobs.values():
            if job.places:
                topologies.hold(job)

    @contextmanager
    def in_place(self):
        """The model with these functions in place of its own."""
        cycle = self

        class PlacedSched(kueue.Sched):
            def remove_workload(self, w):
                super().remove_workload(w)
                cycle.use(w, -1)

            def add_workload(self, w):
                super().add_workload(w)
                cycle.use(w, 1)

        own = {"Sched": PlacedSched, "check_flavor": self.check_flavor, "assign_flavors": self.assign_flavors,
               "workload_fits": self.workload_fits, "get_assignments": self.get_assignments,
               "fits_in_cycle": self.fits_in_cycle, "process": self.process}
        self.model = {name: getattr(kueue, name) for name in own}
        try:
            for name, function in own.items():
                setattr(kueue, name, function)
            yield
        finally:
            for name, function in self.model.items():
                setattr(kueue, name, function)

    def use(self, w, sign):
        job = self.jobs[w.name]
        if job.places:
            self.topologies.use(job.placed_on, job.places, job.spec["requests"], sign)

    # The flavors that are available to a workload.

    def wants_places(self, s, w):
        """Whether a workload asks to be placed by topology, or its queue has no other flavors."""
        flavors = [flavor for group in s.cqs[w.cq].groups for flavor in group["flavors"]]
        return self.jobs[w.name].request is not None or all(f in self.topologies.levels for f in flavors)

    def check_flavor(self, s, flavor, podsets):
        return self.model["check_flavor"](s, flavor, podsets) or self.mismatch(s, self.asking, flavor)

    def mismatch(self, s, w, flavor):
        request = self.jobs[w.name].request
        levels = self.topologies.levels.get(flavor)
        if not self.wants_places(s, w):
            return levels and f'Flavor "{flavor}" supports only TopologyAwareScheduling'
        if request is None:
            return None
        if levels is None:
            covered = next(g["resources"] for g in s.cqs[w.cq].groups if flavor in g["flavors"])
            overlaps = set(covered) & set(self.jobs[w.name].spec["requests"])
            return f'Flavor "{flavor}" does not support TopologyAwareScheduling' if overlaps else None
        missing = set(request.values()) - set(levels)
        return f'Flavor "{flavor}" does not contain the requested level' if missing else None

    # Places in addition to quota.

    def request_of(self, s, w, a):
        """The flavor and the number of pods for which places are sought, if any are."""
        placed = flavors_of(a) & set(self.topologies.levels)
        return (placed.pop(), a.podsets[0]["count"]) if self.wants_places(s, w) and len(placed) == 1 else None

    def find(self, w, request, empty):
        flavor, count = request
        return self.topologies.find(flavor, self.jobs[w.name], count, empty)

    def assign_flavors(self, s, w, counts=None):
        self.asking = w
        a = self.model["assign_flavors"](s, w, counts)
        a.places = a.placed_on = None
        if a.mode() == kueue.NOFIT or not self.wants_places(s, w):
            return a
        request, reasons = self.request_of(s, w, a), a.podsets[0]["reasons"]
        if request is None:
            reasons.append("not one flavor with a topology")
            set_mode(a, kueue.NOFIT)
            return a
        if a.mode() == kueue.FIT:
            a.places, a.placed_on = self.find(w, request, False), request[0]
            if a.places is not None:
                return a
            reasons.append("no places")
            set_mode(a, kueue.PREEMPT)
        if a.mode() == kueue.PREEMPT:
            set_mode(a, kueue.NOFIT if self.find(w, request, True) is None else kueue.PREEMPT)
        return a

    def workload_fits(self, p, allow_borrowing):
        return self.model["workload_fits"](p, allow_borrowing) and (
            self.sought is None or self.find(p.w, self.sought, False) is not None)

    # What a workload gets, and which workloads are preempted for it.

    def targets_for(self, s, w, a):
        """The preempted workloads, for an assignment that fits without them; None if it does not fit."""
        if a.mode() == kueue.FIT:
            return []
        if a.mode() != kueue.PREEMPT:
            return None
        self.sought = self.request_of(s, w, a)
        targets = kueue.get_targets(s, w, kueue.assignment_requests(s, w, a), kueue.need_preemption(a))
        self.sought = None
        return targets or None

    def best_assignment(self, s, w):
        full = kueue.assign_flavors(s, w)
        targets = self.targets_for(s, w, full)
        if targets is not None:
            return full, targets
        if s.gates["PartialAdmission"] and w.partially_admittable():
            def attempt(counts):
                smaller = kueue.assign_flavors(s, w, counts)
                gone = self.targets_for(s, w, smaller)
                return None if gone is None else (smaller, gone)
            found = kueue.podset_reduce(w.podsets, attempt)
            if found is not None:
                return found
        return full, []

    def get_assignments(self, s, w):
        if w.last is not None and kueue.last_outdated(s, w, s.cqs[w.cq]):
            w.last = None
        a, targets = self.best_assignment(s, w)
        request = self.request_of(s, w, a) if a.mode() == kueue.PREEMPT else None
        if request is not None:  # no later workload may take what it waits for
            for target in targets:
                self.use(target.w, -1)
            a.places, a.placed_on = self.find(w, request, not targets), request[0]
            for target in targets:
                self.use(target.w, 1)
        return a, targets

    # Within the cycle.

    def lacks(self, s, e, preempted):
        """What an entry lacks once the workloads preempted in this cycle and its own targets are gone."""
        gone = {**preempted, **{target.w.name: target.w for target in e.targets}}
        for name in sorted(gone):
            s.apply_usage(gone[name].cq, gone[name].usage(), kueue.remove_usage)
            self.use(gone[name], -1)
        cq, requests = s.cqs[e.w.cq], self.jobs[e.w.name].spec["requests"]
        missing = None
        if any(amount > kueue.cq_available(cq, what) for what, amount in kueue.entry_usage(e).items()):
            missing = "quota"
        elif e.a.places and not self.topologies.have_room(e.a.placed_on, e.a.places, requests):
            missing = "places"
        for name in sorted(gone):
            s.apply_usage(gone[name].cq, gone[name].usage(), kueue.add_usage)
            self.use(gone[name], 1)
        return missing

    def fits_in_cycle(self, s, e, preempted):
        return self.lacks(s, e, preempted) is None

    def process(self, s, e, preempted):
        overlaps = s.gates[OVERLAP] and any(target.w.name in preempted for target in e.targets)
        again = not overlaps and s.gates.get(ALWAYS, True) and self.lacks(s, e, preempted) == "places"
        gates = s.gates
        if again:  # an earlier entry took its places: it gets others, of the same flavors
            e.w.last = None
            e.w.nomination = {"main": {resource: flavor["name"]
                                       for resource, flavor in e.a.podsets[0]["flavors"].items()}}
            s.gates = {**gates, OVERLAP: True}  # only then does the model heed the nomination
            kueue.record(s, e, *kueue.get_assignments(s, e.w))
            e.w.nomination = None
            s.gates = {**gates, OVERLAP: False}  # it is assigned again once
        self.model["process"](s, e, preempted)
        s.gates = gates
        if e.a.places and self.keeps_places(s, e):
            self.topologies.use(e.a.placed_on, e.a.places, self.jobs[e.w.name].spec["requests"], 1)

    @staticmethod
    def keeps_places(s, e):
        """Whether an entry takes its places, or keeps them from later entries."""
        if e.requeue == "PreemptionNoCandidates":
            always_reclaims = s.cqs[e.w.cq].preemption.get("reclaimWithinCohort") == "Any"
            return not always_reclaims or (s.gates["PrioritizePreemptorWorkloads"] and e.w.is_preemptor)
        return e.status == "assumed" or e.requeue == "PendingPreemption"
