"""The metrics of docs/reference/metrics.md, sections Use and GPU time, and timeseries.csv."""

from fractions import Fraction

from drains import time_there
from gain import COLUMNS
from run_files import nanoseconds

GPU_RESOURCES = ("nvidia.com/gpu", "amd.com/gpu", "dcu.com/gpu", "habana.ai/gaudi",
                 "gpu.intel.com/xe", "gpu.intel.com/i915", "google.com/tpu",
                 "aws.amazon.com/neuron", "aws.amazon.com/neurondevice", "nvidia.com/gpu.shared")


def counted_gpu(cluster):
    """The resource that counts as GPUs: the first one that any server has."""
    names = [*GPU_RESOURCES, *sorted(r for r in cluster.resources if r.startswith("nvidia.com/mig-"))]
    return next((r for r in names if sum(cluster.capacity.get(r, [0]))),
                next((r for r in names if r in cluster.resources), None))


def share(part, whole):
    return Fraction(part, whole) if whole else Fraction(0)


def mean_share(used, capacity, window):
    """The amount used divided by the capacity, both integrated over time; if no time passes, at this moment."""
    if window.end > window.begin:
        return share(used.sum(), capacity.sum())
    if not window.is_whole and window.any_time:
        return None  # the run ended before the window
    return share(used.amount, capacity.amount)


def queue_lengths(use, window):
    """The number of waiting pods, over the time of the window."""
    if window.length() == 0:
        return {"queue_length_mean": None, "queue_length_max": None}
    return {"queue_length_mean": Fraction(use.queue.sum(), window.length()),
            "queue_length_max": use.longest_queue}


def was_there(use, node, window):
    """Whether some server below the node was up at some time in the window."""
    return any(area[node].sum() or (area[node].amount and window.end == window.begin)
               for area in use.node_capacity.values())


def use_metrics(cluster, use, window):
    """Metrics of a replication whose background is known."""
    result = {}
    for r in cluster.resources:
        result[f"{r}_utilization"] = mean_share(use.used[r], use.capacity[r], window)
        result[f"{r}_stranded"] = mean_share(use.stranded[r], use.capacity[r], window)
        for depth, level in enumerate(cluster.levels, 1):
            nodes = [mean_share(use.node_used[r][node], use.node_capacity[r][node], window)
                     for node in use.node_used[r]
                     if len(node) == depth and was_there(use, node, window)]
            told = nodes and None not in nodes
            result[f"{level}_{r}_utilization_min"] = min(nodes) if told else None
            result[f"{level}_{r}_utilization_max"] = max(nodes) if told else None
    return result


def time_spare(cluster, spare, begin, end):
    """The GPU time kept free during times given as (server, from, to)."""
    gpu = counted_gpu(cluster)
    return sum((cluster.capacity[gpu][server] - cluster.background[gpu][server])
               * max(0, min(until, end) - max(since, begin)) for server, since, until in spare)


