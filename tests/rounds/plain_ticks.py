"""Scheduling at ticks (site B), computed plainly: at a tick where anything changed, everything starts from scratch."""

from plain_fairness import Fairness
from plain_training import MILLION, SECOND, up

QUEUE_LIMITS = (3250 * SECOND, 7200 * SECOND)  # attained GPU time at which tiresias moves a job to the next queue


class Ticks:
    def __init__(self, jobs, servers, gpus_of_server, rounds):
        self.jobs = sorted(jobs, key=lambda job: job.submit)  # stable: equal times keep the order of the file
        self.policy, self.tick, self.launch_time = rounds["policy"], rounds["tick"], rounds.get("launch", 0)
        self.servers, self.gpus_of_server = servers, gpus_of_server
        self.order = []     # active jobs in the order that the last decision left
        self.queues = {}    # tiresias: queue of a job
        self.granted = {}   # themis: time that fractions gave a job, in seconds
        self.fairness = Fairness(servers * gpus_of_server)
        self.rounds = []    # (tick of a decision, ended leases, launches)

    def run(self):
        arriving = list(self.jobs)
        now = 0
        while arriving or self.order:
            if not self.order:  # nothing can happen before the next arrival
                now = max(now, up(arriving[0].submit, self.tick) * self.tick)
            changed = self.end_processes(now)
            while arriving and arriving[0].submit <= now:
                self.arrive(arriving.pop(0))
                changed = True
            if self.policy == "tiresias" and self.demote(now):
                changed = True
            if changed and self.order:
                self.decide(now)
            now += self.tick

    def arrive(self, job):
        self.order.append(job)
        self.queues[job.name], self.granted[job.name] = 0, 0.0

    def end_processes(self, now):
        """Processes that ended by themselves since the last tick, each at its own time."""
        ended = [job for job in self.order if job.own_end()[0] <= now]
        for job in ended:
            job.end_by_itself(*job.own_end())
            if job.finish is not None:
                self.order.remove(job)
        return bool(ended)

    def demote(self, now):
        """Moves running jobs to the queue of their attained GPU time; a moved job becomes the last of its queue."""
        moved = []
        for job in self.order:
            if not job.runs:
                continue
            attained = (job.ran + job.runs_for(now)) * job.gpus
            queue = self.queues[job.name]
            while queue < len(QUEUE_LIMITS) and attained >= QUEUE_LIMITS[queue]:
                queue += 1
            if queue != self.queues[job.name]:
                self.queues[job.name] = queue
                moved.append(job)
        self.order = [job for job in self.order if job not in moved] + moved
        return bool(moved)

    def decide(self, now):
        ended = 0
        for job in self.order:
            if job.runs:
                job.stop(now)
                ended += 1
        self.sort(now)
        chosen = self.order
        if self.policy == "themis":  # chosen by fairness, then placed by size
            free = self.empty()
            chosen = sorted([job for job in chosen if self.place(job, free)], key=lambda job: -job.gpus)
        free = self.empty()
        placed = [job for job in chosen if self.place(job, free)]
        for job in placed:
            job.launch(now, self.launch_time)
        if self.policy == "tiresias":
            self.order.sort(key=lambda job: not job.runs)
        self.rounds.append((now, ended, len(placed)))

    def sort(self, now):
        """Puts the active jobs in the order of the policy; equal ones stay as the last decision left them."""
        if self.policy == "srtf":
            self.order.sort(key=lambda job: remaining_time(job, now))
        elif self.policy == "srsf":
            self.order.sort(key=lambda job: remaining_time(job, now) * job.gpus)
        elif self.policy == "tiresias":
            self.order.sort(key=lambda job: self.queues[job.name])
        else:
            self.sort_by_fairness(now)

    def sort_by_fairness(self, now):
        share = up(self.servers * self.gpus_of_server, len(self.order))
        # The last one is a fraction that is taken for a speed: the bug of section 5.3.
        fractions = self.fairness.fractions([
            (job, (now - job.submit) / SECOND, job.remaining(now) / MILLION, job.table_speed() / MILLION,
             min(1.0, share / job.gpus)) for job in self.order])
        keys = {}
        for job in self.order:
            fraction = fractions[job.name]
            turn = fraction * 1e9 if job.launches == 0 else fraction / job.launches
            keys[job.name] = (turn, self.granted[job.name] - job.ran / SECOND, fraction)
            self.granted[job.name] += fraction * (self.tick / SECOND)
        self.order.sort(key=lambda job: keys[job.name], reverse=True)

    # Places.

    def empty(self):
        return [self.gpus_of_server] * self.servers

    def place(self, job, free):
        """Takes the job's GPUs: of the first server with room, or of the first wholly free ones."""
        if job.gpus <= self.gpus_of_server:
            fitting = [server for server, left in enumerate(free) if left >= job.gpus][:1]
            if not fitting:
                return False
            free[fitting[0]] -= job.gpus
            return True
        wanted = job.gpus // self.gpus_of_server
        whole = [server for server, left in enumerate(free) if left == self.gpus_of_server][:wanted]
        if len(whole) < wanted:
            return False
        for server in whole:
            free[server] = 0
        return True


def remaining_time(job, now):
    return up(job.remaining(now) * SECOND, job.table_speed())
