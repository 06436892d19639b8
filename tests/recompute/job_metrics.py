"""Waits, completion times and slow-downs, by pod, by job and by GPU, from jobs.csv and pods.csv:
docs/reference/metrics.md, sections Pods and Jobs."""

from collections import Counter
from fractions import Fraction

from censored import Sample
from run_files import duration, nanoseconds, thousandths
from work import runs_of

SECOND = 10**9
PERCENTILES = {"p50": 50, "p95": 95, "p99": 99, "max": 100}
SIZES = ((1, "1"), (4, "2-4"), (8, "5-8"), (64, "9-64"), (512, "65-512"))
KINDS_MAX = 20


class Job:
    """A row of jobs.csv, with the time that the job ran before evictions."""

    def __init__(self, row, pods):
        self.row, self.name = row, row["job"]
        self.submit = nanoseconds(row["submit_s"])
        self.start, self.finish = nanoseconds(row["start_s"]), nanoseconds(row["finish_s"])
        self.duration = nanoseconds(row["duration_s"])
        self.outcome = row["outcome"]
        self.gpus = thousandths(row["gpus"])
        runs = runs_of([stint for pod in pods for stint in pod.stints])
        self.ran_before = sum(end - start for start, end, evicted in runs if evicted)
        self.started = self.start is not None or any(evicted for _, _, evicted in runs)


class Statistics:
    """Samples of waits, completion times and slow-downs of some units, which are pods or jobs."""

    def __init__(self):
        self.wait, self.jct, self.slowdown, self.bounded = Sample(), Sample(), Sample(), Sample()

    def add(self, unit, end, weight=1):
        """Adds a unit with submit, start, finish, duration, work, outcome, wait and started."""
        self.wait.count(unit.started, weight)
        waits = unit.outcome == "waiting"
        if unit.outcome in ("finished", "running"):
            self.wait.add(unit.wait, True, weight)
        elif waits:
            self.wait.add(end - unit.submit - unit.ran_before, False, weight)
        if unit.outcome == "finished":
            taken = unit.finish - unit.submit
            self.add_times(taken, unit.work, True, unit.started, weight)
        elif unit.duration is not None:
            taken = end - unit.submit if waits or unit.outcome == "running" else None
            self.add_times(taken, unit.duration, False, unit.started, weight)

    def add_times(self, taken, work, ended, started, weight):
        # A slow-down only concerns units with work: docs/reference/metrics.md, section Pods.
        about = (self.jct, self.slowdown, self.bounded) if work > 0 else (self.jct, self.bounded)
        for sample in about:
            sample.count(started, weight)
        if taken is None:
            return
        self.jct.add(taken, ended, weight)
        if work > 0:
            slow = Fraction(taken, work)
            self.slowdown.add(slow if ended else max(Fraction(1), slow), ended, weight)
        self.bounded.add(max(Fraction(1), Fraction(taken, max(work, 10 * SECOND))), ended, weight)


class Unit:
    pass


def unit_of_job(job):
    unit = Unit()
    unit.__dict__.update(vars(job))
    unit.wait = nanoseconds(job.row["wait_s"])
    unit.work = job.duration
    return unit


def unit_of_pod(pod, duration, work):
    unit = Unit()
    unit.submit, unit.start, unit.finish = pod.submit, pod.start, pod.finish
    unit.duration, unit.outcome, unit.work = duration, pod.outcome, work
    unit.wait, unit.ran_before = nanoseconds(pod.row["wait_s"]), pod.ran_before()
    unit.started = pod.start is not None or bool(pod.stints)
    return unit


def told(name, sample, figures, unit):
    """`NAME_mean`, `NAME_p50` and so on: the value, its lower bound, and the share that never started."""
    never = Fraction(sample.never_started, sample.about) if sample.about else None
    for figure in figures:
        value, bound = (sample.mean() if figure == "mean"
                        else sample.percentile(PERCENTILES[figure]))
        yield f"{name}_{figure}", (in_units(value, unit), in_units(bound, unit), never)


def in_units(value, unit):
    return None if value is None else Fraction(value) / unit


FOUR = ("mean", "p50", "p95", "p99")


