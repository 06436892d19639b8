"""Nearest ranks, Student's t, Jain's index: the building blocks of metrics."""

import math


def nearest_rank(values, per_cent):
    """The smallest value that at least this percentage of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(1, -(-per_cent * len(ordered) // 100)) - 1]


def jain(shares):
    """Jain's index of fairness; None if all shares are 0."""
    squares = sum(x * x for x in shares)
    return None if squares == 0 else sum(shares) ** 2 / (len(shares) * squares)


def beta_fraction(a, b, x):
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    result = d
    for m in range(1, 1000):
        for numerator in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                          -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1.0 + numerator * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + numerator / c
            c = c if abs(c) > tiny else tiny
            result *= c * d
        if abs(c * d - 1.0) < 1e-16:
            break
    return result


def incomplete_beta(a, b, x):
    """The regularized incomplete beta function I_x(a, b)."""
    if x <= 0.0 or x >= 1.0:
        return min(max(x, 0.0), 1.0)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
                     + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1.0) / (a + b + 2.0):
        return front * beta_fraction(a, b, x) / a
    return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b


def t_quantile_975(degrees):
    """The 97.5 % quantile of Student's t, by halving an interval."""
    if degrees == 1:
        return 12.706204736174707
    low, high = 1.0, 20.0
    for _ in range(200):
        t = (low + high) / 2
        upper_tail = incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t)) / 2
        low, high = (t, high) if upper_tail > 0.025 else (low, t)
    return (low + high) / 2
