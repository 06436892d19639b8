"""The metrics of docs/reference/metrics.md, section Kueue, from admissions.csv and jobs.csv; and whether admissions.csv
agrees with itself and with jobs.csv."""

from collections import defaultdict
from fractions import Fraction

from censored import Sample
from from_the_start import ran_from_the_start
from run_files import nanoseconds

SECOND = 10**9


class Queue:
    """The figures of one queue, or of all queues."""

    def __init__(self):
        self.wait, self.admitted, self.preempted, self.not_ready = Sample(), 0, 0, 0

    def add(self, row, end, came_running):
        queued, admitted = nanoseconds(row["queued_s"]), nanoseconds(row["admitted_s"])
        if admitted is None:
            if row["until_s"] == "":
                self.wait.add(Fraction(end - queued, SECOND), False)
        elif row["from_s"] == row["admitted_s"] and not came_running:
            self.wait.add(Fraction(admitted - queued, SECOND), True)
            self.admitted += 1
        self.preempted += row["preemptor"] != "" and row["end"] != "reduced"
        self.not_ready += row["end"] == "not-ready"

    def times(self, prefix, percentiles):
        value, at_least = self.wait.mean()
        yield prefix + "admission_wait_s_mean", value, at_least
        for name, per_cent in percentiles:
            value, at_least = self.wait.percentile(per_cent)
            yield prefix + "admission_wait_s_" + name, value, at_least


def kueue_metrics(run, replication, window, end, told):
    """Values by name; and for waits, (value, lower bound, share that never started, which is 0)."""
    if run.admissions is None:
        return {}, {}
    came_running = ran_from_the_start(run, replication)
    submits = {row["job"]: nanoseconds(row["submit_s"]) for row in run.jobs.get(replication, [])}
    everything, queues = Queue(), defaultdict(Queue)
    for name in told:  # a queue in which no job waited has counts, too
        if name.startswith("queue/") and name.endswith("/admitted"):
            queues[name[len("queue/"):-len("/admitted")]] = Queue()
    for row in run.admissions.get(replication, []):
        if not window.counts(submits[row["job"]]):
            continue
        # Jobs that were admitted from the start did not wait for it.
        had = row["job"] in came_running and row["queued_s"] == row["admitted_s"] == "0"
        everything.add(row, end, had)
        for name in (row["cluster_queue"], f"{row['cluster_queue']}/{row['local_queue']}"):
            if name in queues:
                queues[name].add(row, end, had)
    counts = {"workloads_admitted": everything.admitted,
              "workloads_preempted": everything.preempted,
              "workloads_not_ready": everything.not_ready}
    times = list(everything.times("", (("p50", 50), ("p95", 95), ("max", 100))))
    for name, queue in queues.items():
        counts[f"queue/{name}/admitted"] = queue.admitted
        counts[f"queue/{name}/preempted"] = queue.preempted
        times += queue.times(f"queue/{name}/", (("p95", 95), ("max", 100)))
    return counts, {name: (value, at_least, 0) for name, value, at_least in times}


def admissions_are_right(run, replication, end):
    """Each row begins where the previous one ended, and the last row agrees with jobs.csv."""
    if run.admissions is None:
        return
    rows = defaultdict(list)
    for row in run.admissions.get(replication, []):
        rows[row["job"]].append(row)
    jobs = {row["job"]: row for row in run.jobs.get(replication, [])}
    for name, stays in rows.items():
        job = jobs.get(name)
        if job is None:
            yield f"admissions.csv names {name}, which jobs.csv does not have"
            continue
        begins = nanoseconds(job["submit_s"])
        for row in stays:
            first = row["from_s"] if row["from_s"] != row["admitted_s"] else row["queued_s"]
            if nanoseconds(first) != begins:
                yield f"admissions.csv: a row of {name} begins at {first}, not where it was before"
            until = nanoseconds(row["until_s"])
            times = [nanoseconds(row[c]) for c in ("queued_s", "admitted_s", "from_s", "until_s")]
            known = [time for time in times if time is not None]
            if known != sorted(known) or (until is not None and until > end):
                yield f"admissions.csv: times of {name} are not in order"
            begins = until
        last = next((row["admitted_s"] for row in reversed(stays) if row["admitted_s"]), "")
        if last != job["admitted_s"]:
            yield f"{name}: admitted_s is {job['admitted_s']}, admissions.csv has {last}"
        if (stays[-1]["until_s"] == "") != (job["outcome"] in ("running", "waiting")):
            yield f"{name} is {job['outcome']}, admissions.csv has it until {stays[-1]['until_s']}"
