"""The servers of a run: where they are, what they have, and when they are up."""

import copy

from run_files import duration, thousandths


class Cluster:
    def __init__(self, run):
        columns = run.node_columns
        suffix = "_capacity"
        self.resources = [c[: -len(suffix)] for c in columns if c.endswith(suffix)]
        first = columns.index(self.resources[0] + suffix) if self.resources else len(columns)
        self.levels = columns[1:first]  # levels between the root and the servers
        self.names = [row["node"] for row in run.nodes]
        self.repeated = len(set(self.names)) != len(self.names)
        self.index = {name: i for i, name in enumerate(self.names)}
        self.paths = [tuple(row[level] for level in self.levels) + (i,)
                      for i, row in enumerate(run.nodes)]
        self.capacity = {r: [thousandths(row[r + suffix]) for row in run.nodes]
                         for r in self.resources}
        self.background = {r: [thousandths(row[r + "_background"]) for row in run.nodes]
                           for r in self.resources}
        self.machine_types = [row.get("machine_type") for row in run.nodes]
        self.sources = [s for s in flat(run.experiment.get("workload") or []) if "background" in s]
        self.random_background = any(
            "file" not in s["background"] and "csv" not in s["background"] for s in self.sources)
        self.changes = []  # (time, server, is up) in the order of the experiment
        events = run.get("failures", "events", default=[])
        self.absent = {self.index[e["node"]] for e in events if e["event"] == "add"
                       and e["node"] in self.index}
        unavailable_ones = list(unavailable(run))
        self.absent |= {self.index[name] for name in unavailable_ones if name in self.index}
        self.has_left_out = any(name not in self.index for name in unavailable_ones)
        for event in events:
            if event["node"] not in self.index:
                continue  # left out, and never brought back
            self.changes.append((duration(event["at"]), self.index[event["node"]],
                                 event["event"] != "fail"))
        self.changes.sort(key=lambda change: change[0])

    def with_changes(self, changes):
        """The same cluster in a replication in which more fails than the experiment states."""
        other = copy.copy(self)
        other.changes = changes
        return other

    def node_of(self, server, depth):
        """The name of the server's ancestor at a depth below the root, with all names above it."""
        return self.paths[server][:depth]

    def distance(self, one, other):
        """The number of edges of the tree between two servers."""
        a, b = self.paths[one], self.paths[other]
        common = 0
        while common < len(a) and a[common] == b[common]:
            common += 1
        return 2 * (len(a) - common)

    def knows_background(self, replication):
        """Whether the background is known: nodes.csv only has that of replication 0; for other replications it is known
        if it is stated."""
        return replication == 0 or not self.random_background

    def up_intervals(self, server, end):
        """When the server is up, as (from, to)."""
        up, since, intervals = server not in self.absent, 0, []
        for at, which, now in self.changes:
            if which != server or now == up or at > end:
                continue
            if up:
                intervals.append((since, at))
            up, since = now, at
        if up:
            intervals.append((since, end))
        return intervals


def unavailable(run):
    """Names of Kubernetes nodes that accept no pods: docs/reference/initial-state.md."""
    topology = run.get("topology", default={})
    listed = topology.get("nodes", topology)
    document = listed.get("document")
    if not isinstance(document, dict) or listed.get("unavailable") == "keep":
        return
    nodes = [document] if document.get("kind") == "Node" else document.get("items") or []
    for node in nodes:
        if node.get("kind", "Node") != "Node":
            continue
        ready = [str(c.get("status")) for c in node.get("status", {}).get("conditions") or []
                 if c.get("type") == "Ready"]
        cordoned = str((node.get("spec") or {}).get("unschedulable")).lower() == "true"
        if cordoned or any(status != "True" for status in ready):
            yield node["metadata"]["name"]


def flat(sources):
    """The workload's sources, with Workload files replaced by their sources."""
    for source in sources:
        inner = source.get("file")
        if isinstance(inner, dict):
            yield from flat(inner["spec"]["sources"])
        elif isinstance(source.get("document"), dict):
            yield from flat(source["document"]["spec"]["sources"])
        else:
            yield source
