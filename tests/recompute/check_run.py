"""All checks of one run directory, with their findings as sentences."""

from collections import defaultdict
from fractions import Fraction

from claimed_devices import claimed_devices_are_right
from cluster import Cluster
from device_metrics import (
    Machines,
    devices_are_given_once,
    free_gpus_broken,
    givens,
    nearness,
    places_are_told_right,
    shared_gpu_metrics,
)
from drains import Drains
from from_the_start import ran_from_the_start
from gain import Gains, columns_are_right, ettr
from gain_of_kinds import gain_of_kinds
from group_metrics import Shape, group_metrics, level_names
from invariants import (
    constraints_hold,
    cycles_are_periodic,
    drops_are_in_time,
    durations_are_right,
    evictions_are_counted,
    first_come_first_served,
    gangs_start_together,
    given_up_in_time,
    outcomes_are_consistent,
    servers_hold_what_they_have,
    shapes_are_right,
    times_are_in_order,
    waits_are_right,
)
from job_metrics import Job, by_job, by_pod, kinds, launches
from kueue_metrics import admissions_are_right, kueue_metrics
from pod_metrics import SECOND, eviction_metrics, pod_metrics, work_of
from provider_metrics import read_own_demands, shared_metrics, use_is_told
from quota_metrics import QuotaSamples, accepted_updates, quota_metrics, sums_over_time
from quota_tree import QuotaTree
from recovery import recovery_metrics
from reliability_metrics import changes_with, outages_of, reliability_metrics
from run_files import Run
from run_time_factors import Factors, set_factors
from sizes import sizes_are_right
from spares import spare_times
from summary_checks import manifest_is_right, near, repeated_for_sql, summary_is_right, verdicts_are_right
from untold import is_untold
from use_metrics import Samples, counted_gpu, gpu_time_metrics, queue_lengths, use_metrics
from use_over_time import use_over_time
from waits import waits_of
from window import Window
from work import Work, end_of_run
from workload_of import Workload

FINDINGS_MAX = 5  # of one kind and replication, since one cause shows in many rows


def check_run(folder):
    run = Run(folder)
    yield from manifest_is_right(run)
    yield from summary_is_right(run)
    yield from verdicts_are_right(run)
    cluster, workload = Cluster(run), Workload(run)
    run.kinds = kinds_of_jobs(run, Window(run, 0))
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
        return  # rows cannot be told apart, or are missing
    outages = outages_of(run, cluster, replication)
    told_cluster = cluster
    if outages:
        cluster = cluster.with_changes(changes_with(outages, cluster))
    end = end_of_run(run, replication, work, cluster)
    drains, failing = Drains(run, cluster, work, end, replication), cluster
    away = list(drains.away()) if drains.begun else []
    if away:
        cluster = cluster.with_changes(changes_with(outages, told_cluster, away))
    with_spares, spare = cluster, spare_times(run, cluster, work, end)
    if spare:
        cluster = cluster.with_changes(changes_with(outages, told_cluster, away, spare))
    window = Window(run, end)
    told = run.metrics[replication]
    all_use_told = use_is_told(run, cluster, work)
    with_background = cluster.knows_background(replication) and all_use_told
    if has_candidates(run):
        read_own_demands(work, all_use_told)
    set_factors(work, Factors(run, cluster, workload))
    gains = Gains(work, (run.jobs or {}).get(replication, []), cluster, outages)
    gains.set_done(end)
    if gains.has_columns:
        yield from some(columns_are_right(gains, end))
    yield from some(times_are_in_order(work, end))
    yield from some(outcomes_are_consistent(run, work, end))
    yield from some(given_up_in_time(run, work))
    yield from some(drops_are_in_time(run, replication, work))
    yield from some(waits_are_right(work))
    yield from some(evictions_are_counted(run, work))
    yield from some(durations_are_right(work, workload))
    yield from some(drains.findings(run, replication, workload))
    yield from some(first_come_first_served(run, work))
    yield from some(cycles_are_periodic(run, work))
    misplaced = list(some(servers_hold_what_they_have(run, cluster, work, end, with_background)))
    yield from misplaced
    yield from some(gangs_start_together(work, workload))
    yield from some(claimed_devices_are_right(run, replication, work, end))

    shapes = {g.name: Shape(g, cluster, range(1, len(cluster.levels) + 2))
              for g in work.groups.values() if g.start is not None and g.at_start()}
    levels = level_names(run, cluster)
    yield from some(shapes_are_right(work, shapes, levels))
    yield from some(constraints_hold(work, workload, shapes, levels))

    samples = Samples(run, replication, with_spares, with_background)
    waits = waits_of(run, replication, work, workload)
    use = use_over_time(with_spares, work, end, window, waits, with_background,
                        samples)
    yield from samples.findings
    counted = window.of(work)
    recomputed = {}
    if "end_s" in told:
        recomputed = {"end_s": Fraction(end, SECOND),
                      "measured_s": Fraction(window.length(), SECOND)}
    recomputed.update(pod_metrics(run, counted))
    recomputed.update(queue_lengths(use, window))
    recomputed.update(group_metrics(run, cluster, counted, shapes))
    recomputed.update(eviction_metrics(run, counted))
    if run.jobs is not None:
        times, some_jobs = of_times(run, replication, work, counted, window, end)
        recomputed.update(reliability_metrics(run, failing, outages, some_jobs, window, end))
        recovery = recovery_metrics(run, gains, some_jobs, end)
        times.update(recovery.pop("times", {}))
        of_kueue, kueue_times = kueue_metrics(run, replication, window, end, told)
        recomputed.update(of_kueue)
        times.update(kueue_times)
        yield from some(admissions_are_right(run, replication, end))
        recomputed.update(recovery)
        recomputed.update({name: value for name, (value, _, _) in times.items()})
        if "launches" in run.columns("jobs.csv"):
            recomputed.update(launches(some_jobs))
        if gains.has_columns:
            rows = run.jobs.get(replication, [])
            recomputed["ettr_mean"] = ettr(rows, end, window.counts)
            recomputed.update(gain_of_kinds(run, gains, rows, window, end))
        yield from some(sizes_are_right(run, replication, some_jobs, end))
        yield from censored_differences(run, replication, times)
    if with_background:
        recomputed.update(use_metrics(cluster, use, window))
    if run.gpu_time is not None and counted_gpu(cluster):
        metrics, findings = gpu_time_metrics(run, replication, cluster, use, end,
                                             with_background, gains, failing, spare)
        recomputed.update(metrics)
        yield from findings
    yield from check_devices(run, cluster, work, counted, window, recomputed, with_background)
    if has_candidates(run) and not work.evictions:
        recomputed.update(shared_metrics(run, cluster, work, window))
    if "gpu_arrived_pct" in told:
        at_end = [server for server, _, until in spare if until > end]
        recomputed.update(shared_gpu_metrics(cluster, work, workload, use, with_background, at_end))
    tree = QuotaTree(run)
    if run.get("quotas") and tree.known:
        quota_samples = QuotaSamples(run, replication, tree, cluster, with_background)
        sums = sums_over_time(tree, cluster, work, waits, end, window, quota_samples,
                              accepted_updates(run, replication, tree))
        recomputed.update(quota_metrics(tree, cluster, counted, sums, window, end,
                                        with_background, run.drains is not None))
        yield from quota_samples.findings
    yield from differences(told, recomputed, with_background, tree.known)


