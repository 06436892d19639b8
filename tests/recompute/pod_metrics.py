"""The metrics of docs/reference/metrics.md, section Pods, from pods.csv and evictions.csv."""

from fractions import Fraction

from run_files import nanoseconds
from statistics_of_runs import nearest_rank

SECOND = 10**9
OUTCOMES = ("finished", "running", "waiting", "dropped", "rejected")


# The reason why a pod does no more work, if jobs are stopped at their time limits.
STOPPED = "it was stopped at its time limit"
# The same for jobs that train.
TRAINED = "it was stopped at the limit of its training"


def jobs_are_stopped(run):
    rule = run.get("scheduler", "atLimit", default="run-on")
    return (rule if isinstance(rule, str) else rule["name"]) == "stop"


def seconds(value):
    return Fraction(value, SECOND)


def mean(values):
    return Fraction(sum(values), len(values)) if values else None


def pod_metrics(run, work):
    """Values by name; None for a metric that must be absent."""
    pods = work.pods
    result = {"pods_submitted": len(pods)}
    for outcome in OUTCOMES:
        result["pods_" + outcome] = sum(p.outcome == outcome for p in pods)
    if jobs_are_stopped(run):
        stopped = {p.group or p.name for p in pods if p.row["reason"] == STOPPED}
        result["jobs_stopped_at_limit"] = len(stopped)
    lost = sum(result["pods_" + o] for o in ("dropped", "rejected", "waiting"))
    result["success_rate"] = Fraction(len(pods) - lost, len(pods)) if pods else None

    came = [p for p in pods if not p.came_running]
    waits = [nanoseconds(p.row["wait_s"]) for p in came if p.outcome in ("running", "finished")]
    result["wait_s_mean"] = seconds(mean(waits)) if waits else None
    for percent in (50, 95, 99):
        result[f"wait_s_p{percent}"] = seconds(nearest_rank(waits, percent)) if waits else None
    result["wait_s_max"] = seconds(max(waits)) if waits else None

    finished = [p for p in pods if p.outcome == "finished"]
    completion = [p.finish - p.submit for p in finished if not p.came_running]
    result["jct_s_mean"] = seconds(mean(completion)) if completion else None
    for percent in (50, 95):
        result[f"jct_s_p{percent}"] = (
            seconds(nearest_rank(completion, percent)) if completion else None)
    result["makespan_s"] = seconds(max(p.finish for p in finished)) if finished else None
    result.update(slowdowns([p for p in finished if not p.came_running]))
    result.update(run_time_factor(run, work))
    return result


def slowdowns(finished):
    """Slow-downs; empty if the files do not state the work of some pod."""
    works = [work_of(pod) for pod in finished]
    if None in works:
        return {}
    ran = [(p.finish - p.submit, w) for p, w in zip(finished, works) if w > 0]
    slow = [Fraction(c, w) for c, w in ran]
    bounded = [max(Fraction(1), Fraction(p.finish - p.submit, max(w, 10 * SECOND)))
               for p, w in zip(finished, works)]
    return {"slowdown_mean": mean(slow), "bounded_slowdown_mean": mean(bounded)}


def work_of(pod):
    """The time that the work of a finished pod takes: everything that it did, minus what it did again."""
    if any(stint.factor is None for stint in pod.stints):
        return None
    return sum(stint.done() for stint in pod.stints) - pod.lost()


def run_time_factor(run, work):
    """The mean factor, at their last start, of the pods that run or have finished."""
    if not run.get("runTime"):
        return {}
    factors = [p.last().factor for p in work.pods if p.last()]
    if None in factors:
        return {}
    return {"run_time_factor_mean": sum(factors) / len(factors) if factors else None}


def eviction_metrics(run, work):
    if run.evictions is None and not run.get("quotas"):
        return {}
    # The files include evictions by an outside scheduler; the metrics only cover failures, drains and quotas.
    from_outside = run.get("scheduler", "batsim") or run.get("scheduler", "python")
    if from_outside and not run.get("failures") and run.drains is None and not run.get("quotas"):
        return {}
    lost_places = [stint for pod in work.pods for stint in pod.stints if stint.cause]
    names = {"revoked": "pods_revoked", "preempted": "pods_preempted",
             "node-failed": "pods_node_failed"}
    if not run.get("quotas"):
        names = {"node-failed": "pods_node_failed"}
    if run.drains is not None:
        names["drained"] = "pods_drained"
    result = {name: sum(stint.cause == cause for stint in lost_places)
              for cause, name in names.items()}
    result["work_lost_s"] = seconds(sum(stint.lost for stint in lost_places))
    return result
