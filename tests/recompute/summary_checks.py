"""summary.json against replications.csv, and the manifest against the files."""

import math
import os

from statistics_of_runs import t_quantile_975

NOT_IN_MANIFEST = {"manifest.json", "run.json", "report.html"}


def near(one, other, relative=1e-9):
    return abs(one - other) <= relative * max(abs(one), abs(other)) + 1e-12


def expected_summary(values):
    n = len(values)
    mean = math.fsum(values) / n
    sd = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1)) if n > 1 else 0.0
    ci95 = t_quantile_975(n - 1) * sd / math.sqrt(n) if n > 1 else 0.0
    return {"mean": mean, "sd": sd, "ci95": ci95, "min": min(values), "max": max(values), "n": n}


def summary_is_right(run):
    if run.summary["replications"] != run.replications:
        yield "summary.json: another number of replications than replications.csv has"
    names = [c for c in run.columns("replications.csv") if c not in ("replication", "seed")
             and any(row[c] != "" for row in run.metrics)]
    if set(names) != set(run.summary["metrics"]):
        odd = set(names) ^ set(run.summary["metrics"])
        yield f"summary.json and replications.csv do not have the same metrics: {sorted(odd)[:5]}"
    for name, figures in run.summary["metrics"].items():
        values = [float(row[name]) for row in run.metrics if row.get(name, "") != ""]
        if not values:
            yield f"summary.json has {name}, replications.csv has no value of it"
            continue
        scale = max(abs(v) for v in values)
        for key, value in expected_summary(values).items():
            if not near(figures[key], value) and abs(figures[key] - value) > 1e-9 * scale:
                yield f"summary.json: {key} of {name} is {figures[key]}, the rows say {value}"
    for place, row in enumerate(run.metrics):
        if int(row["replication"]) != place:
            yield f"replications.csv: row {place} is of replication {row['replication']}"


def verdicts_are_right(run):
    """Claims of metrics and expectations hold if and only if the mean says so."""
    for kind in ("claims", "expectations"):
        for verdict in run.summary.get(kind) or []:
            name = verdict.get("metric")
            if name is None or name not in run.summary["metrics"]:
                continue
            low, high = bounds(verdict["expected"])
            mean = run.summary["metrics"][name]["mean"]
            if verdict["holds"] != (low <= mean <= high):
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
    raise ValueError(f"expectation {expected!r}")


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
    if int(run.metrics[0]["seed"]) != int(run.manifest["seed"]):
        yield "replications.csv: the first seed is not the manifest's"
