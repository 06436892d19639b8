"""What jobs spent the time at their places on, from jobs.csv, pods.csv and evictions.csv: docs/reference/experiment.md,
section checkpoints, and docs/reference/metrics.md, section GPU time."""

from fractions import Fraction
from math import ceil

from run_files import nanoseconds
from run_time_factors import job_of
from work import runs_of

COLUMNS = ("redone", "checkpoint", "restart", "hung")


def half_up(value):
    """The nearest whole number, rounding halves up, as run times are rounded."""
    return int(Fraction(value) + Fraction(1, 2))


class Terms:
    """The checkpoint of a job, from its row of jobs.csv; `every` is None if the job has none."""

    def __init__(self, row):
        self.every = nanoseconds(row.get("checkpoint_every_s", ""))
        self.takes = nanoseconds(row.get("checkpoint_takes_s", ""))
        self.stall = nanoseconds(row.get("checkpoint_stall_s", ""))
        self.restart = nanoseconds(row.get("checkpoint_restart_s", ""))
        if self.every is None and self.restart is not None:
            self.every = 2**63 - 1  # it writes none, but restarts


class Spent:
    """The uses of a time that begins with a restart; a job without checkpoints works all the time."""

    def __init__(self, terms, restart, time, factor, nearest=False):
        whole = round if nearest else int
        self.restarting = min(restart, time)
        left = time - self.restarting
        if terms.every is None:
            self.working, self.writing, self.work = left, 0, whole(left / factor)
            self.unwritten, self.unwritten_in, self.begun = self.work, left, 0
            self.beside_write = 0
            return
        interval = ceil(terms.every * factor)
        writes, rest = divmod(left, interval + terms.stall)
        self.unwritten_in = min(rest, interval)
        self.begun = rest - self.unwritten_in  # time spent on a write that is not complete
        self.unwritten = min(whole(self.unwritten_in / factor), terms.every)
        self.working = writes * interval + self.unwritten_in
        self.writing = writes * terms.stall + self.begun
        self.work = writes * terms.every + self.unwritten
        # The write that began at the last stall continues, and has not yet saved what came before it.
        beside = writes > 0 and rest < terms.takes - terms.stall
        self.beside_write = interval if beside else 0
        self.unwritten += terms.every if beside else 0


class Run:
    """A job's time from one of its starts on."""

    def __init__(self, terms, start, restart, factor):
        self.terms, self.start, self.restart, self.factor = terms, start, restart, factor

    def spent(self, at, nearest=False):
        return Spent(self.terms, self.restart, max(at - self.start, 0), self.factor, nearest)

    def work(self, stint, end):
        """The work of a member: rounded down if the stint ended early, else to the nearest."""
        early = stint.cause or stint.cut or stint.end is None
        until = stint.end_of_work(end)
        begin = stint.start if stint.hung is None else min(stint.start, stint.hung)
        return self.spent(until, not early).work - self.spent(begin).work

    def without_gain(self, stint, end, begin, to):
        """Times of a member between two instants: redone, checkpoint, restart, hung."""
        until = stint.end_of_work(end)
        hung_to = min(end if stint.end is None else stint.end, to)
        last = self.spent(until if stint.hung is None else min(until, stint.hung))
        redone_to, redone, earlier = until, 0, 0
        if stint.cause and self.terms.every is not None:
            redone_to, redone = until - last.begun, last.unwritten_in
            stopped = redone_to - redone - self.terms.stall
            earlier = min(stopped, to) - max(stopped - last.beside_write, stint.start, begin)
        elif stint.cause:
            redone = min(half_up(stint.lost * self.factor), until - stint.start)
        redone_from = max(redone_to - redone, stint.start)
        a, b = max(stint.start, begin), min(until, to)
        before, after = self.spent(a), self.spent(max(a, b))
        return (max(min(redone_to, to) - max(redone_from, begin), 0) + max(earlier, 0),
                after.writing - before.writing, after.restarting - before.restarting,
                max(hung_to - max(until, begin), 0))


def set_hung(stints, runs, cluster, outages):
    """Marks stints as hung: a job does nothing from the time when its first member is on a server that has failed
    without being noticed, until its run ends."""
    for start, end, _ in runs:
        within = [s for s in stints if start <= s.start and (end is None or s.start < end)]
        since = [max(o.begin, s.start) for s in within for o in outages
                 if s.start < o.known and (s.end is None or o.begin < s.end)
                 and o.holds(cluster, cluster.index[s.node])]
        for stint in within if since else []:
            stint.hung = min(since)


