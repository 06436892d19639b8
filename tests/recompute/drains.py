"""Drains: docs/reference/experiment.md, section drains, and drains.csv."""

from dataclasses import dataclass

from cluster import flat
from group_metrics import level_names
from run_files import duration, nanoseconds


@dataclass
class Window:
    """The drain of a part of the cluster from one time to another."""

    begin: int
    end: int
    level: str
    node: tuple  # names from the level below the root down to the node
    name: str

    def holds(self, cluster, server):
        return name_path(cluster, server)[: len(self.node)] == self.node


def name_path(cluster, server):
    return cluster.paths[server][:-1] + (cluster.names[server],)


def windows_of(run, cluster):
    """The windows in the order in which they begin; simultaneous ones as the experiment lists them."""
    levels, windows = level_names(run, cluster), []
    for entry in run.get("drains", default=None) or []:
        if entry["level"] not in levels:
            nodes = [()]  # the whole cluster
        else:
            depth = levels.index(entry["level"]) + 1
            nodes = list(dict.fromkeys(name_path(cluster, server)[:depth]
                                       for server in range(len(cluster.names))))
        if "name" in entry:
            nodes = [node for node in nodes if (node or (entry["name"],))[-1] == entry["name"]]
        length = duration(entry["for"])
        for number, node in enumerate(nodes):
            begin = duration(entry["at"]) + length * (number // int(entry.get("atOnce", 1)))
            name = node[-1] if node else entry.get("name", "")
            windows.append(Window(begin, begin + length, entry["level"], node, name))
    return sorted(windows, key=lambda window: window.begin)


def windows_told(run, cluster, replication):
    """The windows that began, from drains.csv; windows of servers that are in no table hold no server."""
    levels, windows = level_names(run, cluster), []
    for row in (run.drains or {}).get(replication, []):
        depth = levels.index(row["level"]) + 1 if row["level"] in levels else 0
        nodes = {name_path(cluster, server)[:depth] for server in range(len(cluster.names))}
        node = next((n for n in nodes if not n or n[-1] == row["component"]), ("none",))
        windows.append(Window(nanoseconds(row["time_s"]), nanoseconds(row["until_s"]),
                              row["level"], node, row["component"]))
    return windows


class Drains:
    """The effects of drains in one replication, as the places of pods show them."""

    def __init__(self, run, cluster, work, end, replication):
        self.windows = (windows_told(run, cluster, replication) if cluster.has_left_out
                        else windows_of(run, cluster))
        self.begun = [window for window in self.windows if window.begin <= end]
        self.cluster, self.work, self.end = cluster, work, end
        self.stints = {}
        for pod in work.pods:
            for stint in pod.stints:
                self.stints.setdefault(cluster.index[stint.node], []).append(stint)

    def emptied(self, window, server):
        """When the last pod that was there at the beginning of the window has left; None if not before the window's
        end."""
        left = window.begin
        for stint in self.stints.get(server, []):
            if stint.start < window.begin and (stint.end is None or stint.end > window.begin):
                left = self.end + 1 if stint.end is None else max(left, stint.end)
        return left if left <= min(window.end, self.end) else None

    def servers(self, window):
        return [server for server in range(len(self.cluster.names))
                if window.holds(self.cluster, server)]

    def away(self):
        """(server, from, to) of each server that was away."""
        for window in self.begun:
            for server in self.servers(window):
                since = self.emptied(window, server)
                if since is not None and since < window.end:
                    yield server, since, window.end

    def findings(self, run, replication, workload):
        if not self.windows:
            return
        yield from self.table_is_right((run.drains or {}).get(replication, []))
        yield from self.nobody_starts(run, replication, workload)

    def table_is_right(self, rows):
        if len(rows) != len(self.begun):
            yield f"drains.csv has {len(rows)} rows, and {len(self.begun)} drains began"
            return
        for row, window in zip(rows, self.begun):
            since = [self.emptied(window, server) for server in self.servers(window)]
            since = since or [window.begin]
            expected = {"time_s": window.begin, "until_s": window.end,
                        "emptied_s": None if None in since else max(since)}
            if self.may_have_left_behind(window):
                del expected["emptied_s"]
            for column, value in expected.items():
                if nanoseconds(row[column]) != value:
                    yield (f"drains.csv: {column} of {row['component']} is {row[column]}, "
                           f"the pods say {value} ns")
            if window.name not in ("", row["component"]) or window.level != row["level"]:
                yield f"drains.csv: {row['level']} {row['component']}, not {window.name}"
        evicted = {(pod.group or pod.name, stint.end) for pod in self.work.pods
                   for stint in pod.stints if stint.cause == "drained"}
        told = sum(int(row["jobs"]) for row in rows)
        if told != len(evicted):
            yield f"drains.csv has {told} jobs that were evicted, evictions.csv {len(evicted)}"

    def may_have_left_behind(self, window):
        """Whether a pod may have lost its place as the window ended: to the drain, or to whatever came next."""
        return any(stint.cause and stint.end == window.end
                   for server in self.servers(window) for stint in self.stints.get(server, []))

    def nobody_starts(self, run, replication, workload):
        """No pod starts on a server that is being drained, or on one whose drain would begin before the pod's expected
        end."""
        jobs = {row["job"]: row for row in (run.jobs or {}).get(replication, [])}
        found = any("running" in source or "trace" in source
                    for source in flat(run.experiment.get("workload") or []))
        first = {}
        for pod in self.work.pods:
            for stint in pod.stints:
                name = pod.group or pod.name
                first[name] = min(first.get(name, stint.start), stint.start)
        for pod in self.work.pods:
            name = pod.group or pod.name
            for stint in pod.stints:
                at_first = stint.start == first[name]
                if found and stint.start == pod.submit and at_first:
                    continue  # its place may not have been chosen
                run_time = expected_run(jobs.get(name)) if at_first else 1
                yield from self.meets(pod, stint, max(run_time, 1))

    def meets(self, pod, stint, run_time):
        server = self.cluster.index[stint.node]
        for window in self.windows:
            if (window.begin < stint.start + run_time and stint.start < window.end
                    and window.holds(self.cluster, server)):
                yield (f"{pod.name} starts on {stint.node} at {stint.start} ns for {run_time} ns, "
                       f"and that is drained from {window.begin} ns to {window.end} ns")


def expected_run(row):
    """The expected run time of a job that has done nothing yet; 1 if the tables do not state it."""
    if row is None:
        return 1
    if row["estimate_s"]:
        return nanoseconds(row["estimate_s"])
    if not row["duration_s"]:
        return 2**63  # without an end
    if row.get("checkpoint_restart_s"):
        return 1  # its checkpoint writes come on top
    return nanoseconds(row["duration_s"])


def time_there(cluster, resource, begin, end):
    """The total amount of a resource, integrated over time."""
    total = 0
    for server, amount in enumerate(cluster.capacity[resource]):
        for since, until in cluster.up_intervals(server, end):
            total += amount * max(0, min(until, end) - max(since, begin))
    return total
