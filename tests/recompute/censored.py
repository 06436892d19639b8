"""Times that had not ended: docs/reference/metrics.md, section What had not ended."""

from collections import defaultdict
from fractions import Fraction


class Sample:
    """Times that ended, and times that had lasted this long when the run ended. Each time has a weight; jobs or pods
    that never started are counted too, among all that a statistic is about."""

    def __init__(self):
        self.ended, self.open = defaultdict(int), defaultdict(int)
        self.about = self.never_started = 0

    def add(self, value, has_ended, weight=1):
        (self.ended if has_ended else self.open)[value] += weight

    def count(self, started, weight=1):
        self.about += weight
        self.never_started += 0 if started else weight

    def everything(self):
        result = defaultdict(int, self.ended)
        for value, weight in self.open.items():
            result[value] += weight
        return result

    def percentile(self, per_cent):
        """The value and None; if the percentile was not reached, None and a lower bound."""
        everything = self.everything()
        if not everything:
            return None, None
        bound = nearest_rank_of(everything, per_cent)
        if not self.open:
            return bound, None
        value = product_limit(self.ended, everything, per_cent)
        return value, bound if value is None else None

    def share_above(self, limit):
        """The share of times above a limit, and None; if nothing is known of those, None and 0."""
        everything = self.everything()
        if not everything:
            return None, None
        survives, reached = Fraction(1), sum(everything.values())
        for at in sorted(at for at in everything if at <= limit):
            survives *= 1 - Fraction(self.ended.get(at, 0), reached)
            reached -= everything[at]
        return (None, 0) if reached == 0 and max(everything) in self.open else (survives, None)

    def mean(self):
        value = mean_of(self.ended)
        return value, mean_of(self.everything()) if self.open else None


def mean_of(weights):
    count = sum(weights.values())
    return Fraction(sum(v * w for v, w in weights.items()), count) if count else None


def nearest_rank_of(weights, per_cent):
    rank = max(1, -(-per_cent * sum(weights.values()) // 100))
    for value in sorted(weights):
        rank -= weights[value]
        if rank <= 0:
            return value
    raise ValueError("no values")


def product_limit(ended, everything, per_cent):
    """The least time that at most the remaining share survives, by Kaplan and Meier; None if it is not reached."""
    survives, reached = 1.0, sum(everything.values())
    for at in sorted(everything):
        if ended.get(at):
            survives *= 1 - ended[at] / reached
            if survives <= 1 - per_cent / 100 + 1e-12:
                return at
        reached -= everything[at]
    return None
