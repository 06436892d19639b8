"""What pods hold at each instant of a replication: utilization, stranded amounts, samples."""

from collections import defaultdict


class Area:
    """An amount that changes, integrated over the time of a window."""

    def __init__(self, amount, window):
        self.amount, self.window, self.since, self.area = amount, window, window.begin, 0

    def change(self, at, by):
        stop = min(at, self.window.end)
        if stop > self.since:
            self.area += self.amount * (stop - self.since)
            self.since = stop
        self.amount += by

    def sum(self):
        self.change(self.window.end, 0)
        return self.area


class Use:
    """Amounts in use, changed by pods that come and go and by servers that fail, and their integrals over the time of a
    window. A server's background is in use while the server is up."""

    def __init__(self, cluster, with_background, window):
        self.cluster, self.now, self.window = cluster, 0, window
        servers = range(len(cluster.names))
        self.up = [s not in cluster.absent for s in servers]
        self.background = {r: cluster.background[r] if with_background else [0] * len(self.up)
                           for r in cluster.resources}
        self.used_on = {r: [b if self.up[s] else 0 for s, b in enumerate(self.background[r])]
                        for r in cluster.resources}
        self.used, self.capacity, self.stranded, self.waiting = {}, {}, {}, {}
        self.node_used, self.node_capacity = {}, {}
        self.pods_running = self.pods_waiting = self.longest_queue = 0
        self.queue = Area(0, window)
        self.idle = [self.idle_of(s) for s in servers]
        for r in cluster.resources:
            have = [cluster.capacity[r][s] if self.up[s] else 0 for s in servers]
            self.used[r] = Area(sum(self.used_on[r]), window)
            self.capacity[r] = Area(sum(have), window)
            self.stranded[r] = Area(sum(idle.get(r, 0) for idle in self.idle), window)
            self.waiting[r] = 0
            self.add_nodes(r, have, window)

    def add_nodes(self, r, have, window):
        used, capacity = defaultdict(int), defaultdict(int)
        for s, amount in enumerate(have):
            for depth in range(1, len(self.cluster.levels) + 1):
                node = self.cluster.node_of(s, depth)
                used[node] += self.used_on[r][s]
                capacity[node] += amount
        self.node_used[r] = {node: Area(amount, window) for node, amount in used.items()}
        self.node_capacity[r] = {node: Area(amount, window) for node, amount in capacity.items()}

    def idle_of(self, s):
        """What is free on the server although another resource, which it was built with, is exhausted."""
        if not self.up[s]:
            return {}
        built = [r for r in self.cluster.resources if self.cluster.capacity[r][s] > 0]
        free = {r: max(0, self.cluster.capacity[r][s] - self.used_on[r][s]) for r in built}
        return {r: free[r] for r in built
                if any(free[other] == 0 for other in built if other != r)}

    def refresh(self, s):
        before, self.idle[s] = self.idle[s], self.idle_of(s)
        for r in self.cluster.resources:
            self.stranded[r].change(self.now, self.idle[s].get(r, 0) - before.get(r, 0))

    def take(self, s, demand, sign):
        for r, amount in demand.items():
            if r not in self.used or amount == 0:
                continue
            self.used_on[r][s] += sign * amount
            self.used[r].change(self.now, sign * amount)
            for depth in range(1, len(self.cluster.levels) + 1):
                self.node_used[r][self.cluster.node_of(s, depth)].change(self.now, sign * amount)
        self.refresh(s)

    def set_up(self, s, up):
        if self.up[s] == up:
            return
        self.up[s] = up
        for r in self.cluster.resources:
            amount = self.cluster.capacity[r][s] * (1 if up else -1)
            self.capacity[r].change(self.now, amount)
            for depth in range(1, len(self.cluster.levels) + 1):
                self.node_capacity[r][self.cluster.node_of(s, depth)].change(self.now, amount)
        self.take(s, {r: self.background[r][s] for r in self.cluster.resources}, 1 if up else -1)
        self.refresh(s)

    def wait(self, demand, sign):
        for r, amount in demand.items():
            if r in self.waiting:
                self.waiting[r] += sign * amount
        self.pods_waiting += sign
        self.queue.change(self.now, sign)

    def pass_until(self, at):
        """Notes that nothing changes between the last instant and this one."""
        if min(at, self.window.end) > max(self.now, self.window.begin):
            self.longest_queue = max(self.longest_queue, self.pods_waiting)


def changes_of(cluster, work, waits):
    """All changes by time; within an instant, those that give something back come first."""
    changes = defaultdict(list)
    for at, server, up in cluster.changes:
        changes[at].append((1, "up", server, up))
    for pod in work.pods:
        for stint in pod.stints:
            server = cluster.index[stint.node]
            changes[stint.start].append((2, "take", server, pod.demand))
            if stint.end is not None:
                changes[stint.end].append((0, "give", server, pod.demand))
    for start, stop, pod in waits:
        changes[start].append((2, "wait", pod.asked, 1))
        if stop is not None:
            changes[stop].append((0, "wait", pod.asked, -1))
    return changes


def apply(use, change):
    _, kind, what, value = change
    if kind == "up":
        use.set_up(what, value)
    elif kind == "take":
        use.take(what, value, 1)
        use.pods_running += 1
    elif kind == "give":
        use.take(what, value, -1)
        use.pods_running -= 1
    else:
        use.wait(what, value)


def use_over_time(cluster, work, end, window, waits, with_background, samples):
    """The usage at the end, with its integrals over the window; `samples` sees each instant after its changes."""
    use = Use(cluster, with_background, window)
    changes = changes_of(cluster, work, waits)
    for at in sorted(changes):
        if at > end:
            break
        samples.before(at, use)
        use.pass_until(at)
        use.now = at
        for change in sorted(changes[at], key=lambda c: c[0]):
            apply(use, change)
    samples.before(2**80, use)
    use.pass_until(end)
    return use
