#!/usr/bin/env python3
"""Answers random requests of `berth kai` twice, with berth and with the models of KAI.

usage: compare.py BERTH MODELS [--kind shares|rules|cycle] [--count N] [--first SEED]

MODELS is the folder of kai_share.py and kai_cycle.py; without it nothing is compared (status 77). Every difference is
printed with its seed; the status is 1 if there is any, or if a model fails. What cycles did is counted, and how many
touched one of the program's own faults.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import traceback

from random_requests import request


def berth_answers(berth, requests):
    feed = "".join(json.dumps(one) + "\n" for one in requests)
    done = subprocess.run([berth, "kai", "--jsonl"], input=feed, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def first_difference(mine, real, place=""):
    if isinstance(mine, dict) and isinstance(real, dict):
        for key in sorted(mine.keys() | real.keys()):
            if mine.get(key) != real.get(key):
                return first_difference(mine.get(key), real.get(key), f"{place}.{key}")
    return f"{place}: berth {mine}, the model {real}"


def model_answer(models, kind, wanted, counts):
    if kind != "cycle":
        return getattr(models, kind)(wanted)
    answer, traps = models.cycle(wanted)
    counts.update(event[0] for event in answer["events"])
    counts.update(traps)
    return answer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth")
    parser.add_argument("models")
    parser.add_argument("--kind", choices=("shares", "rules", "cycle"), action="append")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    if not os.path.exists(os.path.join(options.models, "kai_cycle.py")):
        print(f"without {options.models}: nothing was compared")
        return 77
    sys.path.insert(0, options.models)
    import model_answers

    different = 0
    for kind in options.kind or ("shares", "rules", "cycle"):
        counts = collections.Counter()
        seeds = range(options.first, options.first + options.count)
        requests = [request(kind, seed) for seed in seeds]
        for seed, wanted, mine in zip(seeds, requests, berth_answers(options.berth, requests), strict=True):
            try:
                real = model_answer(model_answers, kind, wanted, counts)
            except Exception:  # Whatever a model does, the other requests are compared.
                real = {"the model fails": traceback.format_exc()}
            if mine != real:
                different += 1
                print(f"{kind} {seed}: {first_difference(mine, real)[:600]}")
        print(f"{kind}: {options.count} requests, {dict(sorted(counts.items()))}")
    print(f"{different} different")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
