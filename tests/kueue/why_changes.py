#!/usr/bin/env python3
"""Tries the changes that `berth why` proposes for jobs that wait in Kueue, plainly with the model of one cycle.

usage: why_changes.py BERTH MODELS [--kind KIND] [--count N] [--seed FIRST] [--jobs N]

Random runs are computed plainly up to the moment that `berth why` examines; each change that it names is made there,
and then cycles must admit the job, or preempt for it the jobs that `berth why` names. Without any change they must
not. MODELS is the folder of kueue.py and kueue_tas.py; without them nothing is tried (status 77). The status is 1 if
anything differs.
"""

import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from decimal import Decimal

from whole_runs import MOST_SECONDS, rows

REFUSED = ("refused", [])
KINDS = ("quota", "changes", "sharing")
FIELDS = ("nominalQuota", "borrowingLimit", "lendingLimit")


def milliseconds(number):
    return int(Decimal(str(number)) * 1000)


def state_after(run, instant):
    """The plain run after everything that happens at an instant."""
    from plain_run import PlainRun

    plain = PlainRun(run)
    while (upcoming := plain.next_instant()) is not None and upcoming <= instant:
        plain.now = upcoming
        plain.do_instant()
    plain.now = instant
    return plain


def answer(plain, job):
    """What happens to the job in cycles at this moment, in which no job is evicted."""
    seen = []
    while True:
        heads = list(plain.heads())
        if not heads:
            return REFUSED
        plain.cycle += 1
        changed = False
        for entry, decision in plain.decide(heads):
            if decision["decision"] == "admitted":
                if entry.w.name == job.name:
                    return ("admitted", [])
                plain.admit(entry)
                changed = True
                continue
            if entry.w.name == job.name and decision.get("preempts"):
                return ("preempts", sorted(name for name, _ in decision["preempts"]))
            changed |= plain.requeue(entry, decision)
        if job.name in plain.queues[job.cq].parked:
            return REFUSED
        left = {head.name: head.memory and head.memory["tried"] for head in heads}
        if not changed and left in seen:
            return REFUSED
        seen = [] if changed else [*seen, left]


def set_quota(run, quota):
    """Sets one amount of one node of the tree."""
    kind, key = ("clusterQueues", "queue") if "queue" in quota else ("cohorts", "cohort")
    node = next((node for node in run[kind] if node["name"] == quota[key]), None)
    if node is None:  # a cohort that is only named
        node = {"name": quota[key], "parent": None, "weight": 1, "groups": []}
        run[kind].append(node)
    found = [
        flavor["quota"]
        for group in node["groups"]
        for flavor in group["flavors"]
        if flavor["name"] == quota["flavor"] and quota["resource"] in flavor["quota"]
    ]
    if found:
        cells = found[0]
    else:
        cells = {quota["resource"]: ["0"]}
        node["groups"].append(
            {"resources": [quota["resource"]], "flavors": [{"name": quota["flavor"], "quota": cells}]}
        )
    amounts = [*cells[quota["resource"]], None, None][:3]
    amounts[FIELDS.index(quota["field"])] = quota["to"]
    cells[quota["resource"]] = amounts


def queue_of(run, change):
    return next(queue for queue in run["clusterQueues"] if queue["name"] == change["queue"])


def set_policy(run, change):
    queue = queue_of(run, change)
    if change["field"] == "borrowWithinCohort.policy":
        queue["preemption"]["borrowWithinCohort"] = {"policy": change["to"]}
    else:
        queue["preemption"][change["field"]] = change["to"]


def change_job(plain, job, change):
    """Changes the job itself, which is then considered again; no other job is."""
    kind, spec = change["kind"], job.spec
    if kind == "ask":
        spec = dict(spec, requests={**spec["requests"], change["resource"]: change["to"]})
    elif kind == "members":
        spec = dict(spec, count=change["to"], least=min(spec["least"], change["to"]))
    elif kind == "min-available":
        spec = dict(spec, least=change["to"])
    elif kind == "priority":
        spec = dict(spec, priority=change["to"])
    elif kind == "first":
        plain.queues[job.cq].heap.clear()
    job.spec = spec


