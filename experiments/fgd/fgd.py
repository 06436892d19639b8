"""Fragmentation gradient descent in Python: `fragmentation-gradient-descent`, written as one method.

    berth.run("fgd.yaml", scheduler=Fgd("invented/openb_pod_list_default.csv"))

Source: Weng et al., "Beware of Fragmentation" (USENIX ATC 2023), algorithm 1. The choice of the device on a server that
serves a share is left to the profile, whose own policy is the same.
"""

import csv

import berth
import numpy as np


def typical_pods(file, part=0.95):
    """What most pods of an openb list ask for, the most frequent first: (cpu, milli, gpus, models), and weights."""
    counts = {}
    with open(file, newline="") as rows:
        for row in csv.DictReader(rows):
            kind = (int(row["cpu_milli"]), int(row["gpu_milli"]), int(row["num_gpu"]), row["gpu_spec"])
            counts[kind] = counts.get(kind, 0) + 1
    pods = sum(counts.values())
    typical, covered = [], 0
    for kind in sorted(counts, key=lambda kind: (counts[kind], kind), reverse=True):
        if covered >= part * pods:
            break
        covered += counts[kind]
        typical.append(kind)
    return typical, np.array([counts[kind] / pods / (covered / pods) for kind in typical])


class Fgd(berth.Scheduler):
    """Prefers the server on which the pod adds the least to the GPUs that typical pods cannot use."""

    def __init__(self, pods):
        self.typical, self.weights = typical_pods(pods)
        self.known = {}  # for each demand of a pod: what was free on the servers then, and their scores

    def begin(self, view):
        self.cpu = view.resources.index("cpu")
        self.models = view.gpu_models
        self.accepts = np.array(
            [[not models or model in models.split("|") for *_, models in self.typical] for model in view.gpu_models])

    def score(self, pod, view):
        count, milli, _ = pod.gpus or (0, 0, [])
        cpu = int(pod.demand[self.cpu])
        now = np.column_stack([view.free[:, self.cpu], view.gpu_free])
        free, scores = self.known.setdefault((cpu, count, milli), (np.full_like(now, -2), np.zeros(len(now))))
        changed = np.flatnonzero((now != free).any(axis=1))
        free[changed] = now[changed]
        for servers in np.array_split(changed, len(changed) // 256 + 1):  # keeps the arrays small
            if len(servers):
                scores[servers] = self.points(servers, now[servers], cpu, count, milli)
        return scores

    def points(self, servers, free, cpu, count, milli):
        """The score of each server, for the best way in which the pod can be placed there."""
        gpus = np.repeat(free[:, None, 1:], free.shape[1] - 1, axis=1)  # servers x devices that serve it x devices
        devices = np.arange(gpus.shape[1])
        possible = np.ones(gpus.shape[:2], bool)
        if count == 1 and milli < 1000:
            gpus[:, devices, devices] -= milli
            possible = free[:, 1:] >= milli
        elif count:
            whole = free[:, 1:] == 1000
            gpus[:] -= 1000 * (whole & (np.cumsum(whole, axis=1) <= count))[:, None]
        before = self.fragments(servers, free[:, 0], free[:, None, 1:])[:, 0]
        after = np.where(possible, self.fragments(servers, free[:, 0] - cpu, gpus), np.inf).min(axis=1)
        return np.floor(100 / (1 + np.exp((after - before) / 1000)))

    def fragments(self, servers, cpu, gpus):
        """For each server and each way, the free GPUs that typical pods cannot use: the mean, in thousandths."""
        free = np.maximum(gpus, 0)
        total = free.sum(axis=2)
        # The parts are added in the order of the published program, because the last bit decides ties.
        lack_both, lack_gpu, lack_cpu, no_gpu_asked, nor_cpu, no_access = parts = np.zeros((6, *total.shape))
        for (asks, milli, count, _), weight, accepts in zip(self.typical, self.weights, self.accepts[servers].T):
            enough, accepts = (cpu >= asks)[:, None], accepts[:, None]
            if count == 0:
                no_gpu_asked += np.where(enough, weight * total, 0)
                nor_cpu += np.where(enough, 0, weight * total)
                continue
            serves = free >= milli
            fits = serves.sum(axis=2) >= count
            below = np.where(serves, 0, free).sum(axis=2)
            lack_both += np.where(accepts & ~fits & ~enough, weight * total, 0)
            lack_gpu += np.where(accepts & enough, weight * np.where(fits, below, total), 0)
            lack_cpu += np.where(accepts & fits & ~enough, weight * total, 0)
            no_access += np.where(accepts, 0, weight * total)
        return sum(parts)
