"""Fractions of time by policy (site A), computed plainly: section 4."""

from plain_assignment import assign
from plain_fairness import Fairness


class View:
    """What a policy sees of an active job."""

    def __init__(self, job, age, remaining, speed):
        self.job, self.name, self.gpus = job, job.name, job.gpus
        self.age, self.remaining, self.speed = age, remaining, speed  # s, steps, steps/s


def gandiva_fair(views, gpus):
    return {view.name: min(1.0, gpus / len(views)) for view in views}


def max_min(views, gpus):
    if len(views) < gpus:
        return {view.name: 1.0 for view in views}
    return {view.name: min(1.0, gpus / len(views) / view.gpus) for view in views}


def most_steps(views, gpus):
    fractions, free = {}, float(gpus)
    for view in sorted(views, key=lambda view: view.speed / view.gpus, reverse=True):
        fraction = min(1.0, free / view.gpus)
        fractions[view.name] = fraction
        free -= fraction * view.gpus
    return fractions


class AlloX:
    """Keeps what it gave: a whole GPU until the job ends, a part of one until it is planned again."""

    def __init__(self):
        self.given = {}

    def fractions(self, views, gpus):
        given = {view.name: self.given.get(view.name, 0.0) for view in views}
        open_jobs = [view for view in views if given[view.name] != 1.0]
        workers = gpus - (len(views) - len(open_jobs))
        open_jobs.sort(key=lambda view: view.age, reverse=True)
        open_jobs = open_jobs[:max(len(open_jobs) // 5, workers)]
        if workers > 0 and open_jobs:
            for view in self.first_of_each(open_jobs, workers):
                given[view.name] = 1.0 / view.gpus
        self.given = given
        return given

    def first_of_each(self, views, workers):
        """The job that each worker runs first: the one at the highest position from the end."""
        costs = []
        for view in views:
            work = view.remaining / view.speed
            costs.append([position * work + view.age for position in range(1, len(views) + 1)
                          for _ in range(workers)])
        first = {}
        for view, column in zip(views, assign(costs)):
            worker, position = column % workers, column // workers
            if worker not in first or position > first[worker][0]:
                first[worker] = (position, view)
        return [view for _, view in first.values()]


class Themis:
    def __init__(self, gpus):
        self.fairness = Fairness(gpus)

    def fractions(self, views, gpus):
        share = gpus / len(views)
        return self.fairness.fractions([(view.job, view.age, view.remaining, view.speed,
                                         view.speed * min(1.0, share / view.gpus)) for view in views])


def policy_of(name, gpus):
    """A function of (views in order of job number, GPUs) that gives fractions by name."""
    if name == "allox":
        return AlloX().fractions
    if name == "themis":
        return Themis(gpus).fractions
    return {"gandiva-fair": gandiva_fair, "max-min": max_min, "mst": most_steps}[name]
