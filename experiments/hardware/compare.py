#!/usr/bin/env python3
"""Compares berth with runs on real GPUs.

usage: compare.py FOLDER [--berth PROGRAM | --model] [--out DIR] [--starts N] [--sensitivity]

FOLDER has the tables: shockwave32 (rounds, 32 GPUs) and muri64 (ticks, 64 GPUs). Three levels are judged and never
mixed: L1 replays the real schedule and asks for times; L2 has only jobs, speeds and the time of the first round; L3
counts launches and decisions that agree. Beside them stands the simulator of the authors. --starts 11 takes the mean
over so many times of the first round, since the real one is known as an interval only. --sensitivity repeats everything
with all speeds times 0.9 and 1.1. --model asks the plain model of the tests instead of berth. Inputs, results and
errors.svg are in DIR.
"""

import argparse
import sys
from decimal import Decimal
from functools import partial
from pathlib import Path

import draw
from judge import agreement, judge, mean_of, mean_sizes
from read import faster, read_rounds, read_ticks
from run import ROUND, TICK, run_berth, run_model, write

CLOSED = ("allox", "themis", "max-min", "mst")  # ossp and shockwave depend on the noise of their solvers
FITTED = {"A": ("allox", "themis"), "B": ("srtf",)}  # constants come from these runs; the others are the test
TICKING = ("srtf", "srsf", "tiresias", "themis")     # muri-s and muri-l pack jobs together


def main():
    options = arguments()
    ask = run_model if options.model else partial(run_berth, options.berth)
    rounds, ticks = read_rounds(options.folder / "shockwave32"), read_ticks(options.folder / "muri64")
    for factor in [Decimal(1)] + [Decimal("0.9"), Decimal("1.1")] * options.sensitivity:
        out = options.out / f"speeds-{factor}"
        if factor != 1:
            print(f"\n# All speeds times {factor}")
        compare(rounds, ticks, factor, options.starts, ask, out)
    print(f"\nfigure: {options.out / 'speeds-1' / 'errors.svg'}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--berth", default="build/release/berth")
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("out/hardware"))
    parser.add_argument("--starts", type=int, default=1)
    parser.add_argument("--sensitivity", action="store_true")
    return parser.parse_args()


def compare(rounds, ticks, factor, starts, ask, out):
    authors = {policy: judged(rounds, policy, rounds.simulated[policy]) for policy in rounds.simulated
               if policy in rounds.real}
    replayed = replays(rounds, factor, ask, out / "replay")
    closed = closed_loop(rounds, factor, starts, ask, out / "rounds")
    ticked = tick_runs(ticks, factor, ask, out / "ticks")
    if factor == 1:
        table("The authors' simulator, site A", authors, "A")
    table("L1 replay of the real schedule, site A", replayed, "A")
    table("L2 closed loop, site A", closed, "A")
    table("L2 closed loop, site B", ticked, "B")
    if factor == 1:
        decisions(rounds, ticks, closed, ticked)
        draw.errors(out / "errors.svg", [("Authors' simulator, A", authors), ("L1 replay, A", replayed),
                                         ("L2 closed loop, A", closed), ("L2 closed loop, B", ticked)])


# Runs.

def judged(site, policy, times):
    return judge(times, site.real[policy], site.arrivals)


def replays(site, factor, ask, out):
    jobs, speeds = faster(site, factor)
    verdicts = {}
    for policy, schedule in site.schedule.items():
        keys = {"replay": "schedule.csv", **ROUND, "start": middle(site.starts[policy])}
        del keys["lookAhead"]
        answer = ask(write(out / policy, site, jobs, speeds, keys, schedule))
        verdicts[policy] = judged(site, policy, answer.times)
    return verdicts


def closed_loop(site, factor, starts, ask, out):
    jobs, speeds = faster(site, factor)
    verdicts = {}
    for policy in [policy for policy in CLOSED if policy in site.real]:
        runs = []
        for number, start in enumerate(starts_in(site.starts[policy], starts)):
            keys = {"policy": policy, **ROUND, "start": start}
            answer = ask(write(out / f"{policy}-{number}", site, jobs, speeds, keys))
            verdict = judged(site, policy, answer.times)
            verdict.launches = answer.launches
            verdict.agreement = agreement(answer.schedule, site.schedule[policy])
            runs.append(verdict)
        verdicts[policy] = mean_of(runs)
    return verdicts


def tick_runs(site, factor, ask, out):
    jobs, speeds = faster(site, factor)
    verdicts = {}
    for policy in [policy for policy in TICKING if policy in site.real]:
        answer = ask(write(out / policy, site, jobs, speeds, {"policy": policy, **TICK}))
        verdicts[policy] = judged(site, policy, answer.times)
        verdicts[policy].launches = answer.launches
    return verdicts


def middle(interval):
    return (interval[0] + interval[1]) / 2


def starts_in(interval, count):
    """The middle of an interval, or so many values from its one end to the other."""
    if count == 1:
        return [middle(interval)]
    return [interval[0] + (interval[1] - interval[0]) * number / (count - 1) for number in range(count)]


# Tables.

def table(title, verdicts, site):
    print(f"\n{title}: errors in % of the real run")
    print(f"{'run':20}{'makespan':>10}{'mean JCT':>10}{'median job':>12}{'ninth decile':>14}")
    for policy, verdict in verdicts.items():
        name = policy + (" (fit)" if policy in FITTED[site] else "")
        print(f"{name:20}{verdict.makespan:>+10.1f}{verdict.mean:>+10.1f}{verdict.median:>12.1f}"
              f"{verdict.decile:>14.1f}")
    tests = [verdict for policy, verdict in verdicts.items() if policy not in FITTED[site]]
    for name, chosen in (("mean of all", list(verdicts.values())), ("mean of tests", tests)):
        if chosen:
            makespan, mean, median = mean_sizes(chosen)
            print(f"{name:20}{makespan:>10.2f}{mean:>10.2f}{median:>12.2f}")


def decisions(rounds, ticks, closed, ticked):
    print("\nL3 decisions: launches, and the share of real (round, job) pairs of the first 60 rounds")
    print(f"{'run':20}{'real':>8}{'here':>8}{'authors':>9}{'agreement':>11}{'authors':>9}")
    for policy, verdict in closed.items():
        theirs = agreement(rounds.simulated_schedule[policy], rounds.schedule[policy])
        print(f"{'A ' + policy:20}{rounds.launches[policy]:>8}{verdict.launches:>8.0f}"
              f"{rounds.simulated_launches[policy]:>9}{verdict.agreement:>11.2f}{theirs:>9.2f}")
    for policy, verdict in ticked.items():
        print(f"{'B ' + policy:20}{ticks.launches[policy]:>8}{verdict.launches:>8.0f}")


if __name__ == "__main__":
    sys.exit(main())
