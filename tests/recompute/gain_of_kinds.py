"""ettr_mean and goodput of the jobs of one quota, one user and so on: docs/reference/metrics.md."""

from fractions import Fraction

from gain import ettr
from job_metrics import Job
from run_time_factors import job_of

GPU = "nvidia.com/gpu"


def gain_of_kinds(run, gains, rows, window, end):
    """`rows` are those of jobs.csv; the GPU time of a kind is that of all its jobs in the window."""
    result = {}
    jobs = [Job(row, []) for row in rows]
    has_gpus = run.gpu_time is not None
    for label, belongs in run.kinds:
        some = [job for job in jobs if belongs(job)]
        if not any(window.counts(job.submit) for job in some):
            continue  # a kind without any job that counts has no metrics
        result[f"ettr_mean[{label}]"] = ettr([job.row for job in some], end, window.counts)
        if has_gpus and gains.known():
            result[f"goodput[{label}]"] = goodput(gains, {job.name for job in some}, window, end)
    return result


def goodput(gains, names, window, end):
    held = lost = 0
    for pod in gains.work.pods:
        amount = pod.demand.get(GPU, 0) if job_of(pod) in names else 0
        for stint in pod.stints if amount else []:
            until = min(end if stint.end is None else stint.end, window.end)
            held += amount * max(until - max(stint.start, window.begin), 0)
            lost += amount * sum(
                gains.run_of(pod, stint).without_gain(stint, end, window.begin, window.end))
    return Fraction(held - lost, held) if held else None
