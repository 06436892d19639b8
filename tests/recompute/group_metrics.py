"""The metrics of docs/reference/metrics.md, section Groups, from the places of the members."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations


class Shape:
    """The placement of a group at its last start."""

    def __init__(self, group, cluster, depths):
        self.members = group.at_start()
        servers = [cluster.index[p.last().node] for p in self.members]
        self.on = {depth: Counter(cluster.node_of(s, depth) for s in servers) for depth in depths}
        pairs = 0
        total, largest = 0, 0
        per_server = Counter(servers)
        for a, b in combinations(per_server, 2):
            edges = cluster.distance(a, b)
            total += edges * per_server[a] * per_server[b]
            largest = max(largest, edges)
        pairs = len(servers) * (len(servers) - 1) // 2
        self.mean_distance = Fraction(total, pairs) if pairs else Fraction(0)
        self.max_distance = largest

    def used(self, depth):
        return len(self.on[depth])

    def counts(self, depth):
        return self.on[depth].values()

    def under_parents(self, depth):
        """For each used parent, the number of members on each of its used nodes of the level."""
        result = defaultdict(list)
        for node, count in self.on[depth].items():
            result[node[: depth - 1]].append(count)
        return list(result.values())


def constraint_holds(constraint, shape, depth):
    """Whether a constraint holds, as docs/reference/metrics.md defines it below its table of groups."""
    parents = shape.under_parents(depth)
    counts = [count for parent in parents for count in parent]
    hard = is_hard(constraint)
    pack = constraint["affinity"] == "pack"
    factor = 1 if hard else int(constraint.get("factor", 1))
    if pack and constraint.get("scope") == "group" and len(parents) > 1:
        return False
    if any(count % factor for count in counts):
        return False
    partitions = None if hard else constraint.get("partitions")
    if partitions is not None and any(len(parent) != int(partitions) for parent in parents):
        return False
    if "min" in constraint and not hard:
        return all(int(constraint["min"]) <= c <= int(constraint["max"]) for c in counts)
    if pack:
        return partitions is not None or all(len(parent) == 1 for parent in parents)
    return all(max(parent) <= (1 if hard else min(parent) + factor) for parent in parents)


def is_hard(constraint):
    return constraint.get("soft", True) in (False, "false")


def level_names(run, cluster):
    """All levels below the root; only groups.csv names the level of the servers."""
    columns = run.columns("groups.csv")
    return [c[:-5] for c in columns if c.endswith("_used")]


def group_metrics(run, cluster, work, shapes):
    """The metrics that the files determine; `shapes` is indexed by the names of the groups that started."""
    groups = list(work.groups.values())
    rows = [g.row for g in groups]
    started = [g for g in groups if g.name in shapes]
    result = {"groups_submitted": len(groups), "groups_started": len(started)}
    if not groups:
        return result
    full = [g for g in started if int(g.row["placed"]) >= int(g.row["size"])]
    result["group_success_rate"] = Fraction(len(full), len(groups))
    result["members_placed"] = Fraction(sum(int(r["placed"]) for r in rows), len(rows))
    result["constraints_met"] = Fraction(
        sum(r["satisfied"] == "true" for r in rows), len(started)) if started else None
    if not started:
        return result
    of = [shapes[g.name] for g in started]
    result["mean_distance"] = sum(s.mean_distance for s in of) / len(of)
    result["max_distance"] = Fraction(sum(s.max_distance for s in of), len(of))
    for depth, level in enumerate(level_names(run, cluster), 1):
        result[f"{level}_used"] = Fraction(sum(s.used(depth) for s in of), len(of))
        result[f"{level}_min"] = Fraction(sum(min(s.counts(depth)) for s in of), len(of))
        result[f"{level}_max"] = Fraction(sum(max(s.counts(depth)) for s in of), len(of))
        result[f"{level}_largest_share"] = sum(
            Fraction(max(s.counts(depth)), len(s.members)) for s in of) / len(of)
    return result
