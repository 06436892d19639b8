"""Random servers for a run: a small tree for flavors with a topology, and single servers for flavors without, with
labels that separate them; and which of them fail and come back."""
from random_requests import HOST

LEVELS = ("zone", "room", "rack")
TAS_GATES = ("TASProfileMixed", "TASBalancedPlacement", "TASRecomputeAssignmentWithinSchedulingCycle",
             "TASRespectNodeAffinityPreferred")


def label_of(level):
    return f"example.com/topology-{level}"


class Cluster:
    """The servers of a run whose objects exist: its flavors get labels, its groups levels."""

    def __init__(self, dice, objects):
        self.dice, self.objects = dice, objects
        self.levels = sorted(dice.sample(LEVELS, dice.randint(1, 3)), key=LEVELS.index)
        self.names = {level: iter(dice.sample(range(30), 30)) for level in self.levels}
        self.hosts = iter(dice.sample(range(130), 130))
        self.pools = ["a", "b"][:dice.choice((1, 1, 2))]
        self.size = dice.choice((2, 4, 8))
        # Flavors without a topology share servers with those that have one.
        self.shares = dice.random() < 0.3
        # In a cluster whose racks have repeated names, label values identify racks only together with the levels above.
        self.repeats = dice.random() < 0.2

    def server(self, path, labels, size):
        values = {label_of(level): value for level, value in zip(self.levels, path)}
        name = f"host-{next(self.hosts)}"
        capacity = {resource: self.objects.amount(resource, size) for resource in self.objects.every_resource}
        return name, {"path": list(path), "labels": {**values, HOST: name, **labels}, "capacity": capacity}

    def below(self, path):
        """The servers below a node of the tree."""
        dice = self.dice
        if len(path) == len(self.levels):
            for _ in range(dice.randint(1, 4)):
                size = dice.choice((self.size, self.size, dice.randint(1, 2 * self.size)))
                yield self.server(path, {"pool": dice.choice(self.pools), "all": "yes"}, size)
            return
        level = self.levels[len(path)]
        for index in range(dice.choice((1, 2, 2, 3))):
            number = index if self.repeats and path else next(self.names[level], None)
            if number is not None:
                yield from self.below((*path, f"{level}-{number}"))

    def servers(self, single):
        """The servers of the tree, and one for each flavor in `single`, under nodes of its own."""
        found = dict(self.below(()))
        for flavor in () if self.shares else single:
            path = [f"{level}-of-{flavor}" for level in self.levels]
            found.update([self.server(path, {"pool": flavor}, 100_000)])
        return found

    def topologies(self):
        """Labels from the top down; levels may be left out."""
        return {f"topology-{i}": [*(label_of(level) for level in self.levels if self.dice.random() < 0.8), HOST]
                for i in range(self.dice.choice((1, 1, 2)))}

    def flavors(self, topologies, share):
        dice = self.dice
        for name in self.objects.flavors:
            if dice.random() < share:
                labels = dice.choice([{"all": "yes"}, *({"pool": pool} for pool in self.pools)])
                yield {"name": name, "nodeLabels": labels, "topology": dice.choice(sorted(topologies))}
            elif self.shares:
                yield {"name": name, "nodeLabels": dice.choice([{"all": "yes"}, {"pool": self.pools[0]}])}
            else:
                yield {"name": name, "nodeLabels": {"pool": name}}

    def constrain(self, job, topologies, placed_by_topology):
        """Turns a job into a group, possibly of one pod, that asks for a level; other jobs may be placed anywhere. If
        no flavor of its queue has a topology, the profile places the job."""
        dice = self.dice
        if self.shares and not placed_by_topology:
            return {**job, "count": 1, "least": 1}
        if (job["count"] > 1 and dice.random() < 0.7) or dice.random() < 0.15:
            labels = dice.choice(sorted(topologies.values()))
            if dice.random() < 0.1:
                labels = [label_of(level) for level in self.levels]
            return {**job, "level": dice.choice(labels), "hard": dice.random() < 0.6}
        # The plain run does not model how a profile spreads groups: on shared servers there are only single pods.
        return {**job, "count": 1, "least": 1} if self.shares else job

    def failures(self, servers, until):
        """Servers that fail, some of them permanently, each at most twice."""
        dice, events = self.dice, []
        for name in dice.sample(sorted(servers), min(len(servers), dice.choice((0, 0, 1, 2, 4)))):
            at = dice.randrange(0, until, 500)
            for _ in range(dice.choice((1, 1, 2))):
                events.append({"at": at, "node": name, "event": "fail"})
                at += dice.randrange(500, until, 500)
                events.append({"at": at, "node": name, "event": "repair"})
                at += dice.randrange(500, until, 500)
        return sorted(events, key=lambda event: event["at"])