def make(plain, job, change):
    """Makes a change in the state."""
    run, queue = plain.objects.run, plain.queues[job.cq]
    if change["kind"] in ("ask", "members", "min-available", "priority", "first"):
        queue.parked.pop(job.name, None)
        change_job(plain, job, change)
        queue.heap[job.name] = job
        return
    for quota in change.get("quotas", ()):
        set_quota(run, quota)
    if change["kind"] == "preemption":
        set_policy(run, change)
    if change["kind"] == "resume":
        queue_of(run, change)["stopPolicy"] = "None"
    for name in change.get("jobs", ()):
        plain.release(plain.jobs[name])
    for name, other in plain.queues.items():
        if plain.objects.root_of(name) == plain.objects.root_of(job.cq):
            other.retry()


def tried(state, name, change):
    plain = copy.deepcopy(state)
    job = plain.jobs[name]
    for one in plain.jobs.values():
        one.memory = None
    if change is not None:
        make(plain, job, change)
    else:
        plain.queues[job.cq].parked.pop(name, None)
        plain.queues[job.cq].heap[name] = job
    return answer(plain, job)


def is_waiting(state, name):
    queue = state.queues[state.jobs[name].cq]
    return name in queue.heap or name in queue.parked


def check(run, why):
    """The changes that were tried, and the lines that describe the differences."""
    scene, name = why["last_failure"], why["job"]["name"]
    if scene is None or scene["stage"] != "admission":
        return [], []
    state = state_after(run, milliseconds(scene["at_s"]))
    if not is_waiting(state, name):
        return [], []
    lines = []
    changes = [change for change in scene["changes"] if change["kind"] != "wait"]
    if changes == scene["changes"] and tried(state, name, None) != REFUSED:
        lines.append(f"  {name}: admitted as things are: {tried(state, name, None)}")
    for change in changes:
        expected = ("preempts", sorted(change["preempts"])) if "preempts" in change else ("admitted", [])
        got = tried(state, name, change)
        if got != expected:
            lines.append(f"  {name} at {scene['at_s']} s: {json.dumps(change)}\n    plain: {got}")
    return changes, lines


def ask(berth, run, most_jobs):
    """The answers of `berth why` about jobs that waited, or the text of its errors."""
    from documents import experiment

    with tempfile.TemporaryDirectory() as folder:
        document, out = os.path.join(folder, "experiment.json"), os.path.join(folder, "out")
        with open(document, "w", encoding="utf-8") as file:
            json.dump(experiment(run), file)
        run_command = [berth, "run", document, "-q", "-o", out]
        subprocess.run(run_command, capture_output=True, check=True, timeout=MOST_SECONDS)
        waited = [row["job"] for row in rows(out, "jobs.csv") if row["start_s"] != row["submit_s"]]
        for name in waited[:: max(1, len(waited) // most_jobs)][:most_jobs]:
            done = subprocess.run(
                [berth, "why", out, name, "--json"], capture_output=True, text=True, check=False, timeout=MOST_SECONDS
            )
            subprocess.run([berth, "why", out, name], capture_output=True, check=True, timeout=MOST_SECONDS)
            yield json.loads(done.stdout) if done.returncode == 0 else f"  {name}: {done.stderr}"


def try_runs(options, kind):
    """The number of jobs that differ in runs of a kind."""
    from plain_run import PlainRun
    from plain_sharing import NotComparable
    from random_runs import random_run

    by_kind, different = Counter(), 0
    for seed in range(options.seed, options.seed + options.count):
        run = random_run(kind, seed)
        try:
            PlainRun(copy.deepcopy(run)).outcome()
        except NotComparable:
            continue
        for why in ask(options.berth, run, options.jobs):
            changes, lines = ([], [why]) if isinstance(why, str) else check(run, why)
            by_kind.update(change["kind"] for change in changes)
            if lines:
                different += 1
                print(f"{kind} {seed}:", *lines, sep="\n", flush=True)
    print(f"{kind}: {by_kind.total()} changes tried, {different} jobs differ; by kind: {dict(sorted(by_kind.items()))}")
    return different


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth")
    parser.add_argument("models")
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=4)
    options = parser.parse_args()
    if not all(os.path.exists(os.path.join(options.models, model)) for model in ("kueue.py", "kueue_tas.py")):
        print(f"without {options.models}: nothing was tried")
        return 77
    sys.path.insert(0, options.models)
    return 1 if sum(try_runs(options, kind) for kind in options.kind or KINDS) else 0


if __name__ == "__main__":
    sys.exit(main())
