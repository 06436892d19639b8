"""Rounds and leases (site A), computed plainly: sections 2 and 3, and the replay of a recorded schedule."""

from plain_fractions import View, policy_of
from plain_training import FOREVER, MILLION, SECOND

RESET_AFTER = 1000 * SECOND  # least time between two resets of what jobs have received


class Rounds:
    """What policies and replays share: launches, ends of leases, lengths of rounds."""

    def __init__(self, jobs, gpus, rounds):
        self.jobs = sorted(jobs, key=lambda job: job.submit)  # stable: equal times keep the order of the file
        self.gpus = gpus
        self.round_length, self.look_ahead = rounds["round"], rounds.get("lookAhead", rounds["round"] // 2)
        self.start, self.launch_time = rounds.get("start", 0), rounds.get("launch", 0)
        self.per_ended_lease = rounds.get("perEndedLease", 0)
        self.arriving = list(self.jobs)
        self.active = []
        self.workers = {}    # of the round: job name -> GPUs
        self.schedule = []   # workers of every round
        self.rounds = []     # (start, ended leases, launches) of rounds in which a job has GPUs

    def run(self):
        now = self.start
        self.run_until(now)
        self.begin(self.decide(now, {}))
        while self.arriving or self.active:
            launches = self.launch(now)
            self.run_until(now + self.look_ahead)
            following = self.decide(now + self.look_ahead, self.workers)
            self.run_until(now + self.round_length)
            ended = self.end_leases(now + self.round_length, following)
            if self.workers:
                self.rounds.append((now, ended, launches))
            now += self.round_length + self.counted(ended) * self.per_ended_lease
            self.run_until(now)
            self.begin(following)

    def begin(self, workers):
        self.workers = workers
        self.schedule.append(workers)

    def launch(self, now):
        launches = 0
        for job in self.active:
            if job.name in self.workers and not job.runs:
                job.launch(now, self.launch_time)
                launches += 1
        return launches

    def end_leases(self, now, following):
        """Stops what does not go on with the same GPUs. Returns how many these are."""
        ended = 0
        for job in self.active:
            if job.runs and following.get(job.name) != self.workers[job.name]:
                self.stop_counting(job, now)
                job.stop(now)
                ended += 1
        return ended

    def run_until(self, until):
        """Ends of processes and arrivals up to an instant; those of one instant together."""
        while True:
            now = min([job.own_end()[0] for job in self.active] + [job.submit for job in self.arriving[:1]],
                      default=FOREVER)
            if now > until:
                return
            for job in list(self.active):
                end, why = job.own_end()
                if end == now:
                    self.stop_counting(job, now)
                    job.end_by_itself(now, why)
                    if job.finish is not None:
                        self.active.remove(job)
            while self.arriving and self.arriving[0].submit <= now:
                self.arrive(self.arriving.pop(0))
            self.changed(now)

    # What policies and replays change.

    def counted(self, ended):
        """The number of ended leases that lengthen the round."""
        return ended

    def arrive(self, job):
        self.active.append(job)

    def changed(self, now):
        pass

    def stop_counting(self, job, now):
        pass


class PolicyRounds(Rounds):
    def __init__(self, jobs, gpus, rounds):
        super().__init__(jobs, gpus, rounds)
        self.policy = policy_of(rounds["policy"], gpus)
        self.fractions = {}
        self.fractions_changed = False
        self.last_reset = None
        self.received, self.deficit = {}, {}  # ns; s

    def arrive(self, job):
        super().arrive(job)
        self.received[job.name], self.deficit[job.name] = 0, 0.0

    def changed(self, now):
        if self.active:
            views = [View(job, (now - job.submit) / SECOND, job.remaining(now) / MILLION, job.table_speed() / MILLION)
                     for job in self.active]
            self.fractions = self.policy(views, self.gpus)
        self.fractions_changed = True

    def stop_counting(self, job, now):
        """A process ends: all its time counts as received, also its launch and what came before the last reset."""
        self.received[job.name] += job.runs_for(now)

    def decide(self, now, before):
        if self.fractions_changed and (self.last_reset is None or now - self.last_reset >= RESET_AFTER):
            self.reset(now)
        keys = {job.name: self.key(job, now) for job in self.active}
        chosen, free = [], self.gpus
        for job in sorted(self.active, key=lambda job: keys[job.name], reverse=True):
            if job.gpus <= free:
                free -= job.gpus
                chosen.append(job)
        return place(chosen, before, set(range(self.gpus)))

    def reset(self, now):
        elapsed = now - (self.last_reset or 0)
        for job in self.active:
            owed = self.fractions[job.name] * (elapsed / SECOND)
            self.deficit[job.name] += owed - self.received[job.name] / SECOND
            self.received[job.name] = 0
        self.last_reset, self.fractions_changed = now, False

    def key(self, job, now):
        time = self.look_ahead + self.received[job.name]
        if job.runs:
            time += now - max(job.launched, self.last_reset)
        fraction = self.fractions[job.name]
        return fraction / (time / SECOND), self.deficit[job.name], fraction


class Replay(Rounds):
    def __init__(self, jobs, gpus, rounds, rows):
        super().__init__(jobs, gpus, rounds)
        self.rows = rows    # (job name, first round, last round, workers)
        self.last = {}      # last recorded round of each job
        for name, _, last, _ in rows:
            self.last[name] = max(self.last.get(name, -1), last)

    def decide(self, now, before):
        """The recorded round; a job whose rows are over goes on where it was, or on the lowest GPUs left free."""
        number = len(self.schedule)
        active = {job.name for job in self.active}
        workers = {name: gpus for name, first, last, gpus in self.rows if first <= number <= last and name in active}
        free = set(range(self.gpus))
        for gpus in workers.values():
            free.difference_update(gpus)
        over = [job for job in self.active if self.last.get(job.name, -1) < number]
        return {**workers, **place(over, before, free)}

    def counted(self, ended):
        """The record says how many leases ended: rows that end with this round, of jobs with a later row."""
        number = len(self.schedule) - 1
        return sum(last == number < self.last[name] for name, _, last, _ in self.rows)


def place(chosen, before, free):
    """GPUs of the chosen jobs: large jobs first; in a size first those whose GPUs are all free, then the lowest."""
    workers = {}
    for size in sorted({job.gpus for job in chosen}, reverse=True):
        of_size = [job for job in chosen if job.gpus == size]
        for job in of_size:
            if job.name in before and free.issuperset(before[job.name]):
                workers[job.name] = before[job.name]
                free.difference_update(before[job.name])
        for job in of_size:
            if job.name not in workers and len(free) >= size:
                workers[job.name] = tuple(sorted(free)[:size])
                free.difference_update(workers[job.name])
    return workers
