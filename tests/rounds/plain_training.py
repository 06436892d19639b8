"""A training job, computed plainly: steps, speeds, batch sizes that grow, and the script's epochs (section 1).

Steps are integers in millionths of a step, speeds integers in millionths of a step a second, times integers in
nanoseconds. Nothing here knows of schedulers.
"""

MILLION = 10**6
SECOND = 10**9
FOREVER = 10**30


def up(numerator, denominator):
    """The quotient of two integers, rounded up."""
    return -(-numerator // denominator)


class Training:
    def __init__(self, name, submit, gpus, model, batch, steps, speeds, samples=None, plan=(), limit=None):
        self.name, self.submit, self.gpus, self.model, self.batch = name, submit, gpus, model, batch
        self.total = steps * MILLION
        self.speeds = speeds    # (model, batch size, GPUs) -> speed, or the job's own speed
        self.samples = samples  # of a pass over the data; None: no passes
        self.plan = plan        # (batch size, epoch of the script it begins with), by epoch, the first size left out
        self.limit = limit      # longest time of training, or None
        self.done = 0
        self.epoch = 0          # the script's
        self.ran = 0            # time of ended processes, that of their launches included
        self.trained = 0        # the same without their launches
        self.finish = None
        self.launches = 0
        # The running process: when it was launched, when it trains from, and how fast. None: there is none.
        self.launched = None
        self.since = None
        self.speed = None

    def table_speed(self):
        if isinstance(self.speeds, int):
            return self.speeds
        return self.speeds[self.model, self.batch, self.gpus]

    def pass_steps(self, batch):
        """Steps of a pass over the data, in millionths."""
        return up(self.samples, batch) * MILLION

    # The running process.

    @property
    def runs(self):
        return self.launched is not None

    def launch(self, now, takes):
        self.launched, self.since, self.speed = now, now + takes, self.table_speed()
        self.launches += 1

    def runs_for(self, now):
        """Time since the launch of the running process."""
        return now - self.launched if self.runs else 0

    def progress(self, now):
        """Steps that the running process has made by now."""
        return self.speed * max(now - self.since, 0) // SECOND if self.runs else 0

    def remaining(self, now):
        return self.total - self.done - self.progress(now)

    def passes_until_change(self):
        """Whole passes of the running process after which the script takes another batch size, or None."""
        for batch, begin in self.plan:
            if begin > self.epoch and batch != self.batch:
                return begin - self.epoch
        return None

    def own_end(self):
        """When the running process ends by itself, and why; at one instant finish before limit before change."""
        if not self.runs:
            return FOREVER, ""
        ends = [(self.time_of(self.total - self.done), "finish")]
        if self.limit is not None:
            ends.append((self.since + max(self.limit - self.trained, 0), "limit"))
        passes = self.passes_until_change()
        if passes is not None:
            ends.append((self.time_of(passes * self.pass_steps(self.batch)), "change"))
        return min(ends, key=lambda end: end[0])

    def time_of(self, steps):
        """When the running process has made so many steps."""
        return self.since + up(steps * SECOND, self.speed)

    def end_by_itself(self, now, why):
        if why == "change":
            passes = self.passes_until_change()
            self.end_process(now, passes * self.pass_steps(self.batch))
            self.change_batch(next(batch for batch, begin in self.plan if begin == self.epoch))
        else:
            self.stop(now)
        if why != "change" or self.done >= self.total:
            self.finish = now

    def stop(self, now):
        self.end_process(now, self.progress(now))

    def end_process(self, now, made):
        """What it made counts as progress; the script counts whole passes only, and begins the last one again."""
        self.ran += self.runs_for(now)
        self.trained += max(now - self.since, 0)
        self.done += made
        if self.samples is not None:
            self.epoch += made // self.pass_steps(self.batch)
        self.launched = None

    def change_batch(self, batch):
        before, after = self.pass_steps(self.batch), self.pass_steps(batch)
        epochs = up(self.total, before)
        total = up(self.total * self.batch, batch * MILLION) * MILLION
        if up(total, after) != epochs:
            total = epochs * after
        self.done = up(self.done, before) * after
        self.total, self.batch = total, batch
