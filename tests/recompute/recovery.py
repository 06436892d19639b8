"""How long jobs took to do the same amount of work again as before an interruption, from pods.csv, evictions.csv and
jobs.csv: docs/reference/metrics.md, section Failures."""

from math import ceil

from censored import Sample
from gain import half_up
from job_metrics import told
from run_time_factors import job_of
from work import runs_of

SECOND = 10**9


def time_until(run, work):
    """The time from the start of a job's run until it has done this much work in it."""
    terms = run.terms
    if terms.every is None:
        return half_up(work * run.factor)
    intervals, rest = divmod(work, terms.every)
    time = run.restart + intervals * (ceil(terms.every * run.factor) + terms.stall)
    time += half_up(rest * run.factor)
    return time - terms.stall if work > 0 and rest == 0 else time


def interruptions_of(stints, gains, pod, end):
    """(time, time when the same amount was done again or None) for the interruptions of one job; `pod` is one of its
    pods."""
    found, kept = [], 0
    for start, until, evicted in runs_of(stints):
        here = [s for s in stints if s.start >= start and
                (until is None or s.start < until or s.start == s.end == until)]
        run = gains.run_of(pod, here[0])
        works_until = max(s.end_of_work(end) for s in here)
        spent = run.spent(works_until)
        for entry in found:
            time = time_until(run, entry["done"] - kept)
            # At the very end of its run, only a job that is not stopped there has done it.
            ran = works_until - start
            stops = evicted or any(s.hung is not None for s in here)
            if entry["again"] is None and (time < ran or (time == ran and not stops)):
                entry["again"] = start + time
        if not evicted:
            break
        ended = [s for s in here if s.end == until and s.cause]
        lost = spent.unwritten if run.terms.every is not None else max(s.lost for s in ended)
        if ended[0].cause == "node-failed":
            found.append({"at": until, "done": kept + spent.work, "again": None})
        kept += spent.work - lost
    return found


def recovery_metrics(run, gains, some_jobs, end):
    """Metrics of the jobs that count; empty if the slow-down of some job is not known."""
    if run.failures is None or not gains.has_columns or not gains.known():
        return {}
    counted = {job.name: job for job in some_jobs}
    stints, pods = {}, {}
    for pod in gains.work.pods:
        stints.setdefault(job_of(pod), []).extend(pod.stints)
        pods[job_of(pod)] = pod
    times, unrecovered = Sample(), 0
    for name, job in counted.items():
        for entry in interruptions_of(stints.get(name, []), gains, pods.get(name), end):
            times.count(True)
            if entry["again"] is not None:
                times.add(entry["again"] - entry["at"], True)
                continue
            unrecovered += 1
            if job.outcome in ("waiting", "running"):
                times.add(end - entry["at"], False)
    return {"times": dict(told("recovery_s", times, ("mean", "p95"), SECOND)),
            "interruptions_unrecovered": unrecovered}
