#!/usr/bin/env python3
"""Answers random requests of `berth kube` twice, with berth and with the models of kube-scheduler.

usage: compare.py BERTH MODELS [--kind cycle|sequence|dra] [--count N] [--first SEED] [--write FILE]

MODELS is the folder of kube_run.py and kube_verify.py; without it nothing is compared (status 77). Every difference is
printed with its seed; the status is 1 if there is any. Searches for devices in which the model does not end within
some thousands of steps are left out, and counted. --write adds small requests and answers to a file.
"""
import argparse
import json
import os
import subprocess
import sys

from random_requests import request

COUNTS = {"cycle": 400, "sequence": 40, "dra": 400}
STEPS = 5000
SMALL = 6500  # bytes of a request that is written


class TooLong(Exception):
    """The model searches for too long."""


def answers_of(berth, requests):
    feed = "".join(json.dumps(one) + "\n" for one in requests)
    done = subprocess.run([berth, "kube", "--jsonl"], input=feed, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def limit_steps(dra):
    """Lets the model of the search for devices end after some steps."""
    one = dra.Allocator.one

    def counted(self, *arguments):
        if self.calls > STEPS:
            raise TooLong
        return one(self, *arguments)
    dra.Allocator.one = counted


def write(path, kind, seed, asked, answer):
    """Adds a request and the answer in which berth and the model agree."""
    if len(json.dumps(asked)) < SMALL:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"id": f"{kind}-{seed}", "source": "model", "input": asked, "expected": answer},
                                  separators=(",", ":")) + "\n")


def compare(kind, seeds, berth, path):
    """Compares requests; the number of differences, and of those left out."""
    import kube_run
    import kube_verify
    normal = {"cycle": kube_verify.cycle, "sequence": lambda answer: answer, "dra": kube_verify.dra}[kind]
    requests = [request(kind, seed) for seed in seeds]
    answers = answers_of(berth, requests)
    different = skipped = 0
    for seed, asked, got in zip(seeds, requests, answers, strict=True):
        try:
            want = kube_run.answer(asked)
        except TooLong:
            skipped += 1
            continue
        answer = json.loads(json.dumps(got))
        want, got = normal(json.loads(json.dumps(want))), normal(got)
        got = {key: value for key, value in got.items() if key in want or key == "error"}
        if want != got:
            different += 1
            keys = [key for key in sorted(want.keys() | got.keys()) if want.get(key) != got.get(key)]
            print(f"{kind} {seed}: {keys[0]}\n  model: {json.dumps(want.get(keys[0]))[:900]}\n"
                  f"  berth: {json.dumps(got.get(keys[0]))[:900]}")
        elif path:
            write(path, kind, seed, asked, answer)
    return different, skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth")
    parser.add_argument("models")
    parser.add_argument("--kind", choices=tuple(COUNTS), action="append")
    parser.add_argument("--count", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--write")
    options = parser.parse_args()
    if not os.path.exists(os.path.join(options.models, "kube_run.py")):
        print(f"without {options.models}: nothing was compared")
        return 77
    sys.path.insert(0, options.models)
    import dra
    limit_steps(dra)
    different = 0
    for kind in options.kind or COUNTS:
        count, skipped = options.count or COUNTS[kind], 0
        for begin in range(options.first, options.first + count, 500):
            seeds = range(begin, min(begin + 500, options.first + count))
            new, left_out = compare(kind, seeds, options.berth, options.write)
            different += new
            skipped += left_out
        print(f"{kind}: {count} requests compared but for {skipped} whose search is long")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
