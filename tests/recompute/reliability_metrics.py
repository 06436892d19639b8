"""What failed, from failures.csv: docs/reference/metrics.md, section Failures."""

import csv
import io
from fractions import Fraction

from group_metrics import level_names
from run_files import duration, nanoseconds

SECOND = 10**9


class Outage:
    def __init__(self, row, levels, detection=0):
        self.begin = nanoseconds(row["time_s"])
        self.known = self.begin + detection
        self.end = nanoseconds(row["repaired_s"])  # None: not before the end of the run
        self.cause, self.jobs = row["cause"], int(row["jobs"])
        is_node = row["level"] in levels  # otherwise a device, which takes its server down
        self.depth = levels.index(row["level"]) + 1 if is_node else len(levels)
        self.node = row["component"] if is_node else row["component"].rsplit("/", 1)[0]

    def holds(self, cluster, server):
        path = cluster.paths[server]
        at = cluster.names[server] if self.depth == len(path) else path[self.depth - 1]
        return at == self.node


def outages_of(run, cluster, replication):
    levels = level_names(run, cluster)
    detection = duration(run.get("failures", "detection", default="0s"))
    return [Outage(row, levels, detection)
            for row in (run.failures or {}).get(replication, [])]


def causes_of(run):
    """The causes of failures; from records of a cluster's own tools, which are not tables, those that occurred."""
    names = [cause["name"] for cause in run.get("failures", "random", default=[])]
    text = run.get("failures", "csv", default="")
    if "time_s" in text.partition("\n")[0]:
        names += [row.get("cause") or "recorded" for row in csv.DictReader(io.StringIO(text))
                  if row["event"] == "fail"]
    elif text:
        names += [row["cause"] for rows in run.failures.values() for row in rows]
    return dict.fromkeys(names)


def changes_with(outages, cluster, away=(), spare=()):
    """(time, server, is up) of every server, given what holds it down: outages, the experiment's events, drains, and
    being a spare, as (server, from, to)."""
    changes = []
    for server in range(len(cluster.names)):
        held = [(at, 0, 0 if up else 1) for at, which, up in cluster.changes if which == server]
        for number, outage in enumerate(outages):
            if outage.holds(cluster, server):
                held.append((outage.known, number + 1, 1))
                if outage.end is not None:
                    held.append((outage.end, number + 1, 0))
        for reason, times in ((-1, away), (-2, spare)):
            held += [change for which, since, until in times if which == server
                     for change in ((since, reason, 1), (until, reason, 0))]
        reasons = {0} if server in cluster.absent else set()
        was = not reasons
        for at, reason, out in sorted(held, key=lambda change: change[0]):
            (reasons.add if out else reasons.discard)(reason)
            if was != (not reasons):
                was = not reasons
                changes.append((at, server, was))
    return sorted(changes, key=lambda change: change[0])


def time_out(intervals, window):
    """For how long any of the intervals holds, within the window."""
    total, until = 0, window.begin
    for begin, end in sorted(intervals):
        begin, end = max(begin, until), min(end, window.end)
        if end > begin:
            total, until = total + end - begin, end
    return total


def availability(outages, cluster, window, depth):
    """The share of time in which the nodes at a depth below the root were up."""
    nodes = {}
    for server, path in enumerate(cluster.paths):
        nodes.setdefault(path[:depth], server)
    out = 0
    for server in nodes.values():
        if depth == len(cluster.paths[server]):
            begin, intervals = 0, []
            for up_from, up_to in cluster.up_intervals(server, window.end):
                intervals.append((begin, up_from))
                begin = up_to
            intervals.append((begin, window.end))
        else:
            intervals = []
        intervals += [(o.begin, window.end if o.end is None else o.end) for o in outages
                      if o.depth <= depth and o.holds(cluster, server)]
        out += time_out(intervals, window)
    whole = len(nodes) * window.length()
    return 1 - Fraction(out, whole) if whole else None


def reliability_metrics(run, cluster, outages, jobs, window, end):
    """`cluster` has the changes of this replication; `jobs` are those that count."""
    if run.failures is None:
        return {}
    names = level_names(run, cluster)
    told_from = len(names) - 1 if cluster.has_left_out else 0
    result = {f"availability_{names[depth]}": availability(outages, cluster, window, depth + 1)
              for depth in range(told_from, len(names))}
    result["interruptions"] = sum(int(job.row["node_failed"]) for job in jobs)
    ran = sum(job.ran_before for job in jobs)
    ran += sum((end if job.finish is None else job.finish) - job.start
               for job in jobs if job.start is not None)
    result["mttf_s"] = (Fraction(ran, SECOND * result["interruptions"])
                        if result["interruptions"] else None)
    if window.is_whole:
        for name in causes_of(run):
            result[f"interruptions[{name}]"] = sum(o.jobs for o in outages if o.cause == name)
    return result
