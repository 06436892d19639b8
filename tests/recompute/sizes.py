"""Interruptions by the size of jobs, mttf.csv: docs/reference/run-directory.md."""

from collections import defaultdict
from math import exp, lgamma, log

SECOND = 10**9


def size_of(job, in_gpus):
    return -(-job.gpus // 1000) if in_gpus else int(job.row["size"])


def least_and_most(size):
    most = 0 if size == 0 else 1 << (size - 1).bit_length()
    return (most // 2 + 1 if most > 1 else most), most


def at_most(count, mean):
    """The probability of at most `count` events if `mean` are expected."""
    if mean == 0:
        return 1.0
    return sum(exp(i * log(mean) - mean - lgamma(i + 1)) for i in range(count + 1))


def sums_of(jobs, in_gpus, end):
    sums = defaultdict(lambda: [0, 0, 0, 0])
    for job in jobs:
        size = size_of(job, in_gpus)
        ran = job.ran_before
        if job.start is not None:
            ran += (end if job.finish is None else job.finish) - job.start
        parts = (1, int(job.row["node_failed"]), ran, ran * size)
        entry = sums[least_and_most(size)]
        sums[least_and_most(size)] = [a + b for a, b in zip(entry, parts)]
    return sums


def sizes_are_right(run, replication, jobs, end):
    if run.mttf is None:
        if run.failures is not None:
            yield "there is no mttf.csv"
        return
    rows = run.mttf.get(replication, [])
    in_gpus = run.gpu_time is not None
    expected = sums_of(jobs, in_gpus, end)
    if [(int(r["size_min"]), int(r["size_max"])) for r in rows] != sorted(expected):
        yield f"mttf.csv has other sizes than {sorted(expected)}"
        return
    for row in rows:
        count, interruptions, ran, size_ran = expected[int(row["size_min"]), int(row["size_max"])]
        what = f"mttf.csv, jobs of {row['size_min']} to {row['size_max']}"
        if row["size_of"] != ("gpus" if in_gpus else "pods"):
            yield f"{what}: sizes are called {row['size_of']}"
        for column, value in (("jobs", count), ("interruptions", interruptions),
                              ("running_s", ran / SECOND), ("size_running_s", size_ran / SECOND)):
            if abs(float(row[column]) - value) > 1e-9 * max(1, value):
                yield f"{what}: {column} is {row[column]}, the tables say {value}"
        yield from (f"{what}: {finding}" for finding in bounds_are_right(row))


def bounds_are_right(row):
    """The ends of the interval are the means at which at most as many, and at least as many, events have a probability
    of 5 %."""
    count, ran = int(row["interruptions"]), float(row["running_s"])
    mean, low, high = (row[f"mttf_{part}s"] for part in ("", "low_", "high_"))
    if (mean == "") != (count == 0) or (high == "") != (count == 0):
        yield f"{count} interruptions, a mean of {mean} and an upper bound of {high}"
        return
    if ran == 0:
        return
    if count and abs(float(mean) * count - ran) > 1e-9 * ran:
        yield f"mttf_s is {mean}, {ran} s of running by {count}"
    if abs(at_most(count, ran / float(low)) - 0.05) > 1e-8:
        yield f"mttf_low_s is {low}, which leaves out another share than 5 %"
    if count and abs(at_most(count - 1, ran / float(high)) - 0.95) > 1e-8:
        yield f"mttf_high_s is {high}, which leaves out another share than 5 %"
