"""Devices: which pod has which devices, how near they are, and the metrics of docs/reference/metrics.md, sections
Devices and Shared GPUs."""

from collections import defaultdict
from fractions import Fraction

GPU = "nvidia.com/gpu"


class Machines:
    """The places of the devices of each machine type, from devices.csv."""

    def __init__(self, run):
        self.gpus, self.nics = defaultdict(dict), defaultdict(dict)
        for row in run.devices or []:
            table = {"gpu": self.gpus, "rdma": self.nics}.get(row["kind"])
            if table is not None:
                table[row["machine_type"]][int(row["index"])] = row

    def together(self, machine, gpus, kind):
        """Whether the GPUs are all on one pcie switch, numa node or nvlink island."""
        places = {self.gpus[machine][g][kind] for g in gpus}
        return len(places) == 1 and "" not in places

    def beside(self, machine, gpus, nics):
        """Whether each of the GPUs has one of the NICs on its switch."""
        switches = {self.nics[machine][n]["pcie"] for n in nics} - {""}
        return all(self.gpus[machine][g]["pcie"] in switches for g in gpus)

    def islands(self, machine):
        """Groups of GPUs that belong together: NVLink islands, or NUMA nodes; None if neither is stated."""
        gpus = self.gpus[machine]
        for kind in ("nvlink", "numa"):
            if any(row[kind] != "" for row in gpus.values()):
                result = defaultdict(set)
                for index, row in gpus.items():
                    result[row[kind] or ("alone", index)].add(index)
                return list(result.values())
        return None


def numbers(text):
    return [int(part) for part in text.split("-")] if text else []


class Given:
    """The devices of a pod at its last start."""

    def __init__(self, pod, machine):
        self.pod, self.machine = pod, machine
        self.gpus = numbers(pod.row["devices"])
        self.nics = numbers(pod.row.get("nics", ""))

    def counts(self):
        return len(self.gpus) > 1 or (len(self.gpus) == 1 and bool(self.nics))


def givens(cluster, work):
    return [Given(pod, cluster.machine_types[cluster.index[pod.last().node]])
            for pod in work.pods if pod.last() and pod.row["devices"]]


def places_are_told_right(machines, given):
    """Compares the columns of pods.csv with devices.csv."""
    for g in given:
        row, kinds = g.pod.row, machines.gpus[g.machine]
        if any(i not in kinds for i in g.gpus):
            yield f"{g.pod.name} has a GPU that {g.machine} has not: {row['devices']}"
            continue
        one = {kind: machines.together(g.machine, g.gpus, kind)
               for kind in ("pcie", "numa", "nvlink")}
        scope = "pcie" if one["pcie"] else "numa" if one["numa"] else "machine"
        if row["scope"] != scope:
            yield f"{g.pod.name}: scope is {row['scope']}, its GPUs say {scope}"
        if row["nvlink"] != str(one["nvlink"]).lower():
            yield f"{g.pod.name}: nvlink is {row['nvlink']}, its GPUs say {one['nvlink']}"
        if g.nics:
            beside = machines.beside(g.machine, g.gpus, g.nics)
            if row["nic_beside"] != str(beside).lower():
                yield f"{g.pod.name}: nic_beside is {row['nic_beside']}, its devices say {beside}"


def devices_are_given_once(cluster, work):
    """No device is assigned beyond its thousandths at any moment."""
    steps = defaultdict(list)
    for pod in work.pods:
        if not pod.last() or not pod.row["devices"]:
            continue
        indices = numbers(pod.row["devices"])
        part = pod.demand.get(GPU, 0) / len(indices)
        stint = pod.last()
        for index in indices:
            steps[stint.node, index].append((stint.start, 1, part, pod.name))
            if stint.end is not None:
                steps[stint.node, index].append((stint.end, 0, part, pod.name))
    for (node, index), changes in steps.items():
        used = 0
        for at, takes, part, name in sorted(changes):
            used += part if takes else -part
            if used > 1000:
                yield f"GPU {index} of {node} is given twice at {at / 1e9} s, to {name} too"
                break


