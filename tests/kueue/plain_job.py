"""A job of a plain run."""
from collections import Counter


class Job:
    """A workload: it waits in its queue, or holds quota and, once it runs, places."""

    def __init__(self, spec, uid, request=None):
        """`request`: how its pods are to be placed, in Kueue's terms; None if it does not say."""
        self.request = request
        self.spec, self.uid, self.name, self.cq = spec, uid, spec["name"], spec["cq"]
        self.created = spec["at"] // 1000
        self.evicted = self.preempted = None  # reason and time, until it has quota again
        self.memory = None        # the flavors that were tried in its last cycle
        self.reserved = self.usage = self.flavors = None
        self.count = 0            # number of admitted pods
        self.places = None        # pods by server, if it is placed by topology
        self.placed_on = None     # the flavor whose servers these are, if so
        self.turn = 0             # its position in the queue of jobs for which the profile seeks places
        self.lies = None          # pods by server while it runs
        self.started = self.ends = self.leaves = self.leaves_for = None
        self.stints = []          # start, end, how it ended, pods by server
        self.timeouts = self.preemptions = self.awaited_since = 0
        self.outcome = "waiting"

    @property
    def holds(self):
        return self.reserved is not None

    @property
    def runs(self):
        return self.lies is not None

    def hash(self):
        """A value that is equal for jobs that no decision distinguishes."""
        spec = self.spec
        return (spec["priority"], spec["count"], spec["least"], tuple(sorted(spec["requests"].items())),
                tuple(sorted((self.request or {}).items())))

    def pod_set(self):
        spec = self.spec
        return {"name": "main", "count": spec["count"], "requests": spec["requests"],
                **({"minCount": spec["least"]} if spec["least"] < spec["count"] else {})}

    def common(self):
        return {"name": self.name, "uid": self.uid, "cq": self.cq, "priority": self.spec["priority"],
                "created": self.created, "evicted": self.evicted, "preempted": self.preempted}

    def waiting(self, is_preemptor):
        return {**self.common(), "lastAssignment": self.memory, "isPreemptor": is_preemptor,
                "podSets": [self.pod_set()]}

    def holding(self):
        held = {"name": "main", "count": self.spec["count"], "assignedCount": self.count, "usage": self.usage,
                "flavors": self.flavors}
        return {**self.common(), "reserved": self.reserved, "podSets": [held]}

    def lose_quota(self):
        self.reserved = self.places = self.placed_on = self.memory = None
        self.count = 0

    def told(self):
        """What happened to the job, as berth's tables tell it: repeated stints at one instant are merged."""
        stints = {}
        for *stint, servers in self.stints:
            stints.setdefault(tuple(stint), Counter()).update(servers)
        return {"queue": self.cq, "outcome": self.outcome,
                "stints": [[*stint, dict(servers)] for stint, servers in sorted(stints.items())]}
