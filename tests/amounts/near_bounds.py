#!/usr/bin/env python3
"""Random experiments with amounts, counts and times near every bound: each one either runs or is refused with a place.

usage: near_bounds.py BERTH [COUNT [FIRST]] [--keep FOLDER]

Experiment number N is always the same; COUNT is 150, or 3000 if BERTH_LONG is set. Half of the experiments are those
of tests/recompute and half those of tests/kueue, with some of their numbers raised far. An experiment is a finding if
a signal ends berth, if it takes more than 60 s, or if it is refused without naming a line of a file; it may use at
most 2 GiB of memory. --keep writes the findings into a folder.
"""

import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, "recompute"))

import random_experiments  # noqa: E402

del sys.modules["random_clusters"]  # the other folder has a module of this name, too
sys.path[0] = os.path.join(TESTS, "kueue")

import documents  # noqa: E402
import random_runs  # noqa: E402

MOST_SECONDS, MOST_BYTES = 60, 2 << 30
POWERS = [2**bits for bits in (31, 32, 40, 43, 50, 53, 54, 60, 61, 62, 63)]
AMOUNTS = [
    *(number + off for number in POWERS for off in (-1, 0, 1)),
    *(number // 1000 for number in POWERS[3:]),
    *(10**digits for digits in (6, 9, 12, 15, 18)),
    0, 1, "9E", "8Ei", "7Ei", "1Pi", "1m", "9223372036854775807m",
]  # fmt: skip
SECONDS = [0, 1, 2**31, 2**32, 2**33, 4611686018, 9223372035, 9223372036, 9223372037, 10**12]
COUNTS = [0, 1, 2, 1000, 4096, 10_000]
DURATION = re.compile(r"^[\d.]+(ns|us|ms|s|m|h|d|w)$")
QUANTITY = re.compile(r"^[\d.]+([numkMGTPE]|[KMGTPE]i)?$")
# Keys whose numbers are not amounts of a resource.
COUNTED = ("count", "size", "minAvailable", "weight", "weights", "priority", "shape", "replications", "seed")
# Keys whose numbers would only make a run long, since they set the number of events.
LEFT = ("replications", "seed", "sampleEvery", "period", "refresh", "every", "mtbf", "rate", "repair", "children")
PLACE = re.compile(r"^(\S+?:\d+:\d+: error: |berth: error: out of memory)", re.MULTILINE)


class Stretch:
    """Raises some of a document's numbers far, of one kind or of all kinds."""

    def __init__(self, dice):
        self.dice = dice
        self.kinds = dice.choice(
            (("amount",), ("amount",), ("amount", "count"), ("duration",), ("amount", "duration", "count"))
        )
        self.share = dice.choice((0.02, 0.1, 0.3, 0.8))
        # Documents that use one number everywhere are refused less often than those with many numbers.
        self.same = dice.choice(AMOUNTS) if dice.random() < 0.6 else None

    def of(self, key, value):
        kind = self.kind_of(key, value)
        if kind not in self.kinds or self.dice.random() > self.share:
            return value
        if kind == "count":
            return self.dice.choice(COUNTS)
        if kind == "duration":
            return f"{self.dice.choice(SECONDS)}s"
        return self.same if self.same is not None else self.dice.choice(AMOUNTS)

    @staticmethod
    def kind_of(key, value):
        if isinstance(value, bool) or value is None or key in LEFT:
            return None
        if isinstance(value, str):
            return "duration" if DURATION.match(value) else "amount" if QUANTITY.match(value) else None
        if key in COUNTED:
            return "count" if key in ("count", "size", "minAvailable") else None
        return "amount" if isinstance(value, int) and ("/" in key or key in RESOURCES) else None

    def document(self, value, key=""):
        if isinstance(value, dict):
            return {name: self.document(one, name) for name, one in value.items()}
        if isinstance(value, list):
            return [self.document(one, key) for one in value]
        return self.of(key, value)


RESOURCES = ("cpu", "memory", "gpu", "pods", "units", "nominalQuota", "borrowingLimit", "lendingLimit")


def experiment(number):
    """The experiment with this number, and the files that it names."""
    dice = random.Random(f"bounds {number}")
    if number % 2:
        made, files = random_experiments.experiment(number)
    else:
        kind = dice.choice(sorted(random_runs.KINDS))
        made, files = documents.experiment(random_runs.random_run(kind, number)), {}
    stretch = Stretch(dice)
    if "duration" in stretch.kinds:  # experiments that last for centuries have too many events
        for part, key in (("failures", "random"), ("record", "sampleEvery")):
            made["spec"].get(part, {}).pop(key, None)
        for each in made["spec"]["scheduler"].get("kueue", {}).get("objects", ()):
            each.pop("admissionFairSharing", None)
    return stretch.document(made), files


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


def fault_of(berth, folder):
    """What is wrong with how berth treats the experiment in a folder; None if nothing is."""
    command = [berth, "run", "experiment.yaml", "-o", "out", "-j", "1", "--quiet", "--check-invariants"]
    try:
        ran = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=MOST_SECONDS, preexec_fn=limited
        )
    except subprocess.TimeoutExpired:
        return f"did not end within {MOST_SECONDS} s"
    if ran.returncode == 0 or (ran.returncode > 0 and PLACE.search(ran.stderr)):
        return None
    return f"ends with {ran.returncode}: {ran.stderr.strip()[-400:]}"


def try_one(berth, number, folder):
    here = os.path.join(folder, str(number))
    os.makedirs(here, exist_ok=True)
    document, files = experiment(number)
    for name, text in {**files, "experiment.yaml": json.dumps(document, indent=1)}.items():
        with open(os.path.join(here, name), "w", encoding="utf-8") as file:
            file.write(text)
    fault = fault_of(berth, here)
    ran = os.path.exists(os.path.join(here, "out", "summary.json"))
    if not fault:
        shutil.rmtree(here, ignore_errors=True)
    return fault, ran


def main(arguments):
    keep = None
    if "--keep" in arguments:
        at = arguments.index("--keep")
        keep = arguments[at + 1]
        del arguments[at : at + 2]
    berth = os.path.abspath(arguments[0])
    usual = 3000 if os.environ.get("BERTH_LONG") else 150
    count = int(arguments[1]) if len(arguments) > 1 else usual
    first = int(arguments[2]) if len(arguments) > 2 else 0
    folder = keep or tempfile.mkdtemp(prefix="berth-bounds-")
    numbers = range(first, first + count)
    with ProcessPoolExecutor() as pool:
        found = list(pool.map(try_one, [berth] * count, numbers, [folder] * count))
    wrong = [(number, fault) for number, (fault, _) in zip(numbers, found) if fault]
    for number, fault in wrong:
        print(f"experiment {number}: {fault}")
    ran = sum(ran for _, ran in found)
    if not keep:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{count} experiments near bounds: {ran} ran, {count - ran - len(wrong)} were refused, {len(wrong)} found")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
