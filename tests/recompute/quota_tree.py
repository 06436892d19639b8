"""Elastic quotas: the tree, what each quota asks for, and the resulting runtimes, by docs/reference/quota.md and
decision 13. All amounts are in thousandths."""

import json
from fractions import Fraction

import yaml
from run_files import thousandths

PREFIX = "quota.scheduling.koordinator.sh/"
ROOT, SYSTEM, DEFAULT = ("koordinator-root-quota", "koordinator-system-quota",
                         "koordinator-default-quota")
UNIT = {"cpu": 1}  # units of sharing, in thousandths; otherwise a thousand
GPU = "nvidia.com/gpu"  # shared in thousandths once a quota has a part of one


def listed(value):
    return {r: thousandths(amount) for r, amount in (value or {}).items()}


class Quota:
    def __init__(self, thing):
        labels = thing["metadata"].get("labels") or {}
        notes = thing["metadata"].get("annotations") or {}
        label = {k[len(PREFIX):]: str(v).lower() if isinstance(v, bool) else str(v)
                 for k, v in labels.items() if k.startswith(PREFIX)}
        self.name = thing["metadata"]["name"]
        self.parent = label.get("parent") or label.get("parent-quota-name") or ROOT
        self.lends = label.get("allow-lent-resource", "true") != "false"
        self.tree = label.get("tree-id", "")
        self.is_root = label.get("is-root") == "true"
        self.min, self.max = listed(thing["spec"].get("min")), listed(thing["spec"].get("max"))
        weight = notes.get(PREFIX + "shared-weight")
        weight = listed(read(weight)) if weight else {}
        self.weight_is_stated = any(weight.values())
        self.weight = {**self.max, **weight} if self.weight_is_stated else dict(self.max)
        self.children = []

    def update(self, part):
        """Applies a part of an update of `quotaChanges` that does not move the quota."""
        self.min.update(listed(part.get("min")))
        self.max.update(listed(part.get("max")))
        if "sharedWeight" in part:
            self.weight, self.weight_is_stated = listed(part["sharedWeight"]), True
        if not self.weight_is_stated:
            self.weight = dict(self.max)
        if "allowLentResource" in part:
            self.lends = str(part["allowLentResource"]).lower() == "true"


def read(annotation):
    if not isinstance(annotation, str):
        return annotation
    try:
        return json.loads(annotation)
    except ValueError:
        return yaml.safe_load(annotation.replace(":", ": "))


def group_without_limits(name):
    """The system group or the default group: no min, no max, in no tree."""
    quota = Quota({"metadata": {"name": name}, "spec": {}})
    quota.lends = True
    return quota