def check_devices(run, cluster, work, counted, window, recomputed, with_background):
    """What allocators of devices assigned. For evicted pods, only the last devices are known."""
    yield from some(devices_are_given_once(cluster, work))
    if run.devices is None:
        return
    machines, given = Machines(run), givens(cluster, work)
    yield from some(places_are_told_right(machines, given))
    if not any(s.cause and pod.demand.get(counted_gpu(cluster)) for pod in work.pods for s in pod.stints):
        recomputed.update(nearness(machines, givens(cluster, counted)))
        if with_background and not any(cluster.background.get(counted_gpu(cluster), [])):
            recomputed["free_gpus_broken"] = free_gpus_broken(machines, cluster, given, window)


def has_candidates(run):
    return any((isinstance(entry, dict) and entry.get("name") == "allocation-candidates")
               or entry == "allocation-candidates"
               for entry in run.get("scheduler", "profile", "filter", default=[]) or [])


def of_times(run, replication, work, counted, window, end):
    """Waits, completion times and slow-downs, including those that had not ended."""
    pods_of = defaultdict(list)
    for pod in work.pods:
        pods_of[pod.group or pod.name].append(pod)
    here = {row["job"]: Job(row, pods_of[row["job"]]) for row in run.jobs.get(replication, [])}
    some_jobs = [job for job in here.values() if window.counts(job.submit)]
    came_running = ran_from_the_start(run, replication)
    result = by_pod([p for p in counted.pods if not p.came_running], here, end, work_of)
    waited = [job for job in some_jobs if job.name not in came_running]
    waits_over = run.get("record", "waitsOver", default=[])
    result.update(by_job(waited, run.kinds, end, run.gpu_time is not None, waits_over))
    return result, some_jobs


def kinds_of_jobs(run, window):
    """Kinds of jobs over all replications; every window of a run begins and ends alike for arrivals."""
    jobs = []
    for replication, rows in (run.jobs or {}).items():
        came_running = ran_from_the_start(run, replication)
        jobs += [Job(row, []) for row in rows if row["job"] not in came_running]
    return list(kinds([job for job in jobs if window.counts(job.submit)],
                      run.gpu_time is not None))


def censored_differences(run, replication, times):
    """Compares censored.csv with the recomputed times; it has a row if any of its figures is not 0."""
    rows = {row["metric"]: row for row in run.censored.get(replication, [])}
    for name, (_, at_least, never) in times.items():
        row = rows.get(name, {"at_least": "", "never_started": ""})
        if (row["at_least"] == "") != (at_least is None) or (
                at_least is not None and not near(float(row["at_least"]), float(at_least))):
            yield f"censored.csv: {name} is at least {row['at_least']}, the files say {at_least}"
        if not near(float(row["never_started"] or 0), float(never or 0)):
            yield f"censored.csv: never_started of {name} is {row['never_started']}, not {never}"


def differences(told, recomputed, with_background, with_quotas):
    repeated = repeated_for_sql(told)
    for name, text in told.items():
        if name in ("replication", "seed") or name in repeated:
            continue
        if name not in recomputed:
            if text != "" and not is_untold(name, with_background, with_quotas):
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
