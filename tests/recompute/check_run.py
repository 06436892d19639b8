"""Everything that is checked of one run directory, as sentences of what was found."""

from fractions import Fraction

from cluster import Cluster
from device_metrics import (Machines, devices_are_given_once, free_gpus_broken, givens, nearness,
                            places_are_told_right, shared_gpu_metrics)
from group_metrics import Shape, group_metrics, level_names
from invariants import (constraints_hold, cycles_are_periodic, durations_are_right,
                        evictions_are_counted, first_come_first_served, gangs_start_together,
                        outcomes_are_consistent, servers_hold_what_they_have, shapes_are_right,
                        times_are_in_order, waits_are_right)
from pod_metrics import eviction_metrics, pod_metrics
from provider_metrics import own_demand, shared_metrics
from quota_metrics import QuotaSamples, accepted_updates, quota_metrics, sums_over_time
from quota_tree import QuotaTree
from run_files import Run
from run_time_factors import Factors, set_factors
from summary_checks import manifest_is_right, near, summary_is_right, verdicts_are_right
from untold import is_untold
from use_metrics import GPU, Samples, gpu_time_metrics, use_metrics
from use_over_time import use_over_time
from waits import waits_of
from work import Work, end_of_run
from workload_of import Workload

FINDINGS_MAX = 5  # of one kind and replication: one cause shows in many rows


def check_run(folder):
    run = Run(folder)
    yield from manifest_is_right(run)
    yield from summary_is_right(run)
    yield from verdicts_are_right(run)
    cluster, workload = Cluster(run), Workload(run)
    for replication in range(run.replications):
        for finding in check_replication(run, cluster, workload, replication):
            yield f"replication {replication}: {finding}"


def some(findings):
    for number, finding in enumerate(findings):
        if number == FINDINGS_MAX:
            yield "... and more of the kind"
            return
        yield finding


def check_replication(run, cluster, workload, replication):
    work = Work(run, replication)
    if work.pods is None or cluster.repeated or work.repeated_pod or work.repeated_group:
        return  # rows cannot be told apart, or are not there
    end = end_of_run(run, replication, work, cluster)
    told = run.metrics[replication]
    with_background = cluster.knows_background(replication)
    if has_candidates(run):
        for pod in work.pods:
            pod.demand = own_demand(pod) if pod.row["providers"] else pod.demand
    set_factors(work, Factors(run, cluster, workload))
    yield from some(times_are_in_order(work, end))
    yield from some(outcomes_are_consistent(work, run.get("scheduler", "retry", default="always")))
    yield from some(waits_are_right(work))
    yield from some(evictions_are_counted(run, work))
    yield from some(durations_are_right(work, workload))
    yield from some(first_come_first_served(run, work))
    yield from some(cycles_are_periodic(run, work))
    misplaced = list(some(servers_hold_what_they_have(run, cluster, work, end, with_background)))
    yield from misplaced
    yield from some(gangs_start_together(work, workload))

    shapes = {g.name: Shape(g, cluster, range(1, len(cluster.levels) + 2))
              for g in work.groups.values() if g.start is not None and g.at_start()}
    levels = level_names(run, cluster)
    yield from some(shapes_are_right(work, shapes, levels))
    yield from some(constraints_hold(work, workload, shapes, levels))

    samples = Samples(run, replication, cluster, with_background)
    waits = waits_of(run, work, workload)
    use = use_over_time(cluster, work, 0, end, waits, with_background, samples)
    yield from samples.findings
    recomputed = pod_metrics(run, work)
    recomputed.update(group_metrics(run, cluster, work, shapes))
    recomputed.update(eviction_metrics(run, work))
    recomputed.update(end_s=Fraction(end, 10**9), measured_s=Fraction(end, 10**9))
    if with_background:
        recomputed.update(use_metrics(cluster, use, 0, end))
    if run.gpu_time is not None and GPU in cluster.resources:
        metrics, findings = gpu_time_metrics(run, replication, cluster, use, 0, end,
                                             with_background)
        recomputed.update(metrics)
        yield from findings
    yield from check_devices(run, cluster, work, end, recomputed, with_background)
    if has_candidates(run) and not work.evictions:
        recomputed.update(shared_metrics(run, cluster, work, end))
    if "gpu_arrived_pct" in told:
        recomputed.update(shared_gpu_metrics(cluster, work, use, with_background))
    tree = QuotaTree(run)
    if run.get("quotas") and tree.known:
        quota_samples = QuotaSamples(run, replication, tree, cluster, with_background)
        sums = sums_over_time(tree, cluster, work, waits, 0, end, quota_samples,
                              accepted_updates(run, replication, tree))
        recomputed.update(quota_metrics(tree, cluster, work, sums, end, with_background))
        yield from quota_samples.findings
    if "window" not in run.summary:  # metrics are about the whole run
        yield from differences(told, recomputed, with_background)


def check_devices(run, cluster, work, end, recomputed, with_background):
    """What allocators of devices gave. Of pods that were evicted only the last devices are told."""
    yield from some(devices_are_given_once(cluster, work))
    if run.devices is None:
        return
    machines, given = Machines(run), givens(cluster, work)
    yield from some(places_are_told_right(machines, given))
    if not any(s.cause and pod.demand.get(GPU) for pod in work.pods for s in pod.stints):
        recomputed.update(nearness(machines, given))
        if with_background and not any(cluster.background.get(GPU, [])):
            recomputed["free_gpus_broken"] = free_gpus_broken(machines, cluster, given, end)


def has_candidates(run):
    return any(isinstance(entry, dict) and entry.get("name") == "allocation-candidates"
               or entry == "allocation-candidates"
               for entry in run.get("scheduler", "profile", "filter", default=[]) or [])


def differences(told, recomputed, with_background):
    for name, text in told.items():
        if name in ("replication", "seed"):
            continue
        if name not in recomputed:
            if text != "" and not is_untold(name, with_background):
                yield f"{name} is {text}: no check recomputes it"
            continue
        value = recomputed[name]
        if value is None and text != "":
            yield f"{name} is {text}, and there is nothing to measure it from"
        elif value is not None and text == "":
            yield f"{name} is empty, the files say {float(value)}"
        elif value is not None and not near(float(text), float(value)):
            yield f"{name} is {text}, the files say {float(value)!r}"
    for name in sorted(set(recomputed) - set(told)):
        if recomputed[name] is not None:
            yield f"{name} is not there, the files say {float(recomputed[name])}"