class QuotaTree:
    """The default tree. `known` is false if there are other trees, or if quotas are created, deleted or moved."""

    def __init__(self, run):
        things = [o for source in run.get("quotas", default=[]) for o in objects(source)]
        special = (ROOT, SYSTEM, DEFAULT)
        self.quotas = {q.name: q for q in map(Quota, things) if q.name not in special}
        self.updates = run.get("quotaChanges", default=[])
        self.known = all(is_part(c) for c in self.updates) and not any(
            q.tree or q.is_root for q in self.quotas.values())
        self.first = [q for q in self.quotas.values() if q.parent == ROOT]
        for q in self.quotas.values():
            if q.parent != ROOT and q.parent in self.quotas:
                self.quotas[q.parent].children.append(q)
        self.order = []  # parents before their children
        for q in self.first:
            self.walk(q)
        self.special = [group_without_limits(SYSTEM), group_without_limits(DEFAULT)]
        self.unit = dict(UNIT)

    def see_parts(self, askers):
        """`askers`: the quotas whose pods have asked for a part of a GPU."""
        if any(q.min.get(GPU, 0) % 1000 or q.max.get(GPU, 0) % 1000 or
               (q.name in askers and GPU in q.max) for q in self.order):
            self.unit[GPU] = 1

    def walk(self, q):
        self.order.append(q)
        for child in q.children:
            self.walk(child)

    def above(self, name):
        """The quota and all its ancestors."""
        while name in self.quotas:
            yield name
            name = self.quotas[name].parent
        if name != ROOT:
            yield name

    def requests(self, own):
        """Computes, from what the pods of each quota ask for: what they and its children ask for, its request, and its
        request limited by its max."""
        wanted, request, limited = {}, {}, {}
        for q in reversed(self.order):
            asked = {r: a for r, a in own.get(q.name, {}).items() if r in q.max}
            for child in q.children:
                for r, amount in limited[child.name].items():
                    asked[r] = asked.get(r, 0) + amount
            wanted[q.name] = dict(asked)
            if not q.lends:
                for r, amount in q.min.items():
                    asked[r] = max(asked.get(r, 0), amount)
            request[q.name] = asked
            limited[q.name] = {r: min(a, q.max[r]) if r in q.max else a for r, a in asked.items()}
        return wanted, request, limited

    def runtimes(self, total, limited, scales):
        """The runtime and the scaled min of each quota, by sharing the whole tree from scratch."""
        runtime, in_force = {}, {}
        keys = {r for q in self.order for r in q.max}
        self.share(self.first, total, keys, limited, scales, runtime, in_force)
        for q in self.order:
            if q.children:
                self.share(q.children, runtime[q.name], set(q.max), limited, scales, runtime,
                           in_force)
        return runtime, in_force

    def share(self, siblings, total, keys, limited, scales, runtime, in_force):
        for q in siblings:
            runtime[q.name], in_force[q.name] = {}, {}
        for r in keys:
            have = total.get(r, 0)
            unit = self.unit.get(r, 1000)
            mins = scaled_mins(siblings, r, have, scales and r in total, unit)
            for q in siblings:
                in_force[q.name][r] = mins[q.name]
            given = fill(siblings, r, have, mins, limited, unit)
            for q in siblings:
                if r in q.max:
                    runtime[q.name][r] = given[q.name]


def is_part(change):
    part = change.get("update")
    return isinstance(part, dict) and "name" in part and "parent" not in part


def objects(source):
    things = source.get("objects") or []
    for thing in things if isinstance(things, list) else [things]:
        yield from thing["items"] if "items" in thing else [thing]


def scaled_mins(siblings, r, have, scales, unit):
    mins = {q.name: q.min.get(r, 0) for q in siblings}
    together = sum(mins.values())
    if not scales or have >= together:
        return mins
    return {name: 0 if have <= 0 else
            int(float(have // unit) * float(m // unit) / float(together // unit)) * unit
            for name, m in mins.items()}


def fill(siblings, r, have, mins, limited, unit):
    """The water filling of one resource over siblings, in whole units."""
    wants = {q.name: limited[q.name].get(r, 0) for q in siblings}
    weight = {q.name: q.weight.get(r, 0) for q in siblings}
    given, hungry, left = {}, [], have
    for q in siblings:
        if wants[q.name] > mins[q.name]:
            given[q.name] = mins[q.name]
            hungry.append(q.name)
        else:
            given[q.name] = wants[q.name] if q.lends else mins[q.name]
        left -= given[q.name]
    while left > 0 and sum(weight[n] for n in hungry) > 0:
        together = sum(weight[n] for n in hungry)
        exact = {n: Fraction(weight[n] * (left // unit), together) for n in hungry}
        parts = {n: int(e) for n, e in exact.items()}
        ranked = sorted((n for n in hungry if weight[n] > 0),
                        key=lambda n: (-(exact[n] - parts[n]), n.encode()))
        for n in ranked[: left // unit - sum(parts.values())]:
            parts[n] += 1
        for n, part in parts.items():
            given[n] += part * unit
        left = sum(max(0, given[n] - wants[n]) for n in hungry)
        still = [n for n in hungry if given[n] < wants[n]]
        for n in hungry:
            given[n] = min(given[n], wants[n])
        hungry = still
    return given
