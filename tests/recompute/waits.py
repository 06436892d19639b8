"""The waits of pods, from their times: (from, to, pod), with an open end if the pod waits to the end."""

from work import runs_of


def waits_of(run, replication, work, workload):
    dropped = run.dropped(replication)
    result = []
    as_groups = {name for name, group in work.groups.items()
                 if (workload.of(name) and workload.of(name).resizes)
                 or any(s.cause for m in group.members for s in m.stints)}
    for pod in work.pods:
        if pod.group in as_groups:
            continue
        if pod.outcome == "rejected":
            continue
        entered = pod.submit
        for stint in pod.stints:
            result.append((entered, stint.start, pod))
            entered = stint.end
        if pod.outcome == "waiting":
            result.append((entered, None, pod))
        if pod.outcome == "dropped":
            result.append((entered, end_of_wait(pod, entered, work, dropped), pod))
    for name in sorted(as_groups):
        result += waits_of_group(work.groups[name], workload.of(name), dropped.get(name))
    return [w for w in result if w[1] is None or w[1] > w[0]]


def end_of_wait(pod, entered, work, dropped):
    """When the wait of a dropped pod ended: with its job, or when its group started without it. A job that is given up
    by default, after more interruptions than any job has, is dropped at once, and no column states it."""
    start = work.groups[pod.group].start if pod.group else None
    return start if start is not None else dropped.get(pod.group or pod.name, entered)


def given_up(pod):
    """Whether the pod was dropped at once when a failure interrupted it, without waiting for a cycle."""
    return pod.row["reason"].endswith(" interruptions by failures.")


def waits_of_group(group, known, dropped):
    """A waiting group asks for all its members, as many as its resizes so far imply. A group that starts without some
    members and loses its place asks for these again. `dropped`: when it was dropped."""
    entered, result = group.submit, []
    for begin, end, evicted in runs_of([s for m in group.members for s in m.stints]):
        result += pieces(entered, begin, group, known)
        if not evicted:
            return result
        entered = end
    start = group.start
    outcomes = {member.outcome for member in group.members}
    if start is None and "dropped" in outcomes and "waiting" not in outcomes:
        start = entered if dropped is None else dropped
    result += pieces(entered, start, group, known)
    return result


def accepted_resizes(group, known):
    """All resizes except those refused while the group ran: then no member joined or left, although the group ran with
    another number of members."""
    stints = [s for m in group.members for s in m.stints]
    moved = {s.start for s in stints} | {s.end for s in stints if s.cut}
    for asked, size in known.resizes if known else []:
        # A job that hangs on a failed server asks when it has lost its places.
        at = min((s.end for s in stints if s.hung is not None and s.cause
                  and s.hung <= asked < s.end), default=asked)
        run = sum(s.start < at and (s.end is None or at < s.end or (s.cut and at == s.end))
                  for s in stints)
        if at in moved or run in (0, size):
            yield at, size


def pieces(entered, start, group, known):
    """One wait, cut at the resizes that fall into it."""
    if start is None and any(m.outcome == "running" or (m.outcome == "finished"
                                                        and not m.last().cut)
                             for m in group.members):
        return []
    resizes = list(accepted_resizes(group, known))
    cuts = [at for at, _ in resizes if at > entered and (start is None or at < start)]
    bounds = [entered, *cuts, start]
    result = []
    for begin, end in zip(bounds, bounds[1:]):
        size = known.size if known and known.size else len(group.members)
        for at, to in resizes:
            size = to if at <= begin else size
        result += [(begin, end, group.members[0])] * size
    return result
