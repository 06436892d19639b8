#!/usr/bin/env python3
"""Runs random small experiments with every option, lets them check their invariants after each event, and recomputes
their results from the files.

usage: random_experiments.py BERTH [COUNT [FIRST]] [--keep FOLDER]

Experiment number N is always the same; COUNT is 40, or 500 if BERTH_LONG is set. Findings are printed with their
number; with --keep, the experiments with findings and their results stay in the folder.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import random_clusters  # noqa: E402
import random_state  # noqa: E402
import random_workloads as work  # noqa: E402
from recompute import findings_of  # noqa: E402

QUEUES = ["fifo", "fcfs", "priority", "shortest-job", "longest-job", "fair-share",
          "least-attained-service", "easy-backfill", "conservative-backfill", "replanned-backfill"]
ORDERS = ["fifo", "priority", "shortest-job", "longest-job", "least-attained-service"]


class Made:
    """What parts of an experiment must know about each other."""

    def __init__(self):
        self.levels, self.servers, self.types = [], [], []
        self.quotas, self.classes, self.files = [], [], {}
        self.resizes = self.whole_gpus = self.shares = self.running = False
        self.numbers = 0

    def name(self, prefix):
        self.numbers += 1
        return f"{prefix}{self.numbers}x"


def queue_sort(r, made):
    name = r.choice(QUEUES + (["drf"] if made.quotas else []))
    if name.endswith("backfill"):
        return {"name": name, "order": r.choice(ORDERS)}
    return {"name": name, "halfLife": "1m"} if name == "fair-share" else name


def scheduler(r, made, kind):
    profile = {"queueSort": queue_sort(r, made)}
    profile["placementGroup"] = {"solver": r.choice(["greedy", "greedy", "exact"]),
                                 "numFit": r.choice(["aggregate", "percolated"])}
    scores = ["best-fit", "balanced-allocation", "first-fit", "least-allocated", "most-allocated",
              "worst-fit"]
    scores = scores[1:] if kind == "plain" else scores  # a trace may have its own best-fit
    profile["score"] = [{"name": name, "weight": r.randint(1, 3)}
                        for name in r.sample(scores, r.randint(1, 2))]
    if kind == "devices":
        profile["reserve"] = [r.choice([
            "first-fit", "device-allocator", "group-allocator",
            {"name": "device-allocator", "rules": r.choice(["documented", "published"]),
             "solver": r.choice(["greedy", "exact"])},
            {"name": "group-allocator", "rules": "paper",
             "solver": r.choice(["greedy", "exact"])}])]
    if kind == "shared":
        profile["reserve"] = ["gpu-sharing"]
        profile["score"] = [r.choice(["gpu-packing", "best-fit", "dot-product", "random",
                                      "gpu-clustering", "topology-aware-packing",
                                      "topology-aware-fragmentation",
                                      "fragmentation-gradient-descent"])]
    if kind == "providers":
        profile["filter"] = [{"name": "allocation-candidates",
                              "choice": r.choice(["first", "pack", "spread"])}]
    if made.quotas:
        if r.random() < 0.8:
            profile["preFilter"] = [{
                "name": "elastic-quota", "limit": r.choice(["runtime", "runtime", "max", "min"]),
                "checkParents": r.random() < 0.4, "scaleMin": r.random() < 0.7,
                "refresh": r.choice(["0s", "1s", "5s"])}]
        if r.random() < 0.4:
            profile["postFilter"] = [r.choice([
                "in-quota-preemption", "gang-preemption",
                {"name": "gang-preemption", "reclaim": True}])]
    result = {"profile": profile}
    if r.random() < 0.3:
        result["period"] = r.choice(["1s", "7s", "500ms"])
    if r.random() < 0.15:
        result["retry"] = "never"
    if r.random() < 0.4:
        result["lostWork"] = r.choice([0, 0.25, 0.5])
    return result


def failures(r, made):
    events, at = [], 0
    for server in r.sample(made.servers, min(len(made.servers), r.randint(1, 3))):
        at = r.randint(5, 100)
        if r.random() < 0.25:
            events.append({"at": f"{at}s", "node": server, "event": "add"})
            continue
        events.append({"at": f"{at}s", "node": server, "event": "fail"})
        if r.random() < 0.7:
            events.append({"at": f"{at + r.randint(1, 60)}s", "node": server, "event": "repair"})
    return {"events": sorted(events, key=lambda e: int(e["at"][:-1]))}


def random_failures(number, made, spec):
    """Random failures, drawn separately, so that everything else with this number stays the same."""
    r = random.Random(f"failures {number}")
    if r.random() > 0.3:
        return
    named = spec.setdefault("failures", {})
    named["random"] = [{"name": f"cause-{i}", "level": r.choice(made.levels),
                        **r.choice([{"mtbf": f"{r.randint(20, 900)}s"},
                                    {"rate": f"{r.randint(1, 9)}/2000s"},
                                    {"mtbf": "200s", "distribution": "weibull", "shape": 0.7}]),
                        "repair": r.choice([f"{r.randint(0, 30)}s", {"mean": "10s"}])}
                       for i in range(r.randint(1, 3))]
    if r.random() < 0.3:
        named["crews"] = r.randint(1, 3)
    if r.random() < 0.3:
        named["lemons"] = {"share": 0.5, "factor": r.randint(1, 5)}
    if r.random() < 0.3:
        named["quarantine"] = {"failures": r.randint(1, 3), "within": "100s", "for": "60s"}
    if r.random() < 0.3 and made.servers:
        server = r.choice(made.servers)
        made.files["failures.csv"] = ("time_s,component,event,cause\n"
                                      f"{r.randint(0, 50)},{server},fail,board\n"
                                      f"{r.randint(50, 90)}.5,{server},repair,\n")
        named["file"] = "failures.csv"
    if random.Random(f"detection {number}").random() < 0.5:
        named["detection"] = random.Random(f"delay {number}").choice(["1s", "7s", "90s", "500ms"])


def random_drains(number, made, spec):
    """Drains, drawn separately: one node, or all nodes of a level, one after another."""
    r = random.Random(f"drains {number}")
    if r.random() > 0.35:
        return
    at, spec["drains"] = r.choice([0, r.randint(1, 40), r.randint(1, 40)]), []
    for _ in range(r.randint(1, 3)):
        length, nodes = r.choice([1, 5, 12.5, 40]), len(made.servers)
        entry = {"level": r.choice(made.levels), "at": f"{at}s", "for": f"{length}s"}
        if r.random() < 0.5 and made.servers:
            entry.update(level=made.levels[-1], name=r.choice(made.servers))
            nodes = 1
        elif nodes > 8:
            entry["level"] = made.levels[0]  # so that not every server has its own drain
        if r.random() < 0.3:
            entry["evict"] = False
        elif r.random() < 0.5:
            entry["grace"] = f"{r.choice([0, length / 2, length])}s"
        spec["drains"].append(entry)
        at += r.choice([length * nodes, length * nodes + r.randint(0, 30)])
    for source in spec["workload"]:  # lets jobs still run when a drain begins
        entries = source.get("pods") or source.get("groups") or []
        if "generate" in source:
            entries = source["generate"].get("mix") or [source["generate"]]
        for entry in entries:
            if r.random() < 0.5:
                entry["estimate"] = f"{r.choice([1, 5])}s"


def random_checkpoints(number, spec):
    """How types and jobs write checkpoints, also drawn separately."""
    r = random.Random(f"checkpoints {number}")
    if r.random() > 0.4:
        return

    def drawn():
        every = "optimal" if spec.get("failures", {}).get("random") and r.random() < 0.3 else (
            f"{r.choice([1, 3, 7.5, 20])}s")
        how = {"every": every, "takes": r.choice(["0.5s", "1s", "100ms"]),
               "restart": r.choice(["0s", "2s", "9s"])}
        if random.Random(f"stall {number}").random() < 0.4:
            how["stall"] = "50ms" if every == "optimal" else r.choice(["0s", "50ms", how["takes"]])
        return how

    for kind in (spec.get("types") or {}).values():
        if r.random() < 0.7:
            kind["checkpoint"] = drawn()
    for source in spec["workload"]:
        entries = source.get("pods") or source.get("groups") or []
        if "generate" in source:
            entries = source["generate"].get("mix") or [source["generate"]]
        for entry in entries:
            if r.random() < 0.3:
                entry["checkpoint"] = drawn()
    for source in spec["workload"]:  # after all others, so that their draws stay the same
        if "trace" in source and r.random() < 0.5:
            source["trace"]["checkpoint"] = drawn()


def quota(name, low, high, parent=None, is_parent=False, lends=True, weight=None):
    prefix = "quota.scheduling.koordinator.sh/"
    labels = {prefix + "is-parent": str(is_parent).lower(),
              prefix + "allow-lent-resource": str(lends).lower()}
    if parent:
        labels[prefix + "parent"] = parent
    notes = {prefix + "shared-weight": json.dumps(weight)} if weight else {}
    return {"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
            "metadata": {"name": name, "labels": labels, "annotations": notes},
            "spec": {"min": low, "max": high}}


def quotas(r, made):
    objects = []
    for team in ("red", "blue"):
        low = {"cpu": r.randint(8, 20), "memory": f"{r.randint(16, 40)}Gi"}
        high = {"cpu": r.randint(30, 90), "memory": f"{r.randint(90, 400)}Gi"}
        objects.append(quota(team, low, high, is_parent=True, lends=r.random() < 0.8))
        for part in ("train", "serve"):
            weight = {"cpu": r.randint(1, 9), "memory": f"{r.randint(1, 9)}Gi"}
            objects.append(quota(
                f"{team}-{part}", {"cpu": r.randint(0, 4), "memory": f"{r.randint(0, 8)}Gi"},
                {"cpu": r.randint(5, 60), "memory": f"{r.randint(20, 200)}Gi"}, parent=team,
                lends=r.random() < 0.7, weight=weight if r.random() < 0.5 else None))
            made.quotas.append(f"{team}-{part}")
    if r.random() < 0.2:
        objects += own_tree(r, made)
    return [{"objects": objects}]


def own_tree(r, made):
    """A tree with a total of its own, which is either excluded from the default tree or still part of it."""
    total = {"cpu": r.randint(4, 30), "memory": f"{r.randint(20, 90)}Gi"}
    root = quota("green", {"cpu": 2}, {"cpu": 60, "memory": "200Gi"}, is_parent=True)
    prefix = "quota.scheduling.koordinator.sh/"
    root["metadata"]["labels"].update({prefix + "tree-id": "own", prefix + "is-root": "true"})
    root["metadata"]["annotations"][prefix + "total-resource"] = json.dumps(total)
    if r.random() < 0.4:
        root["metadata"]["labels"][prefix + "ignore-default-tree"] = "true"
    leaves = [quota(f"green-{part}", {"cpu": r.randint(0, 1)},
                    {"cpu": r.randint(5, 40), "memory": "100Gi"}, parent="green",
                    lends=r.random() < 0.7) for part in ("a", "b")]
    for leaf in leaves:
        leaf["metadata"]["labels"][prefix + "tree-id"] = "own"
    made.quotas += ["green-a", "green-b"]
    return [root, *leaves]


def quota_changes(r, made):
    """Parts of quotas change; or quotas are also created and deleted, with some of the pods belonging to them."""
    changes = [{"at": "20s", "update": {"name": "red-train", "max": {"cpu": r.randint(4, 40)}}},
               {"at": "40s", "update": {"name": "blue-serve", "sharedWeight": {"cpu": 3}}},
               {"at": "60s", "update": {"name": "red", "min": {"cpu": 1}}}]
    if r.random() < 0.5:
        new = quota("red-new", {"cpu": 1}, {"cpu": r.randint(4, 40), "memory": "90Gi"}, "red")
        changes.append({"at": f"{r.randint(1, 90)}s", "create": new})
        made.quotas.append("red-new")
        changes.append({"at": f"{r.randint(1, 200)}s",
                        "delete": r.choice(["red-new", "blue-train", "blue-serve"])})
    return changes


def experiment(number):
    """The experiment with this number, and the files that it names."""
    r, made = random.Random(number), Made()
    kind = r.choice(["plain"] * 6 + ["devices"] * 2 + ["shared"] * 2 + ["providers"])
    spec = {"seed": r.randint(1, 10**6), "replications": r.choice([1, 2, 3])}
    spec.update(random_clusters.cluster(r, made, kind))
    if kind != "providers" and r.random() < 0.35:
        spec["quotas"] = quotas(r, made)
        if r.random() < 0.4:
            spec["recycler"] = {"period": "1s", "patience": f"{r.randint(0, 20)}s",
                                "rules": r.choice(["documented", "published"])}
        if r.random() < 0.25:
            spec["quotaChanges"] = quota_changes(r, made)
    if r.random() < 0.25:
        made.classes = ["steady", "slow"]
        spec["runTime"] = {"table": r.choice(["none", "linear", "measured"]), "classes": {
            "steady": {made.levels[0]: 1.25}, "slow": {made.levels[-1]: 1, made.levels[0]: 2.5}}}
    made.resizes = r.random() < 0.5
    sources = [work.groups] * 3 + [work.pods] * 2 + [work.generate] * 3
    made.shares = kind == "shared"
    if kind == "shared" or (kind == "plain" and made.levels[0] != "zone"):
        sources += [work.trace] * 2
    spec["workload"] = [r.choice(sources)(r, made) for _ in range(r.randint(1, 4))]
    if kind != "providers" and r.random() < 0.4:
        spec["workload"].insert(0, work.background(r, made))
    if made.running:
        spec["workload"].append(random_state.running(r, made))
    if kind == "devices" and r.random() < 0.4:
        spec["devices"] = random_state.device_objects(r, made)
    spec["scheduler"] = scheduler(r, made, kind)
    if r.random() < 0.3:
        spec["failures"] = failures(r, made)
    if r.random() < 0.3:
        spec["until"] = f"{r.randint(20, 500)}s"
    record = {"placements": True, "attainable": r.random() < 0.2}
    if r.random() < 0.7:
        record["sampleEvery"] = r.choice(["arrival", "1s", "7s", "10s", "60s"])
    if r.random() < 0.3:
        record.update(r.choice([{"from": "20s"}, {"from": "15s", "to": "80s"}, {"to": "60s"},
                                {"warmUp": "auto"}, {"warmUp": "30s"}]))
        spec.pop("until", None)  # a window has to end before it
    spec["record"] = record
    if r.random() < 0.3:
        spec["expect"] = {"pods_finished": {"min": 0}, "pods_running": [0, 1000],
                          "pods_submitted": {"max": 100000}}
        spec["claims"] = [{"metric": "pods_submitted", "expected": [0, 20]},
                          {"metric": "makespan_s", "expected": 100, "text": "a guess"}]
    r = random.Random(f"waits {number}")
    if r.random() < 0.5:
        record["waitsOver"] = r.sample(["0s", "1s", "10s", "90s", "1500ms", "10m"], 3)
    random_failures(number, made, spec)
    if "random" in spec.get("failures", {}):
        spec.setdefault("until", "2000s")  # avoids a million failures for a job without room
    random_checkpoints(number, spec)
    r = random.Random(f"on failure {number}")
    if "failures" in spec and r.random() < 0.6:
        name = r.choice(["requeue", "shrink", "replace", "replace"])
        rule = {"name": name, "giveUpAfter": r.randint(1, 4)} if r.random() < 0.3 else name
        if name == "replace":
            rule = with_spares(number, made, spec, rule)
        spec.setdefault("scheduler", {})["onFailure"] = rule
        if name != "requeue" and "detection" in spec["failures"]:
            forget_resizes(spec)
    random_drains(number, made, spec)
    document = {"apiVersion": "berth/v1", "kind": "Experiment",
                "metadata": {"name": f"random-{number}"}, "spec": spec}
    return document, made.files


def servers_of_levels(topology, made):
    """(level, number of servers of each of its nodes) for the levels for which it is known."""
    tree = topology.get("spec", {})
    if "nodes" in tree:
        return [("hall", len(made.servers))]
    found, servers = [], 1
    levels = tree.get("levels", [])
    for above, level in reversed(list(zip([{"name": "cluster"}, *levels], levels))):
        if not isinstance(level["count"], int):
            break
        servers *= level["count"]
        found.append((above["name"], servers))
    return found


def with_spares(number, made, spec, rule):
    """Servers kept free, drawn separately."""
    r = random.Random(f"spares {number}")
    levels = [each for each in servers_of_levels(spec["topology"], made) if each[1] > 1]
    if not levels or r.random() < 0.4:
        return rule
    level, servers = r.choice(levels)
    rule = dict(rule) if isinstance(rule, dict) else {"name": rule}
    return {**rule, "spares": {"level": level, "count": r.randint(0, min(3, servers - 1))}}


def forget_resizes(spec):
    """Removes resizes: a group that asks for another size while it hangs may continue and get it at the same instant,
    and the files do not tell which of its members was there first."""
    for source in spec["workload"]:
        for group in source.get("groups", []):
            group.pop("resize", None)


def try_one(berth, number, folder):
    """The findings for one experiment."""
    here = os.path.join(folder, str(number))
    os.makedirs(here, exist_ok=True)
    document, files = experiment(number)
    files = {**files, "experiment.yaml": json.dumps(document, indent=1)}
    for name, text in files.items():
        with open(os.path.join(here, name), "w", encoding="utf-8") as file:
            file.write(text)
    command = [berth, "run", "experiment.yaml", "-o", "out", "-j", "1", "--quiet",
               "--check-invariants"]
    try:
        ran = subprocess.run(command, cwd=here, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return ["berth run did not end within 120 s"]
    if ran.returncode != 0:
        return [f"berth run ends with {ran.returncode}: {ran.stderr.strip()[:600]}"]
    return findings_of(os.path.join(here, "out"))


def main(arguments):
    keep = None
    if "--keep" in arguments:
        at = arguments.index("--keep")
        keep = arguments[at + 1]
        del arguments[at : at + 2]
    berth = os.path.abspath(arguments[0])
    usual = 500 if os.environ.get("BERTH_LONG") else 40
    count = int(arguments[1]) if len(arguments) > 1 else usual
    first = int(arguments[2]) if len(arguments) > 2 else 0
    folder = keep or tempfile.mkdtemp(prefix="berth-random-")
    wrong = 0
    numbers = range(first, first + count)
    with ProcessPoolExecutor() as pool:
        found = list(pool.map(try_one, [berth] * count, numbers, [folder] * count))
    for number, findings in zip(numbers, found):
        for finding in findings[:20]:
            print(f"experiment {number}: {finding}")
        wrong += bool(findings)
        if not findings or not keep:
            shutil.rmtree(os.path.join(folder, str(number)), ignore_errors=True)
    if not keep:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{count} random experiments recomputed: something found in {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
