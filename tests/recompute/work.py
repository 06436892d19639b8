"""The pods and groups of a replication, with all the times in which they had a place."""

from collections import defaultdict
from dataclasses import dataclass, field

from from_the_start import ran_from_the_start
from run_files import amounts, duration, nanoseconds


@dataclass
class Stint:
    """A time in which a pod had a place; the last one is open if the pod still runs."""

    start: int
    end: int | None
    node: str
    cause: str | None = None  # why it ended early
    lost: int = 0
    quota: str = ""
    factor: object = None  # how much longer the pod ran than its work took
    cut: bool = False  # it ended when its group shrank
    told: int | None = None  # the work, if the job wrote checkpoints
    to_lose: int = 0  # the part of it that no checkpoint has, in that case
    hung: int | None = None  # its job did nothing from then on: a server had failed unnoticed

    def end_of_work(self, until):
        """When a pod stopped working that had its place until then, or whose stint ended before."""
        end = until if self.end is None else self.end
        return end if self.hung is None else max(self.start, min(end, self.hung))

    def done(self):
        """The work done. It is rounded down if the stint ended early; otherwise the stint was stretched to the nearest
        nanosecond, so that rounding to the nearest gives the original work."""
        if self.told is not None:
            return self.told
        exact = (self.end_of_work(self.end) - self.start) / self.factor
        return int(exact) if self.cause or self.cut else round(exact)


def runs_of(stints):
    """The times in which the stints of one job hold without a gap, as (start, end, whether it was evicted then):
    members that join or leave in a resize do so while others run."""
    runs = []
    for stint in sorted(stints, key=lambda s: s.start):
        if not runs or (runs[-1][1] is not None and stint.start >= runs[-1][1]):
            runs.append((stint.start, stint.end, stint.cause is not None))
            continue
        start, end, evicted = runs[-1]
        if end is not None and (stint.end is None or stint.end > end):
            runs[-1] = (start, stint.end, stint.cause is not None)
        elif end == stint.end:
            runs[-1] = (start, end, evicted or stint.cause is not None)
    return runs


@dataclass
class Pod:
    name: str
    group: str
    row: dict
    submit: int
    start: int | None
    finish: int | None
    outcome: str
    demand: dict  # amounts that it takes of its server
    asked: dict  # amounts that it asks for while it waits
    stints: list = field(default_factory=list)
    use_is_told: bool = True  # whether it took `demand` in each of its stints
    came_running: bool = False  # it already ran when the run began

    def last(self):
        """The stint of the last start; None if the pod has no place now, or had none at its end."""
        if self.stints and self.stints[-1].cause is None:
            return self.stints[-1]
        return None

    def ran_before(self):
        return sum(s.end - s.start for s in self.stints if s.cause is not None)

    def lost(self):
        return sum(s.lost for s in self.stints)


@dataclass
class Group:
    name: str
    row: dict
    submit: int
    start: int | None
    finish: int | None
    demand: dict
    members: list = field(default_factory=list)

    def at_start(self):
        """The members that started at the group's last start."""
        return [p for p in self.members if p.last() and p.last().start == self.start]


class Work:
    """All pods and groups of one replication. `pods` is None if placements are not recorded."""

    def __init__(self, run, replication):
        self.groups = {}
        for row in (run.groups or {}).get(replication, []):
            self.groups[row["group"]] = Group(
                row["group"], row, nanoseconds(row["submit_s"]), nanoseconds(row["start_s"]),
                nanoseconds(row["finish_s"]), amounts(row["demand"]))
        self.repeated_group = len(self.groups) != len((run.groups or {}).get(replication, []))
        evictions = defaultdict(list)
        for row in (run.evictions or {}).get(replication, []):
            evictions[row["pod"]].append(row)
        self.evictions = (run.evictions or {}).get(replication, [])
        moves = defaultdict(list)
        for row in (run.moves or {}).get(replication, []):
            moves[row["pod"]].append(row)
        self.pods = None if run.pods is None else []
        for row in [] if run.pods is None else run.pods.get(replication, []):
            self.pods.append(self.read_pod(row, evictions.get(row["pod"], []), moves.get(row["pod"], [])))
        came_running = ran_from_the_start(run, replication)
        for pod in self.pods or []:
            pod.came_running = pod.name in came_running
        names = [] if self.pods is None else [p.name for p in self.pods]
        self.repeated_pod = len(set(names)) != len(names)
        self.unknown_evictions = [] if self.pods is None else sorted(set(evictions) - set(names))

    def read_pod(self, row, evictions, moves):
        group = self.groups.get(row["group"]) if row["group"] else None
        demand = group.demand if group else amounts(row["demand"])
        pod = Pod(row["pod"], row["group"], row, nanoseconds(row["submit_s"]),
                  nanoseconds(row["start_s"]), nanoseconds(row["finish_s"]), row["outcome"],
                  demand, demand)
        for lost_place in evictions:
            end = nanoseconds(lost_place["time_s"])
            pod.stints.append(Stint(end - nanoseconds(lost_place["ran_s"]), end,
                                    lost_place["node"], lost_place["cause"],
                                    nanoseconds(lost_place["lost_s"]), lost_place["quota"]))
        for move in moves:
            end = nanoseconds(move["time_s"])
            pod.stints.append(Stint(end - nanoseconds(move["ran_s"]), end, move["from"], "moved",
                                    nanoseconds(move["lost_s"]), row["quota"]))
        pod.stints.sort(key=lambda stint: stint.start)
        runs = row["outcome"] in ("running", "finished")
        if runs and pod.start is not None:
            left = group is not None and pod.finish != group.finish
            pod.stints.append(Stint(pod.start, pod.finish, row["node"], quota=row["quota"],
                                    cut=left))
        if group:
            group.members.append(pod)
        return pod


def end_of_run(run, replication, work, cluster):
    """When a replication ended: at `until`, or as end_s states."""
    until = run.get("until")
    if until is not None:
        return duration(until)
    if "end_s" not in run.metrics[replication]:
        return end_of_older_run(run, replication, work, cluster)
    told = round(float(run.metrics[replication]["end_s"]) * 1e9)
    return max([told] + [stint.end for pod in work.pods for stint in pod.stints if stint.end])


def end_of_older_run(run, replication, work, cluster):
    """The end of a run without end_s: by the last sample, by the total GPU time, or by the last finish."""
    samples = run.timeseries.get(replication, [])
    if samples and run.get("record", "sampleEvery") != "arrival":
        return nanoseconds(samples[-1]["time_s"])
    gpus = sum(cluster.capacity.get("nvidia.com/gpu", []))
    if run.gpu_time and gpus:
        return round(sum(float(row["gpu_seconds"]) for row in run.gpu_time[replication])
                     * 1e12 / gpus)
    times = [at for at, _, _ in cluster.changes]
    for pod in work.pods:
        times += [t for t in (pod.submit, pod.start, pod.finish) if t is not None]
    return max(times, default=0)


def next_cycle(at, period):
    """The time of the cycle that acts on what happens at an instant."""
    return at if period == 0 else -(-at // period) * period