def by_pod(pods, jobs, end, work_of):
    """Statistics of the pods that count; empty if their work is not known."""
    statistics = Statistics()
    for pod in pods:
        job = jobs[pod.group or pod.name]
        work = work_of(pod) if pod.outcome == "finished" else None
        if pod.outcome == "finished" and work is None:
            return {}
        statistics.add(unit_of_pod(pod, job.duration, work), end)
    result = dict(told("wait_s", statistics.wait, (*FOUR, "max"), SECOND))
    result.update(told("jct_s", statistics.jct, FOUR[:3], SECOND))
    result.update(told("slowdown", statistics.slowdown, ("mean",), 1))
    result.update(told("bounded_slowdown", statistics.bounded, ("mean",), 1))
    return result


def shares_over(sample, waits):
    """`job_wait_over_10m_share` and so on, for waits as an experiment lists them."""
    for text in waits:
        value, bound = sample.share_above(duration(text))
        never = Fraction(sample.never_started, sample.about) if sample.about else None
        yield name_of_share(duration(text)), (value, bound, never)


def name_of_share(wait):
    """The name has the wait in the largest unit that leaves it whole."""
    units = (("d", 86400 * SECOND), ("h", 3600 * SECOND), ("m", 60 * SECOND), ("s", SECOND), ("ms", 10**6),
             ("us", 1000), ("ns", 1))
    unit, size = next((unit, size) for unit, size in units if wait >= size and wait % size == 0) if wait else ("s", 1)
    return f"job_wait_over_{wait // size}{unit}_share"


def by_job(jobs, kinds_of_all, end, has_gpus, waits_over):
    """Statistics of the jobs that count: once for each job, by GPU, and by the kinds of the jobs of all
    replications."""
    result = {}
    once, gpus = Statistics(), Statistics()
    for job in jobs:
        once.add(unit_of_job(job), end)
        if job.gpus:
            gpus.add(unit_of_job(job), end, job.gpus)
    for prefix, statistics in (("job", once), ("gpu", gpus))[: 2 if has_gpus else 1]:
        result.update(told(f"{prefix}_wait_s", statistics.wait, FOUR, SECOND))
        result.update(told(f"{prefix}_jct_s", statistics.jct, FOUR, SECOND))
        result.update(told(f"{prefix}_bounded_slowdown", statistics.bounded, FOUR, 1))
    result.update(shares_over(once.wait, waits_over))
    for label, belongs in kinds_of_all:
        statistics = Statistics()
        for job in jobs:
            if belongs(job):
                statistics.add(unit_of_job(job), end)
        for name, sample, unit in (("job_wait_s", statistics.wait, SECOND),
                                   ("job_bounded_slowdown", statistics.bounded, 1)):
            for key, value in told(name, sample, FOUR, unit):
                result[f"{key}[{label}]"] = value
        for key, value in shares_over(statistics.wait, waits_over):
            result[f"{key}[{label}]"] = value
    return result


def launches(jobs):
    """How often jobs that train were launched."""
    counts = [int(job.row["launches"]) for job in jobs if job.row.get("launches")]
    return {"launches": sum(counts), "launches_mean": sum(counts) / len(counts) if counts else None}


def kinds(jobs, has_gpus):
    """(text in brackets, whether a job is of the kind), for the jobs of all replications."""
    taken = set()
    for column in ("quota", "user", "class"):
        counts = Counter(job.row[column] for job in jobs)
        names = sorted((n for n in counts if n), key=lambda n: (-counts[n], n))
        if len(counts) < 2:
            continue
        for name in names[:KINDS_MAX]:
            label = f"{column}={name}" if name in taken else name
            yield label, lambda job, c=column, n=name: job.row[c] == n
        taken.update(names[:KINDS_MAX])
    sizes = {size_of(job, has_gpus) for job in jobs}
    if len(sizes) > 1:
        for size in sorted(sizes):
            yield size, lambda job, s=size: size_of(job, has_gpus) == s


def size_of(job, has_gpus):
    if not has_gpus:
        return "pods=" + next((n for most, n in SIZES if int(job.row["size"]) <= most), "513+")
    if job.gpus == 0:
        return "gpus=0"
    if job.gpus < 1000:
        return "gpus=part"
    return "gpus=" + next((n for most, n in SIZES if -(-job.gpus // 1000) <= most), "513+")
