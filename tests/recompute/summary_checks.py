"""Compares summary.json with replications.csv, and the manifest with the files."""

import csv
import math
import os
import re

from statistics_of_runs import t_quantile_975

NOT_IN_MANIFEST = {"manifest.json", "run.json", "report.html"}


def near(one, other, relative=1e-9):
    """Equal except for the last digits; a share close to zero may be off by a nanosecond."""
    return abs(one - other) <= relative * max(abs(one), abs(other)) + 1e-11


def expected_summary(values):
    n = len(values)
    mean = math.fsum(values) / n
    sd = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1)) if n > 1 else 0.0
    ci95 = t_quantile_975(n - 1) * sd / math.sqrt(n) if n > 1 else None
    return {"mean": mean, "sd": sd, "ci95": ci95, "min": min(values), "max": max(values), "n": n}


def repeated_for_sql(columns):
    """Maps columns that repeat an earlier one, under a name without special characters, to that earlier one."""
    plain = {}
    repeated = {}
    for column in columns:
        if column in plain:
            repeated[column] = plain[column]
        name = re.sub("[^A-Za-z0-9_]", "_", column)
        if name != column:
            plain.setdefault(name, column)
    return repeated


def bounds_of(run):
    """The lower bounds in censored.csv, by metric and replication."""
    result = {}
    with open(run.path("censored.csv"), encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["at_least"] != "":
                result.setdefault(row["metric"], {})[int(row["replication"])] = \
                    float(row["at_least"])
    return result


def censored_is_right(name, figures, values, bounds):
    """Checks a metric for which only lower bounds of some values are known."""
    lower = [bounds.get(r, v) for r, v in values.items() if r in bounds or v is not None]
    if not near(figures.get("at_least", math.nan), math.fsum(lower) / len(lower)):
        yield f"summary.json: at_least of {name} is {figures.get('at_least')}, " \
              f"the rows say {math.fsum(lower) / len(lower)}"
    if any(r in bounds and v is None for r, v in values.items()):
        for key in ("mean", "sd", "ci95", "min", "max"):
            if figures[key] is not None:
                yield f"summary.json: {key} of {name} is {figures[key]}, and it was not reached"
        if figures["n"] != len(lower):
            yield f"summary.json: n of {name} is {figures['n']}, the rows say {len(lower)}"


def summary_is_right(run):
    if run.summary["replications"] != run.replications:
        yield "summary.json: another number of replications than replications.csv has"
    columns = run.columns("replications.csv")
    repeated, bounds = repeated_for_sql(columns), bounds_of(run)
    names = [c for c in columns if c not in ("replication", "seed") and c not in repeated
             and (c in bounds or any(row[c] != "" for row in run.metrics))]
    if set(names) != set(run.summary["metrics"]):
        odd = set(names) ^ set(run.summary["metrics"])
        yield f"summary.json and replications.csv do not have the same metrics: {sorted(odd)[:5]}"
    for name, figures in run.summary["metrics"].items():
        values = [float(row[name]) for row in run.metrics if row.get(name, "") != ""]
        if name in bounds:
            by_replication = {int(row["replication"]): float(row[name]) if row[name] else None
                              for row in run.metrics}
            yield from censored_is_right(name, figures, by_replication, bounds[name])
        if figures["mean"] is None and name in bounds:
            continue
        if not values:
            yield f"summary.json has {name}, replications.csv has no value of it"
            continue
        scale = max(abs(v) for v in values)
        for key, value in expected_summary(values).items():
            if figures[key] is None or value is None:
                right = figures[key] is value
            else:
                right = near(figures[key], value) or abs(figures[key] - value) <= 1e-9 * scale
            if not right:
                yield f"summary.json: {key} of {name} is {figures[key]}, the rows say {value}"
    for place, row in enumerate(run.metrics):
        for copy, original in repeated.items():
            if row[copy] != row[original]:
                yield f"replication {place}: {copy} is {row[copy]}, {original} is {row[original]}"
        if int(row["replication"]) != place:
            yield f"replications.csv: row {place} is of replication {row['replication']}"


def goes_by_interval(run, metric):
    expect = run.experiment.get("expect") or {}
    stated = expect.get(metric)
    return "confidence" not in expect and not (isinstance(stated, dict) and "confidence" in stated)


def verdicts_are_right(run):
    """Expectations hold if and only if the 95 % interval says so, or the mean if that is requested."""
    for verdict in run.summary.get("expectations") or []:
        name = verdict["metric"]
        if name not in run.summary["metrics"]:
            continue
        low, high = bounds(verdict["expected"])
        figures = run.summary["metrics"][name]
        mean, at_least = figures["mean"], figures.get("at_least")
        half = (figures["ci95"] or 0) if goes_by_interval(run, name) else 0
        if mean is None:  # not reached: it meets no upper bound
            holds = high == math.inf and low <= at_least
        else:
            least = mean - half if figures["min"] < 0 else max(mean - half, 0)
            # A share is at most 1 and a percentage at most 100; the name of a metric does not say which of them it is.
            ends = {mean + half, *(min(mean + half, whole) for whole in (1, 100) if figures["max"] <= whole)}
            most = [max(end, end if at_least is None else at_least) for end in ends]
            if any(end <= high for end in most) != all(end <= high for end in most):
                continue
            holds = low <= least and most[0] <= high
        if verdict["measured"].endswith("the run is short for it"):
            holds = False
        if verdict["holds"] != holds:
            yield f"summary.json: {name} is {mean}, expected {verdict['expected']}: " \
                  f"holds is {verdict['holds']}"


def bounds(expected):
    if isinstance(expected, dict):
        return expected.get("min", -math.inf), expected.get("max", math.inf)
    if isinstance(expected, list):
        return expected[0], expected[1]
    if isinstance(expected, (int, float)):
        return expected, expected
    if isinstance(expected, str) and " to " in expected:
        return tuple(map(float, expected.split(" to ")))
    if isinstance(expected, str) and expected.startswith("at most "):
        return -math.inf, float(expected[8:])
    if isinstance(expected, str) and expected.startswith("at least "):
        return float(expected[9:]), math.inf
    return float(expected), float(expected)


def manifest_is_right(run):
    listed = run.manifest["files"]
    for name, digest in listed.items():
        if not os.path.exists(run.path(name)):
            yield f"manifest.json: {name} is missing"
        elif run.digest(name) != digest:
            yield f"manifest.json: {name} has another digest"
    there = {n for n in os.listdir(run.folder) if os.path.isfile(run.path(n))}
    for name in sorted(there - set(listed) - NOT_IN_MANIFEST):
        yield f"manifest.json does not list {name}"
    if run.manifest["replications"] != run.replications:
        yield "manifest.json: another number of replications than replications.csv has"
    seeds = [int(row["seed"]) for row in run.metrics]
    if len(set(seeds)) != len(seeds) or not all(0 <= seed < 2**53 for seed in seeds):
        yield "replications.csv: seeds are not different numbers below 2^53"
