#!/usr/bin/env python3
"""Answers random requests of `berth kueue` twice, with berth and with the models of Kueue.

usage: compare.py BERTH MODELS [--kind cycle|topology] [--count N] [--first SEED] [--write FILE]

MODELS is the folder of kueue.py and kueue_tas.py; without it nothing is compared (status 77). If a model fails on a
request, the answers are not compared, but berth must give one. Every difference is printed with its seed; the status
is 1 if there is any. --write keeps the requests and the models' answers.
"""
import argparse
import json
import os
import re
import subprocess
import sys

from random_requests import request

# The model's message about an admission check with a conflicting label is shorter than Kueue's own.
CONFLICT = re.compile(r"invalid admission check PodSetUpdate: .*?: conflict for key=(\w+), value1=\w+, value2=\w+")


def model_answer(kind, wanted):
    """The model's answer, or None for a request on which it fails."""
    import kueue
    import kueue_tas
    try:
        if kind == "cycle":
            return {"decisions": kueue.run_cycle(kueue.build(wanted))}
        return {"assignments": kueue_tas.run(wanted)}
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, StopIteration):
        return None


def berth_answers(berth, requests):
    feed = "".join(json.dumps(one) + "\n" for one in requests)
    done = subprocess.run([berth, "kueue", "--jsonl"], input=feed, capture_output=True, text=True, check=True)
    return [json.loads(CONFLICT.sub(r"conflict for \1", line)) for line in done.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth")
    parser.add_argument("models")
    parser.add_argument("--kind", choices=("cycle", "topology"), action="append")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--write")
    options = parser.parse_args()
    if not os.path.exists(os.path.join(options.models, "kueue.py")):
        print(f"without {options.models}: nothing was compared")
        return 77
    sys.path.insert(0, options.models)
    different = 0
    for kind in options.kind or ("cycle", "topology"):
        failed = 0
        for begin in range(options.first, options.first + options.count, 1000):
            seeds = range(begin, min(begin + 1000, options.first + options.count))
            requests = [request(kind, seed) for seed in seeds]
            answers = berth_answers(options.berth, requests)
            if len(answers) != len(requests):
                print(f"{kind} {seeds}: {len(answers)} answers")
                return 1
            for seed, asked, got in zip(seeds, requests, answers):
                want = model_answer(kind, asked)
                if want is None:
                    failed += 1
                elif json.loads(json.dumps(want)) != got:
                    different += 1
                    print(f"{kind} {seed}\n  model: {json.dumps(want)[:900]}\n  berth: {json.dumps(got)[:900]}")
                elif options.write:
                    with open(options.write, "a", encoding="utf-8") as file:
                        file.write(json.dumps({"id": f"{kind}-{seed}", "source": "model", "input": asked,
                                               "expected": want}, separators=(",", ":")) + "\n")
        print(f"{kind}: {options.count} requests compared but for {failed} that the model fails on")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
