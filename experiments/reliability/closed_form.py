#!/usr/bin/env python3
"""Compares the measurements of spares.yaml with their closed form: closed_form.py [DIR], by default out/spares.

A job needs n servers in each of its racks, and each server is up with the probability a = MTBF / (MTBF + MTTR). The job
runs while each of its racks has n of 18 servers up: a binomial probability, to the power of the number of racks. While
it runs, it is interrupted at the rate r of all its servers together, and the share of its time that it keeps is
r t / (e^(r u) (e^(r (t + d)) - 1)), with checkpoints that take d after each t of work, and restarts that take u (Daly,
2006). The job does this on a share of n / 18 of all GPUs.

Prints a line of the README's table for each kind of jobs and each repair time, in percent, as measured / closed form,
with the best number of spares in bold. Ends with status 1 if a point is off by more than four of its standard errors
plus 0.002. The number of servers that are up is forgotten within a repair time, so that the error is at most that of
tossing a coin every two repair times.
"""
import csv
import math
import sys
from collections import defaultdict

SERVERS, RACKS = 18, 16
EVERY_H, TAKES_H, RESTART_H = 1, 1 / 60, 5 / 60
# For each kind of jobs: the failures of a server per hour, and the racks of a job.
KINDS = {"one-in-each-rack": (6.5 / 24000, 1),
         "fourfold-failures": (26 / 24000, 1),
         "one-over-all-racks": (6.5 / 24000, RACKS)}
HOURS = {"h": 1, "d": 24}


def closed_form(rate, racks, repair_h, used):
    """The share of lasting work, and the probability that the job runs."""
    up = 1 / (1 + rate * repair_h)
    enough = sum(math.comb(SERVERS, k) * up**k * (1 - up)**(SERVERS - k)
                 for k in range(used, SERVERS + 1))
    r = rate * used * racks
    kept = r * EVERY_H / (math.exp(r * RESTART_H) * math.expm1(r * (EVERY_H + TAKES_H)))
    return enough**racks * kept * used / SERVERS, enough**racks


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "out/spares"
    points = defaultdict(list)
    with open(f"{folder}/results.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            points[row["jobs"], row["repair"], int(row["spares"])].append(
                (float(row["gpu_time_allocated"]), float(row["end_s"]) / 3600))
    lines, off = defaultdict(dict), []
    for (jobs, repair, spares), measured in points.items():
        rate, racks = KINDS[jobs]
        repair_h = float(repair[:-1]) * HOURS[repair[-1]]
        expected, runs = closed_form(rate, racks, repair_h, SERVERS - spares)
        mean = sum(share for share, _ in measured) / len(measured)
        throws = sum(end_h for _, end_h in measured) / (2 * repair_h) * (RACKS / racks)
        error = (SERVERS - spares) / SERVERS * math.sqrt(runs * (1 - runs) / throws)
        lines[jobs, repair][spares] = (mean, expected)
        if abs(mean - expected) > 4 * error + 0.002:
            off.append(f"{jobs}, {repair}, {spares} spares: {mean:.4f}, and not {expected:.4f}")
    for (jobs, repair), cells in lines.items():
        best = max(cells, key=lambda spares: cells[spares][0])
        texts = (f"{100 * mean:.1f} / {100 * expected:.1f}" for mean, expected in cells.values())
        print("|", " | ".join([jobs, repair] + [f"**{text}**" if spares == best else text
                                               for spares, text in zip(cells, texts)]), "|")
    print(*off, sep="\n", end="\n" if off else "", file=sys.stderr)
    sys.exit(1 if off or not points else 0)


if __name__ == "__main__":
    main()
