"""Long-run values of M/M/n, first come, first served, which runs approach as they grow longer.

There are n servers at a load of 0.8, with a mean service of 80 s. P(wait > t) = C exp(-r t), where C is Erlang's
formula and r is the rate at which n busy servers gain on the arrivals; wait and service are independent.
"""
import math

MEAN_SERVICE_S = 80
LOAD = 0.8
SHORTEST_COUNTED_S = 10  # bounded slowdown treats shorter services as this long
PERCENTS = (50, 95, 99)
STEPS = 4_000


def waiting_share(servers):
    """Erlang's C: the share of jobs that have to wait."""
    load = LOAD * servers
    last = load ** servers / math.factorial(servers) / (1 - LOAD)
    return last / (sum(load ** k / math.factorial(k) for k in range(servers)) + last)


def over_services(function, begin, end):
    """The integral of a function of the service time, weighted by its density, by Simpson's rule."""
    width = (end - begin) / STEPS
    total = 0.0
    for i in range(STEPS + 1):
        at = begin + i * width
        weight = 1 if i in (0, STEPS) else 4 if i % 2 else 2
        total += weight * function(at) * math.exp(-at / MEAN_SERVICE_S) / MEAN_SERVICE_S
    return total * width / 3


def least_at(longer, share):
    """The least x at which the decreasing function `longer(x)` is at most the share."""
    low, high = 0.0, 1.0
    if longer(low) <= share:
        return low
    while longer(high) > share:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if longer(middle) > share else (low, middle)
    return high


def values(servers):
    """All statistics of wait, completion time and bounded slowdown, and the utilization."""
    waits = waiting_share(servers)
    leave = 1 / MEAN_SERVICE_S
    gain = servers * leave * (1 - LOAD)
    most = 60 * MEAN_SERVICE_S  # the probability of a longer service is below 1e-26

    def wait_longer(t):
        return waits * math.exp(-gain * t)

    def jct_longer(t):
        if servers > 1 and math.isclose(gain, leave):
            raise ValueError("a wait and a service of the same rate: not needed here")
        both = (gain * math.exp(-leave * t) - leave * math.exp(-gain * t)) / (gain - leave)
        return (1 - waits) * math.exp(-leave * t) + waits * both

    def slowdown_longer(x):
        if x < 1:
            return 1.0
        least = SHORTEST_COUNTED_S
        short = over_services(lambda s: wait_longer(least * x - s), 0, least)
        return short + over_services(lambda s: wait_longer(s * (x - 1)), least, most)

    def slowdown_of(s):
        if s >= SHORTEST_COUNTED_S:
            return 1 + waits / gain / s
        return 1 + wait_longer(SHORTEST_COUNTED_S - s) / gain / SHORTEST_COUNTED_S

    slowdown_mean = (over_services(slowdown_of, 0, SHORTEST_COUNTED_S)
                     + over_services(slowdown_of, SHORTEST_COUNTED_S, most))
    out = {"wait_s_mean": waits / gain, "jct_s_mean": waits / gain + MEAN_SERVICE_S,
           "bounded_slowdown_mean": slowdown_mean}
    for percent in PERCENTS:
        beyond = 1 - percent / 100
        out[f"wait_s_p{percent}"] = least_at(wait_longer, beyond)
        out[f"jct_s_p{percent}"] = least_at(jct_longer, beyond)
        out[f"bounded_slowdown_p{percent}"] = max(1.0, least_at(slowdown_longer, beyond))
    out |= {f"job_{name}": value for name, value in list(out.items())}
    return out | {"cpu_utilization": LOAD, "cpu_stranded": 0.0, "success_rate": 1.0}
