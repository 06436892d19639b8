"""The metrics of docs/reference/metrics.md, section Quotas, and the samples of quotas.csv."""

from collections import defaultdict
from fractions import Fraction

from pod_metrics import mean, seconds
from quota_tree import DEFAULT, GPU, SYSTEM
from run_files import duration, nanoseconds, thousandths
from statistics_of_runs import jain

HOUR = 3600 * 10**9


class QuotaUse:
    """What the pods of each quota itself use and ask for over time."""

    def __init__(self):
        self.used = defaultdict(lambda: defaultdict(int))
        self.asked = defaultdict(lambda: defaultdict(int))
        self.waiting = defaultdict(int)
        self.have_asked_for_parts = set()

    def apply(self, change):
        kind, quota, demand, sign = change
        for r, amount in demand.items():
            self.asked[quota][r] += sign * amount
            if r == GPU and amount % 1000:
                self.have_asked_for_parts.add(quota)
            if kind == "run":
                self.used[quota][r] += sign * amount
        if kind == "wait":
            self.waiting[quota] += sign


def changes_of(work, waits):
    changes = defaultdict(list)
    for pod in work.pods:
        for stint in pod.stints:
            changes[stint.start].append(("run", stint.quota, pod.demand, 1))
            if stint.end is not None:
                changes[stint.end].append(("run", stint.quota, pod.demand, -1))
    for start, stop, pod in waits:
        changes[start].append(("wait", pod.row["quota"], pod.demand, 1))
        if stop is not None:
            changes[stop].append(("wait", pod.row["quota"], pod.demand, -1))
    return changes


class State:
    """The sums up the tree at one instant."""

    def __init__(self, tree, use):
        everybody = tree.order + tree.special
        self.used = {q.name: {r: amount for r, amount in use.used[q.name].items()
                              if r in q.max or q in tree.special} for q in everybody}
        self.waiting = {q.name: use.waiting[q.name] for q in everybody}
        for q in reversed(tree.order):
            for child in q.children:
                self.waiting[q.name] += self.waiting[child.name]
                for r, amount in self.used[child.name].items():
                    self.used[q.name][r] = self.used[q.name].get(r, 0) + amount
        self.wanted, self.request, self.limited = tree.requests(use.asked)
        for q in tree.special:
            self.wanted[q.name] = self.request[q.name] = self.limited[q.name] = use.asked[q.name]


class Sums:
    def __init__(self, tree, cluster):
        self.tree, self.cluster = tree, cluster
        self.got, self.wanted = defaultdict(float), defaultdict(float)
        self.violation = defaultdict(int)
        self.lent, self.borrowed = defaultdict(int), defaultdict(int)

    def pass_time(self, state, capacity, length):
        resources = [r for r in self.cluster.resources if capacity[r] > 0]
        for q in self.tree.order + self.tree.special:
            used, request = state.used[q.name], state.request[q.name]
            limited, wanted = state.limited[q.name], state.wanted[q.name]
            self.got[q.name] += length * max(
                (used.get(r, 0) / capacity[r] for r in resources), default=0)
            self.wanted[q.name] += length * max(
                (limited.get(r, 0) / capacity[r] for r in resources), default=0)
            if state.waiting[q.name] and any(
                    m > 0 and wanted.get(r, 0) >= m > used.get(r, 0) for r, m in q.min.items()):
                self.violation[q.name] += length
            for r in self.cluster.resources:
                low = q.min.get(r, 0)
                if q.lends:
                    free = low - max(used.get(r, 0), request.get(r, 0))
                    self.lent[q.name, r] += length * max(0, free)
                self.borrowed[q.name, r] += length * max(0, used.get(r, 0) - low)


class QuotaSamples:
    """Compares quotas.csv with what follows from the pods."""

    def __init__(self, run, replication, tree, cluster, with_background):
        self.tree, self.cluster, self.with_background = tree, cluster, with_background
        self.rows = defaultdict(list)
        for row in (run.quotas or {}).get(replication, []):
            self.rows[nanoseconds(row["time_s"])].append(row)
        self.times = sorted(self.rows)
        self.next = 0
        self.findings = []
        options = elastic_quota(run)
        self.scales = str(options.get("scaleMin", True)).lower() != "false"

    def before(self, at, use, capacity):
        while self.next < len(self.times) and self.times[self.next] < at:
            self.compare(self.times[self.next], use, capacity)
            self.next += 1

    def compare(self, at, use, capacity):
        state = State(self.tree, use)
        total = {r: capacity[r] - use.used[SYSTEM][r] - use.used[DEFAULT][r] for r in capacity}
        self.tree.see_parts(use.have_asked_for_parts)
        runtime, in_force = self.tree.runtimes(total, state.limited, self.scales)
        for row in self.rows[at]:
            name, r = row["quota"], row["resource"]
            expected = {"used": state.used[name].get(r, 0),
                        "request": state.request[name].get(r, 0)}
            if not self.with_background:
                expected = {} if name == SYSTEM else expected
            elif any(capacity.values()) and r in runtime.get(name, {}):
                expected.update(runtime=runtime[name][r], scaled_min=in_force[name][r])
            for column, value in expected.items():
                if row[column] != "" and thousandths(row[column]) != value:
                    self.say(at, f"{column} of {name}, {r},", row[column], value)

    def say(self, at, what, told, value):
        if len(self.findings) < 5:
            self.findings.append(f"quotas.csv: {what} at {at / 1e9} s is {told}, "
                                 f"the pods say {value / 1000}")


