"""What must hold for every run, whatever its policies: places, times, gangs, order, reasons."""

from collections import Counter, defaultdict

from group_metrics import constraint_holds, is_hard
from pod_metrics import STOPPED, TRAINED, jobs_are_stopped, work_of
from run_files import duration, nanoseconds
from waits import given_up
from work import next_cycle


def times_are_in_order(work, end):
    for pod in work.pods:
        if pod.start is not None and pod.start < pod.submit:
            yield f"{pod.name} starts at {pod.start} ns, before it is submitted at {pod.submit}"
        if pod.finish is not None and pod.start is not None and pod.finish < pod.start:
            yield f"{pod.name} ends before it starts"
        before = pod.submit
        for stint in pod.stints:
            if stint.start < before:
                yield f"{pod.name} starts at {stint.start} ns and was busy until {before}"
            before = stint.end if stint.end is not None else end
        if pod.finish is not None and pod.finish > end:
            yield f"{pod.name} finishes after the end of the run"


def outcomes_are_consistent(run, work, end):
    retries = run.get("scheduler", "retry", default="always")
    period = duration(run.get("scheduler", "period", default="0"))
    for pod in work.pods:
        row, where = pod.row, f"{pod.name}, {pod.outcome},"
        if pod.outcome == "finished" and (pod.start is None or pod.finish is None):
            yield f"{where} has no start or no finish"
        if pod.outcome == "running" and (pod.start is None or pod.finish is not None):
            yield f"{where} has no start, or a finish"
        if pod.outcome in ("finished", "running") and (not row["node"] or row["wait_s"] == ""):
            yield f"{where} has no node or no wait"
        if pod.outcome in ("waiting", "dropped", "rejected") and pod.finish is not None:
            yield f"{where} has a finish"
        if pod.outcome in ("dropped", "rejected") and (pod.start is not None or row["node"]):
            yield f"{where} has a start or a node"
        together = work.groups[pod.group].members if pod.group else [pod]
        entered = max([pod.submit] + [s.end for p in together for s in p.stints if s.cause])
        tried = next_cycle(entered, period) < end
        if pod.outcome == "waiting" and retries == "never" and tried:
            yield f"{where} though nobody waits with retry: never"
        if pod.outcome in ("dropped", "rejected") and not row["reason"]:
            yield f"{where} has no reason"
        stops = {STOPPED: jobs_are_stopped(run), TRAINED: "launches" in run.columns("jobs.csv")}
        may_be_stopped = pod.outcome == "finished" and stops.get(row["reason"], False)
        if pod.outcome in ("finished", "running") and row["reason"] and not may_be_stopped:
            yield f"{where} has the reason {row['reason']}"


def given_up_in_time(run, work):
    """A single pod is dropped exactly at the interruption by a failure that onFailure states."""
    rule = run.get("scheduler", "onFailure", default=None)
    most = int(rule.get("giveUpAfter", 10000)) if isinstance(rule, dict) else 10000
    for pod in work.pods:
        failed = sum(s.cause == "node-failed" for s in pod.stints)
        if failed > most or (not pod.group and given_up(pod) != (failed == most)):
            yield f"{pod.name}, {pod.outcome}, was interrupted {failed} times of {most}"


def drops_are_in_time(run, replication, work):
    """With retry, no job is dropped in the first cycle after it began to wait; a job that failures interrupted as often
    as onFailure states is dropped at once. If Kueue gives a job up, no other table states when, but it must be after
    the job came."""
    period = duration(run.get("scheduler", "period", default="0"))
    never = run.get("scheduler", "retry", default="always") == "never"
    by_kueue = run.get("scheduler", "kueue", default=None) is not None
    dropped = run.dropped(replication)
    if run.jobs is None or "dropped_s" not in run.columns("jobs.csv"):
        return
    for pod in work.pods:
        name = pod.group or pod.name
        together = work.groups[pod.group].members if pod.group else [pod]
        entered = max([pod.submit] + [s.end for p in together for s in p.stints if s.cause])
        expected = next_cycle(entered, period) if never and not given_up(pod) else entered
        at = dropped.get(name)
        if (at is not None) != all(one.outcome == "dropped" for one in together):
            yield f"{name}: dropped_s is {at}, its pods are {sorted({one.outcome for one in together})}"
        elif at is not None and (at < entered if by_kueue else at != expected):
            yield f"{name}: dropped_s is {at} ns, it came to wait at {entered} ns"


def waits_are_right(work):
    for pod in work.pods:
        if pod.outcome not in ("finished", "running") or pod.group:
            continue
        expected = pod.start - pod.submit - pod.ran_before()
        if nanoseconds(pod.row["wait_s"]) != expected:
            yield f"{pod.name}: wait_s is {pod.row['wait_s']}, its times say {expected / 1e9}"
    for pod in work.pods:
        if pod.outcome == "finished":
            if nanoseconds(pod.row["jct_s"]) != pod.finish - pod.submit:
                yield f"{pod.name}: jct_s is {pod.row['jct_s']}, not finish less submit"