class Gains:
    """The run of every stint whose factor is known."""

    def __init__(self, work, rows, cluster, outages):
        self.rows = {row["job"]: row for row in rows}
        self.work = work
        self.has_columns = bool(rows) and "work_s" in rows[0]
        self.terms = {name: Terms(row) for name, row in self.rows.items()}
        stints = {}
        for pod in work.pods:
            stints.setdefault(job_of(pod), []).extend(pod.stints)
        runs = {job: runs_of(some) for job, some in stints.items()}
        self.starts = {job: [start for start, _, _ in some] for job, some in runs.items()}
        unnoticed = [o for o in outages if o.known > o.begin]
        for job, some in stints.items() if unnoticed else []:
            set_hung(some, runs[job], cluster, unnoticed)

    def run_of(self, pod, stint):
        job = job_of(pod)
        starts = self.starts[job]
        start = max((at for at in starts if at <= stint.start), default=stint.start)
        terms = self.terms[job]
        again = starts and start > starts[0] and terms.every is not None
        return Run(terms, start, terms.restart if again else 0, stint.factor)

    def known(self):
        return all(s.factor is not None for pod in self.work.pods for s in pod.stints)

    def set_done(self, end):
        """Sets, for the stints of jobs with checkpoints, the work done in them and the part that an interruption would
        lose."""
        if not self.has_columns:
            return
        for pod in self.work.pods:
            for stint in pod.stints:
                if self.terms[job_of(pod)].every is None or stint.factor is None:
                    continue
                run = self.run_of(pod, stint)
                stint.told = run.work(stint, end)
                stint.to_lose = min(stint.told, run.spent(stint.end_of_work(end)).unwritten)

    def gpu_times(self, gpu, end, begin, to):
        """GPU time (thousandths x ns) by use, between two instants."""
        sums = [0] * len(COLUMNS)
        for pod in self.work.pods:
            amount = pod.demand.get(gpu, 0)
            for stint in pod.stints if amount else []:
                times = self.run_of(pod, stint).without_gain(stint, end, begin, to)
                sums = [s + amount * t for s, t in zip(sums, times)]
        return dict(zip(COLUMNS, sums))


def ettr(rows, end, counts):
    """The mean over jobs of the work that they kept, as a share of the time since their first start."""
    shares = []
    for row in rows:
        first, finish = nanoseconds(row["first_start_s"]), nanoseconds(row["finish_s"])
        if first is None or not counts(nanoseconds(row["submit_s"])):
            continue
        time = (end if finish is None else finish) - first
        if time > 0:
            shares.append(Fraction(nanoseconds(row["work_s"]), time))
    return sum(shares) / len(shares) if shares else None


def columns_are_right(gains, end):
    """Checks work_s, checkpoint_s, restart_s, hung_s and first_start_s of jobs whose members all ran together."""
    members = {}
    for pod in gains.work.pods:
        members.setdefault(job_of(pod), []).append(pod)
    for name, pods in members.items():
        row, starts = gains.rows[name], gains.starts[name]
        if any(s.cut or s.start not in starts for pod in pods for s in pod.stints):
            continue  # the job was resized
        pods = [pod for pod in pods if [s.start for s in pod.stints] == starts]
        if not pods or any(s.factor is None for s in pods[0].stints):
            continue
        found = {"work_s": 0, "checkpoint_s": 0, "restart_s": 0, "hung_s": 0,
                 "first_start_s": starts[0] if starts else None}
        told = {c: nanoseconds(row.get(c, "0")) for c in found}
        for stint in pods[0].stints:
            run = gains.run_of(pods[0], stint)
            spent = run.spent(stint.end_of_work(end))
            found["hung_s"] += (end if stint.end is None else stint.end) - stint.end_of_work(end)
            found["work_s"] += run.work(stint, end) - stint.lost
            found["checkpoint_s"] += spent.writing
            found["restart_s"] += spent.restarting
        if row["outcome"] == "finished" and pods[0].stints and gains.terms[name].every is not None:
            if spent.begun or (spent.unwritten == gains.terms[name].every
                               and not spent.beside_write):
                yield f"{name} finished before its last checkpoint was complete"
        for column, value in found.items():
            if told[column] != value:
                yield f"{name}: {column} is {row[column]}, its runs say {value} ns"