def gpu_time_metrics(run, replication, cluster, use, end, with_background, gains, failing, spare):
    """What can be known about gpu_time.csv, which covers the whole run, and about the shares of the window. `failing`
    is the cluster without drains and spares; `spare` says when which servers were spares."""
    rows = {row["cause"]: row for row in run.gpu_time.get(replication, [])}
    gpu = counted_gpu(cluster)
    gpus, window = sum(cluster.capacity[gpu]), use.window
    length = window.length()
    seconds = {cause: float(row["gpu_seconds"]) for cause, row in rows.items()}
    expected, metrics = {"in all": (sum(seconds.values()), gpus * end)}, {}
    lost, lost_in_window = {}, {}  # parts of what was allocated, by use
    if gains.has_columns and gains.known():
        lost = gains.gpu_times(gpu, end, 0, end)
        lost_in_window = gains.gpu_times(gpu, end, window.begin, window.end)
        expected.update({use: (seconds[use], time) for use, time in lost.items() if use in rows})
    kept = time_spare(cluster, spare, 0, end)
    if with_background and ("spare" in rows or kept):
        expected["spare"] = (seconds.get("spare", 0), kept)
        if gpus * length:
            metrics["gpu_time_spare"] = Fraction(
                time_spare(cluster, spare, window.begin, window.end), gpus * length)
    told_apart = not gains.has_columns or bool(lost)
    if gpus * length:
        there = time_there(failing, gpu, window.begin, window.end)
        metrics["gpu_time_idle_failed"] = Fraction(gpus * length - there, gpus * length)
        metrics.update({f"gpu_time_{u}": Fraction(t, gpus * length)
                        for u, t in lost_in_window.items() if u in rows})
        if with_background and told_apart:
            held = use.used[gpu].sum()
            useful = held - sum(lost_in_window.values())
            metrics["gpu_time_allocated"] = Fraction(useful, gpus * length)
            if lost:
                metrics["goodput"] = Fraction(useful, held) if held else None
    if length == end and gpus * end:
        metrics.update({f"gpu_time_idle_{c}": float(row["share"]) for c, row in rows.items()
                        if c not in ("allocated", "failed", "drained", "spare", *COLUMNS)})
        if "drained" in rows:
            metrics["gpu_time_drained"] = float(rows["drained"]["share"])
        metrics.setdefault("gpu_time_allocated", float(rows["allocated"]["share"]))
        there = time_there(failing, gpu, 0, end)
        expected["failed"] = (seconds["failed"], gpus * end - there)
        away = (there - use.capacity[gpu].sum()) / 1e12
        if away > seconds.get("drained", 0) + 1e-9 * gpus * end / 1e12:
            expected["drained"] = (seconds.get("drained", 0), away * 1e12)
        if with_background and told_apart:
            expected["allocated"] = (seconds["allocated"],
                                     use.used[gpu].sum() - sum(lost.values()))
        if gains.has_columns:
            held = sum(seconds.get(use, 0) for use in ("allocated", *COLUMNS))
            metrics.setdefault("goodput", seconds["allocated"] / held if held else None)
    findings = [f"gpu_time.csv has {told} GPU-seconds {what}, the tables say {value / 1e12}"
                for what, (told, value) in expected.items()
                if abs(told - value / 1e12) > 1e-9 * gpus * end / 1e12]
    for cause, row in rows.items():
        if abs(float(row["share"]) * gpus * end - seconds[cause] * 1e12) > 1e-9 * gpus * end:
            findings.append(f"gpu_time.csv: the share of {cause} is {row['share']}")
    return metrics, findings


class Samples:
    """Compares timeseries.csv with what pods.csv implies at its instants."""

    def __init__(self, run, replication, cluster, with_background):
        self.rows = {}
        self.findings = []
        for row in run.timeseries.get(replication, []):
            at = nanoseconds(row["time_s"])
            if at in self.rows:
                self.findings.append(f"timeseries.csv has {row['time_s']} s twice")
            self.rows[at] = row
        self.times = sorted(self.rows)
        self.cluster, self.with_background = cluster, with_background
        self.next = 0

    def before(self, at, use):
        """Compares samples before `at`, at whose instants nothing else happened."""
        while self.next < len(self.times) and self.times[self.next] < at:
            self.compare(self.times[self.next], use)
            self.next += 1

    def compare(self, at, use):
        row = self.rows[at]
        for column, value in (("pods_running", use.pods_running),
                              ("pods_waiting", use.pods_waiting)):
            if int(row[column]) != value:
                self.say(at, column, row[column], value)
        if not self.with_background:
            return
        for r in self.cluster.resources:
            capacity = use.capacity[r].amount
            for column, amount in ((f"{r}_utilization", use.used[r].amount),
                                   (f"{r}_requested", use.used[r].amount + use.waiting[r]),
                                   (f"{r}_stranded", use.stranded[r].amount)):
                value = float(share(amount, capacity))
                if abs(float(row[column]) - value) > 1e-9 * max(1.0, value):
                    self.say(at, column, row[column], value)

    def say(self, at, column, told, value):
        if len(self.findings) < 5:
            self.findings.append(
                f"timeseries.csv: {column} at {at / 1e9} s is {told}, the pods say {value}")
