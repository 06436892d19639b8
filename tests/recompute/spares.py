"""Servers that are kept free: docs/reference/experiment.md, section Going on after a failure."""

from group_metrics import level_names


def spares_rule(run):
    """(level, number of spares below each of its nodes), or None."""
    rule = run.get("scheduler", "onFailure", default=None)
    spares = rule.get("spares") if isinstance(rule, dict) else None
    return spares and (spares["level"], int(spares.get("count", 1)))


def happenings(cluster, work):
    """Changes of servers by time: (server, "up" or "down"), or (server, number of additional pods)."""
    by_time = {0: []}
    for at, server, up in cluster.changes:
        by_time.setdefault(at, []).append((server, "up" if up else "down"))
    for pod in work.pods:
        for stint in pod.stints:
            if stint.start != stint.end:
                server = cluster.index[stint.node]
                by_time.setdefault(stint.start, []).append((server, 1))
                if stint.end is not None:
                    by_time.setdefault(stint.end, []).append((server, -1))
    return sorted(by_time.items())


class Kept:
    """The spares below one node of the level."""

    def __init__(self, servers, absent):
        self.servers = servers
        self.there = set(servers) - set(absent)
        self.pods = dict.fromkeys(servers, 0)
        self.since = {}  # start time of each spare

    def happens(self, server, what):
        """Applies a change. Returns whether the server can be no spare from now on in any case."""
        if what == "up":
            self.there.add(server)
        elif what == "down":
            self.there.discard(server)
            return True
        else:
            self.pods[server] += what
        return False

    def fill_up(self, count, at):
        """Adds as many spares as are missing, from servers without pods, the last server first."""
        free = [server for server in self.servers
                if server in self.there and not self.pods[server] and server not in self.since]
        while free and len(self.since) < count:
            self.since[free.pop()] = at


def spare_times(run, cluster, work, end):
    """(server, from, to) for each time in which a server was a spare. `cluster` has the changes of this replication,
    including drains."""
    rule = spares_rule(run)
    if rule is None:
        return []
    level, count = rule
    levels = level_names(run, cluster)
    depth = levels.index(level) + 1 if level in levels else 0
    nodes = {}
    for server, path in enumerate(cluster.paths):
        nodes.setdefault(path[:depth], []).append(server)
    kept = [Kept(servers, cluster.absent) for servers in nodes.values()]
    of_server = {server: node for node in kept for server in node.servers}
    found = []
    for at, changes in happenings(cluster, work):
        if at > end:
            break
        touched = kept if at == 0 else list({id(of_server[s]): of_server[s]
                                             for s, _ in changes}.values())
        for server, what in changes:
            node = of_server[server]
            if node.happens(server, what) and server in node.since:
                found.append((server, node.since.pop(server), at))
        for node in touched:
            for server in [s for s in node.since if node.pods[s]]:
                found.append((server, node.since.pop(server), at))
            node.fill_up(count, at)
    for node in kept:
        found += [(server, since, end + 1) for server, since in node.since.items()]
    return [(server, since, until) for server, since, until in found if since < until]