def evictions_are_counted(run, work):
    if run.evictions is None:
        return
    for name in work.unknown_evictions:
        yield f"evictions.csv names {name}, which pods.csv does not have"
    columns = {"revoked": "revoked", "preempted": "preempted", "node-failed": "node_failed",
               "drained": "drained"}
    for pod in work.pods:
        counted = Counter(s.cause for s in pod.stints if s.cause)
        for cause, column in columns.items():
            if column in pod.row and int(pod.row[column] or 0) != counted[cause]:
                yield (f"{pod.name}: {column} is {pod.row[column]}, "
                       f"evictions.csv has {counted[cause]}")
        if "lost_s" in pod.row and nanoseconds(pod.row["lost_s"]) != pod.lost():
            yield f"{pod.name}: lost_s is {pod.row['lost_s']}, evictions.csv has {pod.lost() / 1e9}"
    share = float(run.get("scheduler", "lostWork", default=1))
    for pod in work.pods:
        for s in pod.stints:
            if not s.cause or not s.factor:
                continue
            if s.told is not None and s.lost != s.to_lose:
                yield f"{pod.name} lost {s.lost} ns, and {s.to_lose} ns were not written"
            elif s.told is None and abs(s.lost - share * s.done()) > 1:
                yield f"{pod.name} lost {s.lost} ns of {s.end - s.start} at lostWork {share}"


def servers_hold_what_they_have(run, cluster, work, end, with_background):
    """No server exceeds its capacity at any moment, and no pod is on a server that is down."""
    steps = defaultdict(list)
    for pod in work.pods:
        for stint in pod.stints:
            if stint.node not in cluster.index:
                yield f"{pod.name} is on {stint.node!r}, which is no server"
                return
            steps[cluster.index[stint.node]].append((stint.start, 1, pod))
            if stint.end is not None:
                steps[cluster.index[stint.node]].append((stint.end, 0, pod))
    for server, changes in steps.items():
        used = {r: cluster.background[r][server] if with_background else 0
                for r in cluster.resources}
        most = {r: max(used[r], cluster.capacity[r][server]) for r in cluster.resources}
        for at, takes, pod in sorted(changes, key=lambda c: c[:2]):
            for r, amount in pod.demand.items() if pod.use_is_told else ():
                if r not in used:
                    if amount:
                        yield f"{pod.name} has a place and asks for {r}, which no server has"
                    continue
                used[r] += amount if takes else -amount
                if takes and amount and used[r] > cluster.capacity[r][server]:
                    yield (f"{cluster.names[server]} has {used[r] / 1000} {r} in use "
                           f"at {at / 1e9} s, and {most[r] / 1000} in all")
                    return
        if cluster.changes:
            up = cluster.up_intervals(server, end)
            for pod in {c[2].name: c[2] for c in changes}.values():
                for stint in pod.stints:
                    until = stint.end if stint.end is not None else end
                    if cluster.index[stint.node] == server and not any(
                            a <= stint.start and until <= b for a, b in up):
                        yield f"{pod.name} runs on {stint.node} while that is down"


def gangs_start_together(work, workload):
    for group in work.groups.values():
        members = [p for p in group.members if p.last()]
        if work.pods is None or not group.members:
            continue
        known = workload.of(group.name)
        if group.start is None:
            stayed = [p for p in members if not p.last().cut]  # those that did not leave when the group shrank
            if stayed:
                yield f"{group.name} never started, and its member {stayed[0].name} did"
            continue
        together = [p for p in members if p.last().start == group.start]
        early = [p for p in members if p.last().start < group.start
                 and (p.finish is None or p.finish > group.start)]  # except those that left before
        if early:
            yield f"{early[0].name} started before its group {group.name}"
        running = group.row["finish_s"] != "" or members
        if known and known.min_available and running and not known.resizes:
            if len(together) < known.min_available:
                yield (f"{group.name} started with {len(together)} members, "
                       f"below its minAvailable {known.min_available}")
            if len(together) > known.size:
                yield f"{group.name} started with {len(together)} of {known.size} members"
        if known and not known.resizes and len(members) != len(together):
            yield f"{group.name} was not resized, and members joined later"


def constraints_hold(work, workload, shapes, levels):
    """Hard constraints hold at the start of every group; `satisfied` says whether all constraints do."""
    for name, shape in shapes.items():
        known, row = workload.of(name), work.groups[name].row
        if not known or known.constraints is None:
            continue
        holds = {i: constraint_holds(c, shape, levels.index(c["level"]) + 1)
                 for i, c in enumerate(known.constraints)}
        for i, constraint in enumerate(known.constraints):
            if is_hard(constraint) and not holds[i]:
                yield f"{name} breaks its hard {constraint['affinity']} at {constraint['level']}"
        if (row["satisfied"] == "true") != all(holds.values()):
            yield f"{name}: satisfied is {row['satisfied']}, its places say {holds}"


