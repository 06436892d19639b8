"""Judges a run against the measured one: errors in percent, relative to the real run."""

from dataclasses import dataclass

EARLY_ROUNDS = 60  # agreement is measured over these; later, one early difference has moved everything


@dataclass
class Verdict:
    makespan: float   # signed
    mean: float       # of completion times, signed
    median: float     # of the jobs' own errors, without sign
    decile: float     # ninth
    errors: list      # of each job, signed, in order of size
    launches: float = 0
    agreement: float = None  # share of the real (round, job) pairs of early rounds


def judge(times, real, arrivals):
    """times, real: job -> time from arrival to end. The makespan is the last end, whatever a summary says."""
    def makespan(of):
        return max(arrivals[job] + of[job] for job in real)

    def mean(of):
        return sum(of[job] for job in real) / len(real)

    errors = sorted(100 * (times[job] / real[job] - 1) for job in real)
    sizes = sorted(abs(error) for error in errors)
    return Verdict(100 * (makespan(times) / makespan(real) - 1), 100 * (mean(times) / mean(real) - 1),
                   quantile(sizes, 0.5), quantile(sizes, 0.9), errors)


def quantile(values, share):
    """The quantile of sorted values, linear between neighbours."""
    place = share * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (place - low) * (values[high] - values[low])


def pairs(schedule):
    return {(number, job) for job, first, last, _ in schedule
            for number in range(first, min(last, EARLY_ROUNDS - 1) + 1)}


def agreement(schedule, real):
    """The share of the real pairs of a round and a job that a schedule has too."""
    return len(pairs(schedule) & pairs(real)) / len(pairs(real))


def mean_of(verdicts):
    """The mean over runs that differ only in their start; errors of jobs are those of the middle one."""
    count = len(verdicts)
    return Verdict(
        *(sum(getattr(verdict, name) for verdict in verdicts) / count for name in ("makespan", "mean", "median",
                                                                                   "decile")),
        verdicts[count // 2].errors, sum(verdict.launches for verdict in verdicts) / count,
        None if verdicts[0].agreement is None else sum(verdict.agreement for verdict in verdicts) / count)


def mean_sizes(verdicts):
    """Means of absolute errors over runs: makespan, mean, median job."""
    return [sum(abs(getattr(verdict, name)) for verdict in verdicts) / len(verdicts)
            for name in ("makespan", "mean", "median")]
