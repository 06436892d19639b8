"""How much longer pods run than their work takes, depending on where they are: docs/reference/run-time.md."""

from collections import defaultdict
from fractions import Fraction

from group_metrics import level_names

TABLES = {  # factors from one server upwards; the last one holds for all levels above
    "none": {"any": ["1"]},
    "linear": {"any": None},  # 1, 1.1, 1.2 and so on
    "measured": {"resnet-50": ["1", "1.294"], "language-model": ["1", "3.169"],
                 "resnet-18": ["1", "2.964"], "transformer": ["1", "1.929"]},
}


class Factors:
    def __init__(self, run, cluster, workload):
        self.cluster, self.workload = cluster, workload
        self.given = run.get("runTime")
        if self.given is None:
            return
        table = TABLES[self.given.get("table", "none")]
        levels = level_names(run, cluster)[::-1] + ["cluster"]
        self.first = next(iter(table))
        self.classes = {name: self.of_table(factors, len(levels))
                        for name, factors in table.items()}
        self.shared = dict.fromkeys(table, Fraction(1))
        for name, entry in (self.given.get("classes") or {}).items():
            at, factors = Fraction(1), []
            for level in levels:
                at = Fraction(str(entry.get(level, at)))
                factors.append(at)
            self.classes[name] = factors
            self.shared[name] = Fraction(str(entry.get("sharedNic", 1)))

    def of_table(self, factors, levels):
        if factors is None:
            return [1 + Fraction(i, 10) for i in range(levels)]
        return [Fraction(factors[min(i, len(factors) - 1)]) for i in range(levels)]

    def known(self, job):
        """Whether the class is stated, and NICs do not matter."""
        known = self.workload.of(job)
        return known is not None and all(s == 1 for s in self.shared.values())

    def of(self, job, servers):
        """The factor of a job whose members start on these servers."""
        if self.given is None:
            return Fraction(1)
        depth = len(self.cluster.levels) + 1
        while depth > 0 and len({self.cluster.node_of(s, depth) for s in servers}) > 1:
            depth -= 1
        height = len(self.cluster.levels) + 1 - depth
        return self.classes[self.workload.of(job).job_class or self.first][height]


def set_factors(work, factors):
    """Sets the factor of each stint to that of its job's start; None if the files do not tell it."""
    together, starts = defaultdict(set), defaultdict(set)
    for pod in work.pods:
        for stint in pod.stints:
            together[job_of(pod), stint.start].add(factors.cluster.index[stint.node])
    for group in work.groups.values():
        starts[group.name] = starts_of(group)
    for pod in work.pods:
        for stint in pod.stints:
            if factors.given is None or factors.known(job_of(pod)):
                # Members that join later run like those that were there from the start.
                start = max((at for at in starts[job_of(pod)] if at <= stint.start),
                            default=stint.start)
                stint.factor = factors.of(job_of(pod), together[job_of(pod), start])


def job_of(pod):
    return pod.group or pod.name


def starts_of(group):
    """The times when the group started: the last one, and those before each loss of its place."""
    first = {}
    for member in group.members:
        for stint in member.stints:
            if stint.cause:
                first[stint.end] = min(stint.start, first.get(stint.end, stint.start))
    return {*first.values()} | ({group.start} if group.start is not None else set())