def shapes_are_right(work, shapes, levels):
    for name, shape in shapes.items():
        row = work.groups[name].row
        for depth, level in enumerate(levels, 1):
            expected = (shape.used(depth), min(shape.counts(depth)), max(shape.counts(depth)))
            columns = tuple(int(row[f"{level}_{c}"]) for c in ("used", "min", "max"))
            if columns != expected:
                yield f"{name}: {level}_used, _min, _max are {columns}, its members say {expected}"
        if abs(float(row["mean_distance"]) - float(shape.mean_distance)) > 1e-9:
            yield f"{name}: mean_distance is {row['mean_distance']}, not {shape.mean_distance}"


def starts_of(group):
    return {stint.start for member in group.members for stint in member.stints}


def durations_are_right(work, workload):
    """Finish minus start is the lifetime times the factor, if the experiment states both."""
    for pod in work.pods:
        known = workload.of(pod.group or pod.name)
        if not known or known.lifetime is None or known.resizes or pod.outcome != "finished":
            continue
        if any(stint.factor is None for stint in pod.stints):
            continue
        if pod.group and {s.start for s in pod.stints} != starts_of(work.groups[pod.group]):
            continue  # it had no place while the group did some of the work
        worked = work_of(pod)
        if pod.row["reason"] == STOPPED and worked < known.lifetime:
            continue
        if worked != known.lifetime:
            yield f"{pod.name} worked for {worked / 1e9} s, not {known.lifetime / 1e9}"


def first_come_first_served(run, work):
    """Under fcfs without quotas, no job starts while an earlier one waits."""
    sort = run.get("scheduler", "profile", "queueSort", default="fifo")
    sort = sort.get("name") if isinstance(sort, dict) else sort
    limited = run.get("quotas") and run.get("scheduler", "profile", "preFilter") != []
    if sort != "fcfs" or limited:
        return
    if any(row["cause"] == "drained" for row in work.evictions):
        return  # drained jobs come before all that came after their first submission
    # Jobs that lose their places at one instant begin to wait in the order of evictions.csv, before those submitted at
    # that instant.
    places = {(row["pod"], nanoseconds(row["time_s"])): number
              for number, row in enumerate(work.evictions)}
    entries = []  # (entered the queue, order within the instant, left it, name, began to wait)
    seen = set()
    for pod in work.pods:
        if pod.group in seen or pod.outcome == "rejected":
            continue
        if pod.group:
            seen.add(pod.group)
            group = work.groups[pod.group]
            waiter = max(group.members, key=lambda m: len(m.stints))
        else:
            waiter = pod
        entered = pod.submit
        key = (entered, len(places))
        for stint in waiter.stints:
            entries.append((*key, stint.start, pod.name, entered))
            entered = stint.end
            if stint.cause != "node-failed" or not keeps_place(run):
                key = (entered, places.get((waiter.name, entered), len(places)))
        if pod.outcome == "waiting":
            entries.append((*key, None, pod.name, entered))
    entries.sort(key=lambda e: e[:2])
    yield from (out_of_turn(entries, run) if keeps_place(run) else out_of_order(entries))


def on_failure(run):
    rule = run.get("scheduler", "onFailure", default="requeue-last")
    return rule["name"] if isinstance(rule, dict) else rule


def keeps_place(run):
    return on_failure(run) != "requeue-last"


def out_of_turn(entries, run):
    """The same check if jobs return to their former position: a starting job must be the first of those that wait then,
    except for groups that continue at the instant of their interruption by a failure."""
    goes_on = on_failure(run) in ("shrink", "replace")
    for i, (_, _, left, name, entered) in enumerate(entries):
        if left is None or (goes_on and left == entered):
            continue
        for _, _, until, before, since in entries[:i]:
            if since <= left and (until is None or until > left):
                yield f"{name} starts before {before}, which has its place before it"
                return


def out_of_order(entries):
    latest, holder = 0, None
    for _, _, left, name, _ in entries:
        if left is not None and left < latest:
            yield f"{name} starts before {holder}, which came to wait before it"
            return
        if left is None:
            latest, holder = 2**63, name
        elif left > latest:
            latest, holder = left, name


def cycles_are_periodic(run, work):
    period = duration(run.get("scheduler", "period", default="0"))
    if period == 0:
        return
    for pod in work.pods:
        late_join = pod.group and pod.stints and (
            pod.stints[0].start == pod.submit != work.groups[pod.group].submit
            or (pod.start is not None and pod.start != work.groups[pod.group].start))
        if pod.stints and not late_join and pod.stints[0].start % period != 0:
            running = pod.stints[0].start == 0
            if not running:
                yield f"{pod.name} starts at {pod.stints[0].start} ns, between two cycles"