def elastic_quota(run):
    """The options of the plug-in elastic-quota."""
    for entry in run.get("scheduler", "profile", "preFilter", default=[]) or []:
        if isinstance(entry, dict) and entry.get("name") == "elastic-quota":
            return entry
    return {}


def accepted_updates(run, replication, tree):
    """The accepted changes by time. Both rows and changes are ordered by time, then by the list."""
    changes = sorted(tree.updates, key=lambda change: duration(change["at"]))
    rows = (run.quota_changes or {}).get(replication, [])
    result = defaultdict(list)
    for change, row in zip(changes, rows):
        if row["accepted"] == "true":
            result[nanoseconds(row["time_s"])].append(change["update"])
    return result


def sums_over_time(tree, cluster, work, waits, end, window, samples, updates):
    use, sums = QuotaUse(), Sums(tree, cluster)
    changes = changes_of(work, waits)
    up = [s not in cluster.absent for s in range(len(cluster.names))]
    server_changes = defaultdict(list)
    for at, server, is_up in cluster.changes:
        server_changes[at].append((server, is_up))
    last, capacity = 0, amounts_of(cluster.capacity, up)
    if samples.with_background:
        use.used[SYSTEM] = use.asked[SYSTEM] = amounts_of(cluster.background, up)
    for at in sorted({*changes, *server_changes, *updates, end}):
        if at > end:
            break
        length = min(at, window.end) - max(last, window.begin)
        if length > 0:
            sums.pass_time(State(tree, use), capacity, length)
        samples.before(at, use, capacity)
        for server, is_up in server_changes[at]:
            up[server] = is_up
        if server_changes[at]:
            capacity = amounts_of(cluster.capacity, up)
            if samples.with_background:
                use.used[SYSTEM] = use.asked[SYSTEM] = amounts_of(cluster.background, up)
        for change in changes[at]:
            use.apply(change)
        for part in updates.get(at, []):
            tree.quotas[part["name"]].update(part)
        last = at
    samples.before(2**80, use, capacity)
    return sums


def amounts_of(table, up):
    """The total of the servers that are up, for each resource."""
    return {r: sum(amount for amount, there in zip(column, up) if there)
            for r, column in table.items()}


def quota_metrics(tree, cluster, work, sums, window, end, with_background, with_drains):
    result, length = {}, window.length()
    leaves = [q.name for q in tree.order if not q.children]
    asked = [n for n in leaves if sums.wanted[n] > 0]
    result["jain_dominant_share"] = jain([sums.got[n] for n in asked])
    result["jain_satisfaction"] = jain([sums.got[n] / sums.wanted[n] for n in asked])
    result["min_violation_s"] = seconds(sum(sums.violation[n] for n in leaves))
    below = defaultdict(list)
    for pod in work.pods:
        for name in tree.above(pod.row["quota"]):
            below[name].append(pod)
    for name in [q.name for q in tree.order] + [SYSTEM, DEFAULT]:
        pods = below[name]
        came = [p for p in pods if not p.came_running]
        waits = [nanoseconds(p.row["wait_s"]) for p in came if p.outcome in ("running", "finished")]
        figures = {"pods_submitted": len(pods),
                   "wait_s_mean": seconds(mean(waits)) if waits else None,
                   "wait_s_max": longest(waits, came, end)}
        for column in ("revoked", "preempted", "node_failed", *(["drained"] * with_drains)):
            figures[column] = sum(s.cause == column.replace("_", "-")
                                  for p in pods for s in p.stints)
        figures["lost_s"] = seconds(sum(p.lost() for p in pods))
        figures["dominant_share"] = sums.got[name] / length if length else None
        figures["min_violation_s"] = seconds(sums.violation[name])
        for r in cluster.resources:
            figures[f"{r}_lent_h"] = Fraction(sums.lent[name, r], 1000 * HOUR)
            figures[f"{r}_borrowed_h"] = Fraction(sums.borrowed[name, r], 1000 * HOUR)
        if name == SYSTEM and not with_background:
            figures = {f: v for f, v in figures.items() if not use_of_background(f)}
        result.update({f"quota/{name}/{figure}": value for figure, value in figures.items()})
    return result


def longest(waits, pods, end):
    """The longest wait; None if there is none, or if one that had not ended may be longer."""
    open_waits = [end - p.submit - p.ran_before() for p in pods if p.outcome == "waiting"]
    known = waits and max(open_waits, default=-1) < max(waits)
    return seconds(max(waits)) if known else None


def use_of_background(figure):
    return figure == "dominant_share" or figure.endswith(("_lent_h", "_borrowed_h"))
