"""The files of a run directory as values: times in nanoseconds, amounts in thousandths."""

import csv
import hashlib
import json
import os
from collections import defaultdict
from decimal import Decimal

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

SUFFIXES = {
    "n": Decimal(1) / 10**9, "u": Decimal(1) / 10**6, "m": Decimal(1) / 1000, "": Decimal(1),
    "k": Decimal(10**3), "M": Decimal(10**6), "G": Decimal(10**9), "T": Decimal(10**12),
    "P": Decimal(10**15), "E": Decimal(10**18),
    "Ki": Decimal(2**10), "Mi": Decimal(2**20), "Gi": Decimal(2**30), "Ti": Decimal(2**40),
    "Pi": Decimal(2**50), "Ei": Decimal(2**60),
}
UNITS = {"d": 86400 * 10**9, "h": 3600 * 10**9, "ms": 10**6, "m": 60 * 10**9, "us": 10**3,
         "ns": 1, "s": 10**9}


def whole(value, what):
    """A value that must be a whole number, as an integer."""
    if value != value.to_integral_value():
        raise ValueError(f"{what} is no whole number")
    return int(value)


def nanoseconds(text):
    """A time from a table, converted from seconds; None if it never came."""
    if text == "":
        return None
    before, _, after = text.partition(".")
    if before.isdigit() and len(after) <= 9 and (after.isdigit() or not after):
        return int(before) * 10**9 + int(after.ljust(9, "0"))
    return whole(Decimal(text) * 10**9, f"{text} s in nanoseconds")


def thousandths(text):
    """An amount from a table, or a Kubernetes quantity, in thousandths."""
    text = str(text)
    if text.isdigit():
        return int(text) * 1000
    digits = text.rstrip("numkKMGTPEi")
    if digits.lower().endswith("e") or text[len(digits):] not in SUFFIXES:
        digits = text
    return whole(Decimal(digits) * SUFFIXES[text[len(digits):]] * 1000, f"{text} in thousandths")


def duration(text):
    """A duration of an experiment, such as 1h30m, in nanoseconds."""
    text, total, number = str(text), 0, ""
    if text == "0":
        return 0
    while text:
        while text and (text[0].isdigit() or text[0] in ".eE+-"):
            number, text = number + text[0], text[1:]
        unit = next(u for u in ("ms", "us", "ns", "d", "h", "m", "s") if text.startswith(u))
        total += whole(Decimal(number) * UNITS[unit], "a duration in nanoseconds")
        number, text = "", text[len(unit):]
    return total


def amounts(text):
    """The `demand` from a table: `cpu=16 memory=214748364800`."""
    return {part.rsplit("=", 1)[0]: thousandths(part.rsplit("=", 1)[1]) for part in text.split()}


class Run:
    """One run directory. A table is a list of rows for each replication; a missing file is None."""

    def __init__(self, folder):
        self.folder = folder
        with open(self.path("experiment.yaml"), encoding="utf-8") as file:
            self.document = yaml.load(file, Loader=LOADER)
        self.experiment = self.document["spec"]
        profile = self.get("scheduler", "profile", default=None) or {}
        for point in ("preFilter", "filter", "postFilter", "score", "reserve"):
            if isinstance(profile.get(point), (str, dict)):  # a single entry
                profile[point] = [profile[point]]
        with open(self.path("summary.json"), encoding="utf-8") as file:
            self.summary = json.load(file)
        with open(self.path("manifest.json"), encoding="utf-8") as file:
            self.manifest = json.load(file)
        with open(self.path("replications.csv"), encoding="utf-8", newline="") as file:
            self.metrics = list(csv.DictReader(file))
        self.replications = len(self.metrics)
        for name in ("pods", "groups", "jobs", "timeseries", "evictions", "quotas", "gpu_time",
                     "quota_changes", "censored", "failures", "mttf", "drains", "admissions",
                     "claimed_devices", "moves"):
            setattr(self, name, self.table(name + ".csv"))
        with open(self.path("nodes.csv"), encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            self.node_columns = reader.fieldnames
            self.nodes = list(reader)
        self.devices = None
        if os.path.exists(self.path("devices.csv")):
            with open(self.path("devices.csv"), encoding="utf-8", newline="") as file:
                self.devices = list(csv.DictReader(file))

    def path(self, name):
        return os.path.join(self.folder, name)

    def table(self, name):
        if not os.path.exists(self.path(name)):
            return None
        rows = defaultdict(list)
        with open(self.path(name), encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                rows[int(row["replication"])].append(row)
        return rows

    def dropped(self, replication):
        """When each dropped job was dropped, by its name, if jobs.csv states it."""
        rows = (self.jobs or {}).get(replication, [])
        return {row["job"]: nanoseconds(row["dropped_s"]) for row in rows if row.get("dropped_s")}

    def columns(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return next(csv.reader(file))

    def digest(self, name):
        with open(self.path(name), "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()

    def get(self, *path, default=None):
        """A value of the experiment's spec, by its keys."""
        at = self.experiment
        for key in path:
            if not isinstance(at, dict) or key not in at:
                return default
            at = at[key]
        return at
