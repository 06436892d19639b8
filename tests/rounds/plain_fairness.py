"""Themis' fractions, computed plainly: bisection on the largest quotient of finish times, shared by alone."""

HALVINGS = 60


class Fairness:
    def __init__(self, gpus):
        self.gpus = gpus
        self.alone = {}     # time that a job would have needed alone for what it has done
        self.before = {}    # remaining steps and speed alone at the last computation

    def fractions(self, views):
        """Fractions by name. views: (job, age in s, remaining steps, steps/s, steps/s alone), in the order of sums."""
        tasks = []
        for job, age, remaining, speed, alone_speed in views:
            if job.name in self.before:
                steps, speed_then = self.before[job.name]
                self.alone[job.name] += max(steps - remaining, 0.0) / speed_then
            else:
                self.alone[job.name] = 0.0
            self.before[job.name] = (remaining, alone_speed)
            tasks.append((job, age, remaining / speed, self.alone[job.name] + remaining / alone_speed))
        low, high = 0.0, 1.0
        while self.shares(tasks, high) is None:
            low, high = high, high * 2.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2.0
            if self.shares(tasks, middle) is None:
                low = middle
            else:
                high = middle
        return self.spread(tasks, self.shares(tasks, high))

    def shares(self, tasks, quotient):
        """The least fractions that keep every job's quotient, or None if there are none."""
        shares, used = [], 0.0
        for job, age, work, alone in tasks:
            left = quotient * alone - age
            if left <= 0.0 or work > left:
                return None
            share = work / left
            shares.append(share)
            used += share * job.gpus
            if used > self.gpus:
                return None
        return shares

    def spread(self, tasks, shares):
        """Multiplies the fractions by one factor until all GPUs are given out; a fraction stops at 1."""
        whole = set()
        while True:
            free, weight = self.gpus, 0.0
            for place, ((job, *_), share) in enumerate(zip(tasks, shares)):
                if place in whole:
                    free -= job.gpus
                else:
                    weight += share * job.gpus
            if len(whole) == len(tasks):
                break
            factor = free / weight
            grown = {place for place, share in enumerate(shares) if place not in whole and share * factor >= 1.0}
            if not grown:
                break
            whole |= grown
        return {job.name: 1.0 if place in whole else shares[place] * factor
                for place, (job, *_) in enumerate(tasks)}