def nearness(machines, given):
    """The shares of pods whose devices are together, overall and by number of GPUs."""
    counted = [g for g in given if g.counts()]
    result = {"pods_with_devices_together": len(counted)}
    for suffix, size in (("", None), ("_2_gpus", 2), ("_4_gpus", 4), ("_8_gpus", 8)):
        of = [g for g in counted if size is None or len(g.gpus) == size]
        attainable = {"same_pcie": lambda g: g.pod.row["scope_attainable"] == "pcie",
                      "same_numa": lambda g: g.pod.row["scope_attainable"] in ("pcie", "numa"),
                      "same_nvlink": lambda g: g.pod.row["nvlink_attainable"] == "true"}
        for name, holds in attainable.items():
            kind = name[5:]
            result[name + suffix] = part(
                of, lambda g, k=kind: machines.together(g.machine, g.gpus, k))
            result[f"{name}_attainable{suffix}"] = part(of, holds)
        with_nic = [g for g in of if g.nics]
        result["nic_beside" + suffix] = part(
            with_nic, lambda g: machines.beside(g.machine, g.gpus, g.nics))
        result["nic_beside_attainable" + suffix] = part(
            with_nic, lambda g: g.pod.row["nic_beside_attainable"] == "true")
    return result


def part(things, holds):
    return Fraction(sum(1 for t in things if holds(t)), len(things)) if things else None


def free_gpus_broken(machines, cluster, given, window):
    """The share of free GPUs on islands with other GPUs in use, as a mean over the time in which any GPU was free."""
    changes = defaultdict(list)
    for at, server, up in cluster.changes:
        changes[at].append((server, up, None))
    for g in given:
        server, stint = cluster.index[g.pod.last().node], g.pod.last()
        changes[stint.start].append((server, 1, g.gpus))
        if stint.end is not None:
            changes[stint.end].append((server, -1, g.gpus))
    used = [defaultdict(int) for _ in cluster.names]
    up = [s not in cluster.absent for s in range(len(cluster.names))]
    now = [free_and_broken(machines, cluster, s, used[s], up[s]) for s in range(len(used))]
    area, length, last = Fraction(0), 0, window.begin
    for at in sorted({*(t for t in changes if t <= window.end), window.end}):
        free = sum(n[0] for n in now)
        if free and at > last:
            area += Fraction(sum(n[1] for n in now) * (at - last), free)
            length += at - last
        for server, value, gpus in changes[at]:
            if gpus is None:
                up[server] = value
            for index in gpus or []:
                used[server][index] += value
            now[server] = free_and_broken(machines, cluster, server, used[server], up[server])
        last = max(last, at)
    return area / length if length else None


def free_and_broken(machines, cluster, server, used, up):
    machine = cluster.machine_types[server]
    if not up:
        return 0, 0
    free = {g for g in machines.gpus[machine] if not used[g]}
    islands = machines.islands(machine)
    if islands is None:
        return len(free), len(free)
    broken = sum(len(island & free) for island in islands if not island <= free)
    return len(free), broken


def shared_gpu_metrics(cluster, work, workload, use, with_background, spares):
    """GPUs asked for on arrival, and GPUs allocated, as percentages of the GPUs at the start. `spares`: the servers
    that are kept free at the end; what was in use on them before the run is left out."""
    gpus = sum(c for s, c in enumerate(cluster.capacity[GPU]) if s not in cluster.absent)
    if not gpus:
        return {"gpu_arrived_pct": 0, "gpu_allocated_pct": 0}
    arrived = sum(p.demand.get(GPU, 0) for p in work.pods if not p.group)
    for group in work.groups.values():
        known = workload.of(group.name)
        size = known.size if known and known.resizes else len(group.members)
        arrived += group.demand.get(GPU, 0) * size
    result = {"gpu_arrived_pct": Fraction(100 * arrived, gpus)}
    if with_background:
        before = sum(cluster.background[GPU][server] for server in spares)
        result["gpu_allocated_pct"] = Fraction(100 * (use.used[GPU].amount - before), gpus)
    return result
