#!/usr/bin/env python3
"""Runs random experiments that kube-scheduler decides, and repeats them plainly with its model.

usage: compare_runs.py BERTH MODELS [--count N] [--first SEED]

MODELS is the folder of kube_scheduler.py; without it nothing is compared (status 77). The queue is repeated here, with
lists that are searched through, and each cycle asks the model about the whole cluster anew. Every difference is printed
with its seed; the status is 1 if there is any.
"""
import argparse
import csv
import heapq
import json
import os
import random
import subprocess
import sys
import tempfile

from plain_gangs import GangCycles

SECOND = 10**9


def constraints(rng):
    """What a pod may say about nodes and other pods, as keys of an entry."""
    app = rng.choice(["a", "b"])
    selector = {"matchLabels": {"app": app}} if rng.random() < 0.9 else {}
    says = {"labels": {"app": app}} if rng.random() < 0.9 else {}
    keys = ["topology.kubernetes.io/zone", "kubernetes.io/hostname", "rack"]
    if rng.random() < 0.6:
        says["topologySpreadConstraints"] = [
            {"maxSkew": rng.randint(1, 2), "topologyKey": key, "labelSelector": selector,
             "whenUnsatisfiable": rng.choice(["DoNotSchedule", "ScheduleAnyway"])}
            for key in rng.sample(keys, rng.randint(1, 2))]
    if rng.random() < 0.4:
        term = {"topologyKey": rng.choice(keys), "labelSelector": selector}
        kind = rng.choice(["podAffinity", "podAntiAffinity"])
        says["affinity"] = {kind: rng.choice([
            {"requiredDuringSchedulingIgnoredDuringExecution": [term]},
            {"preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": rng.randint(1, 100), "podAffinityTerm": term}]}])}
    if rng.random() < 0.3:
        says["nodeSelector"] = {"topology.kubernetes.io/zone": f"zone-{rng.randint(0, 2)}"}
    return says


def add_objects(rng, spec):
    """Adds Services, Namespaces and PodDisruptionBudgets to a half of the experiments, and labels to jobs."""
    if rng.random() < 0.5:
        return
    objects = [{"kind": "Namespace", "metadata": {"name": name, "labels": {"team": rng.choice("xy")}}}
               for name in ("default", "lab") if rng.random() < 0.8]
    selectors = [{"app": "a"}, {"app": "b"}, {"app": "a", "tier": "front"}]
    for number in range(rng.randint(0, 3)):
        objects.append({"apiVersion": "v1", "kind": "Service", "metadata": {
            "name": f"s{number}", "namespace": rng.choice(["default", "default", "lab"])},
            "spec": {"selector": rng.choice(selectors)}})
    for number in range(rng.randint(0, 3)):
        limit = {rng.choice(["minAvailable", "maxUnavailable"]): rng.choice([0, 1, 2, 3, "30%", "50%", "75%"])}
        objects.append({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {
            "name": f"b{number}", "namespace": rng.choice(["default", "default", "lab"])},
            "spec": {"selector": {"matchLabels": rng.choice(selectors[:2])}, **limit}})
    spec["scheduler"]["kube"]["objects"] = objects
    if rng.random() < 0.3:
        constraint = {"maxSkew": rng.randint(1, 2), "topologyKey": rng.choice(["topology.kubernetes.io/zone", "rack"]),
                      "whenUnsatisfiable": rng.choice(["DoNotSchedule", "ScheduleAnyway"])}
        spec["scheduler"]["kube"]["config"] = {
            "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": [
                {"pluginConfig": [{"name": "PodTopologySpread", "args": {
                    "defaultingType": "List", "defaultConstraints": [constraint]}}]}]}
    is_crowded = rng.random() < 0.5  # so that there is much to preempt
    for group in spec["workload"][0]["groups"]:
        if rng.random() < 0.4:
            group["namespace"] = "lab"
        if "labels" not in group and rng.random() < 0.9:
            group["labels"] = {"app": rng.choice("ab")}
        if is_crowded:
            group.update(priority=rng.choice([0, 0, 0, 5, 10]), lifetime=f"{rng.randint(500, 5000)}s")
        if rng.random() < 0.3:
            group.setdefault("labels", {})["tier"] = "front"
        for kind in group.get("affinity", {}).values():
            for terms in kind.values():
                if rng.random() < 0.5:
                    terms[0].get("podAffinityTerm", terms[0])["namespaceSelector"] = {
                        "matchLabels": {"team": rng.choice("xy")}}


def add_sets(rng, spec):
    """Adds ReplicaSets and Deployments, whose pods kube-scheduler spreads by default, to a half of the experiments."""
    if rng.random() < 0.5:
        return
    entries = []
    for number in range(rng.randint(1, 3)):
        says = constraints(rng) if rng.random() < 0.3 else {"labels": {"app": rng.choice("ab")}}
        labels = says.pop("labels", None) or {"app": "a"}
        template = {"metadata": {"labels": labels}, "spec": {**says, "containers": [
            {"name": "c", "resources": {"requests": {"cpu": str(rng.randint(1, 4))}}}]}}
        entries.append({"document": {"apiVersion": "apps/v1", "kind": rng.choice(["ReplicaSet", "Deployment"]),
                                     "metadata": {"name": f"set{number}", "namespace": rng.choice(["default", "lab"])},
                                     "spec": {"replicas": rng.randint(2, 8), "template": template,
                                              "selector": {"matchLabels": {"app": labels["app"]}}}},
                        "at": f"{rng.randint(0, 300)}s", "lifetime": f"{rng.randint(100, 3000)}s",
                        "priority": rng.choice([0, 0, 5])})
    spec["workload"].append({"pods": entries})


def jobs_of_sets(spec):
    """The pods of these sets as groups of one member: each with its name, and with what controls it."""
    groups = []
    for entry in spec["workload"][1]["pods"] if len(spec["workload"]) > 1 else []:
        one = entry["document"]
        name, name_space = one["metadata"]["name"], one["metadata"]["namespace"]
        template = one["spec"]["template"]
        added = {"pod-template-hash": "berth"} if one["kind"] == "Deployment" else {}
        spec["types"][name] = template["spec"]["containers"][0]["resources"]["requests"]
        for number in range(one["spec"]["replicas"]):
            groups.append({
                "name": f"{name_space}/{name}-{number}", "namespace": name_space, "priority": entry["priority"],
                "at": entry["at"], "lifetime": entry["lifetime"],
                "labels": {**template["metadata"]["labels"], **added}, "owner": name,
                **{key: value for key, value in template["spec"].items() if key != "containers"},
                "document": {"spec": {"group": {"size": 1, "minAvailable": 1, "type": name}}}})
    return groups


def add_gangs(rng, spec):
    """Jobs are gangs, and some of them belong to PodGroups of several jobs."""
    gangs = spec["scheduler"]["kube"]["gangs"] = {}
    spec["until"] = "25m"  # gangs may preempt each other without end
    if "version" in spec["scheduler"]["kube"]:
        if rng.random() < 0.4:
            gangs["workloadAwarePreemption"] = False  # nobody preempts for gangs
    elif rng.random() < 0.4:
        gangs["workloadAwarePreemption"] = True
    entries = spec["workload"][0]["groups"]
    for entry in entries:
        if rng.random() < 0.3:
            group = entry["document"]["spec"]["group"]
            group["size"] = rng.randint(2, 5)
            group["minAvailable"] = rng.randint(1, group["size"])
    gangs["podGroups"] = []
    for name in ("one", "two", "three")[:len(entries) // 4]:
        at_home = [entry for entry in entries if "namespace" not in entry]  # where the PodGroups are
        members = rng.sample(at_home, min(len(at_home), rng.randint(1, 4)))
        if not members:
            break
        at = rng.choice(members)["at"]
        for entry in members:
            entry["schedulingGroup"] = {"podGroupName": name}
            entry["at"] = at if rng.random() < 0.7 else entry["at"]
        entries = [entry for entry in entries if entry not in members]
        size = sum(entry["document"]["spec"]["group"]["size"] for entry in members)
        gangs["podGroups"].append({
            "metadata": {"name": name},
            "spec": {"schedulingPolicy": rng.choice([{"basic": {}}, {"gang": {"minCount": rng.randint(1, size)}},
                                                     {"gang": {"minCount": size}}]),
                     "priority": rng.choice([0, 4, 10])}})
        said = gangs["podGroups"][-1]["spec"]
        if rng.random() < 0.35:
            said["schedulingConstraints"] = {"topology": [
                {"key": rng.choice(["topology.kubernetes.io/zone", "rack", "kubernetes.io/hostname", "no-label"])}]}
        if rng.random() < 0.4 and "version" not in spec["scheduler"]["kube"]:
            said["disruptionMode"] = "PodGroup"


def add_weights(rng, spec):
    """A weight and resources of NodeResourcesFit, which also say which domain is best for a gang."""
    config = spec["scheduler"]["kube"].setdefault("config", {
        "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": [{}]})
    profile = config["profiles"][0]
    weight = rng.choice([1, 2, 3, 10])
    profile["plugins"] = {"multiPoint": {"enabled": [{"name": "NodeResourcesFit", "weight": weight}]}}
    names = rng.sample(["cpu", "memory", "nvidia.com/gpu"], rng.randint(1, 3))
    profile.setdefault("pluginConfig", []).append({"name": "NodeResourcesFit", "args": {"scoringStrategy": {
        "type": rng.choice(["LeastAllocated", "MostAllocated"]),
        "resources": [{"name": name, "weight": rng.randint(1, 5)} for name in names]}}})


def experiment(seed):
    """A document, and its pods in the order of their arrival."""
    rng = random.Random(seed)
    zones, racks, servers = rng.randint(1, 3), rng.randint(1, 2), rng.randint(1, 4)
    types = {"cpu": {"cpu": rng.randint(1, 6)}, "gpu": {"cpu": 1, "memory": "2Gi", "nvidia.com/gpu": rng.randint(1, 3)},
             "big": {"cpu": rng.randint(6, 12), "memory": f"{rng.randint(1, 30)}Gi"}}
    groups = []
    for number in range(rng.randint(5, 25)):
        size = rng.choice([1, 1, 1, 2, 3])
        pod_type = rng.choice(list(types))
        groups.append({"document": {"apiVersion": "berth/v1", "kind": "GroupPlacement",
                                    "metadata": {"name": f"g{number}"},
                                    "spec": {"group": {"name": f"g{number}", "size": size, "type": pod_type,
                                                       "minAvailable": rng.randint(1, size)}}},
                       "name": f"g{number}", "at": f"{rng.randint(0, 400) * rng.choice([1, 7])}s",
                       "priority": rng.choice([0, 0, 0, 5, 10]), "lifetime": f"{rng.randint(1, 2000)}s",
                       **(constraints(rng) if seed % 2 else {})})
    events = []
    everywhere = range(zones * racks * servers)
    for number in rng.sample(everywhere, rng.randint(0, min(3, len(everywhere)))):
        at = rng.randint(1, 600)
        for event in rng.sample(["fail", "repair", "fail", "repair"], 4)[:rng.randint(1, 4)]:
            events.append({"at": f"{at}s", "node": f"server-{number}", "event": event})
            at += rng.randint(0, 700)
    if rng.random() < 0.2:  # none is left for a while
        events = [{"at": at, "node": f"server-{number}", "event": event}
                  for at, event in (("70s", "fail"), ("95s", "repair")) for number in everywhere]
    spec = {"topology": {"spec": {"levels": [{"name": "zone", "count": zones}, {"name": "rack", "count": racks},
                                             {"name": "server", "count": servers}],
                                  "machines": [{"type": "m"}],
                                  "machineTypes": {"m": {"capacity": {
                                      "cpu": 12, "memory": "32Gi", "nvidia.com/gpu": 4}}}}},
            "types": types, "workload": [{"groups": groups}], "until": "3h", "scheduler": {"kube": {}}}
    if seed % 3 and events:
        spec["failures"] = {"events": events}
    if rng.random() < 0.3:
        spec["scheduler"]["kube"]["version"] = "1.37"
    add_objects(random.Random(f"objects {seed}"), spec)
    add_sets(random.Random(f"sets {seed}"), spec)
    if seed % 4 == 3:
        add_gangs(rng, spec)
        weights = random.Random(f"weights {seed}")
        if weights.random() < 0.5:
            add_weights(weights, spec)
    document = {"apiVersion": "berth/v1", "kind": "Experiment", "metadata": {"name": f"random-{seed}"}, "spec": spec}
    return document, zones, racks, servers


def nodes_of(zones, racks, servers):
    """The nodes in the order of the tree."""
    nodes = []
    for zone in range(zones):
        for rack in range(racks):
            for server in range(servers):
                number = (zone * racks + rack) * servers + server
                nodes.append({"metadata": {"name": f"server-{number}",
                                           "labels": {"topology.kubernetes.io/zone": f"zone-{zone}",
                                                      "rack": f"rack-{zone * racks + rack}",
                                                      "kubernetes.io/hostname": f"server-{number}"}},
                              "status": {"allocatable": {
                                  "cpu": "12", "memory": "32Gi", "nvidia.com/gpu": "4", "pods": "110"}}})
    return nodes


class Pod:
    def __init__(self, number, job, turn, now):
        self.number, self.job, self.turn, self.since = number, job, turn, now
        self.failures, self.errors, self.until, self.state = 0, 0, 0, "active"
        self.nominated, self.plugins = None, set()
        self.early, self.seen = None, 0


class Plain(GangCycles):
    """The same run again, plainly: jobs by (arrival, order), a list of pods, and the model."""

    def __init__(self, model, document, nodes):
        self.model, self.nodes, self.types, self.down = model, nodes, document["spec"]["types"], []
        self.jobs, self.pods, self.next, self.numbers, self.turns, self.now = [], [], 0, 0, 0, 0
        self.events, self.stints, self.order, self.changed, self.ring = [], [], 0, False, None
        self.objects, self.config = self.read(document["spec"]["scheduler"]["kube"])
        self.on_node = {node["metadata"]["name"]: [] for node in nodes}
        self.sets = [{"metadata": one["metadata"], "spec": {"selector": {"matchLabels": {
            **one["spec"]["selector"]["matchLabels"],
            **({"pod-template-hash": "berth"} if one["kind"] == "Deployment" else {})}}}}
            for source in document["spec"]["workload"][1:] for one in (entry["document"] for entry in source["pods"])]
        groups = document["spec"]["workload"][0]["groups"] + jobs_of_sets(document["spec"])
        self.changes, kube = 0, document["spec"]["scheduler"]["kube"]
        self.gangs, self.stops_early = kube.get("gangs"), kube.get("version") == "1.37"
        self.as_a_whole = self.gangs is not None and self.gangs.get("workloadAwarePreemption", self.stops_early)
        for at, entry in sorted(((int(g["at"][:-1]) * SECOND, g) for g in groups), key=lambda pair: pair[0]):
            group = entry["document"]["spec"]["group"]
            job = {"name": entry["name"], "size": group["size"], "min": group["minAvailable"],
                   "priority": entry["priority"],
                   "type": group["type"], "left": int(entry["lifetime"][:-1]) * SECOND, "places": [], "began": None,
                   "stay": 0, "done": False, "came": False, "there": False, "says": entry, "preempted": None}
            self.jobs.append(job)
            self.push(at, 2, ("arrive", job))
        for event in document["spec"].get("failures", {}).get("events", []):
            self.push(int(event["at"][:-1]) * SECOND, 1, ("server", event["node"], event["event"] == "repair"))

    @staticmethod
    def read(kube):
        """The objects by their kinds, and the configuration, in the form of the model."""
        objects = {"Namespace": [], "Service": [], "PodDisruptionBudget": []}
        for one in kube.get("objects", []):
            objects[one["kind"]].append(one)
        objects["Namespace"] = [
            {"metadata": {"name": name, "labels": {**labels, "kubernetes.io/metadata.name": name}}}
            for name, labels in ((one["metadata"]["name"], one["metadata"]["labels"]) for one in objects["Namespace"])]
        profile = kube["config"]["profiles"][0] if "config" in kube else {}
        enabled = profile.get("plugins", {}).get("multiPoint", {}).get("enabled", [])
        return objects, {"pluginConfig": {one["name"]: one["args"] for one in profile.get("pluginConfig", [])},
                         "weights": {one["name"]: one["weight"] for one in enabled}}

    def budgets(self):
        """The budgets with what they allow now. No object controls the pods, so each counts as one that is expected."""
        for budget in self.objects["PodDisruptionBudget"]:
            selector = self.model.label_selector(budget["spec"]["selector"])
            jobs = [job for job in self.jobs if job["came"] and not job["done"] and
                    self.namespace(job) == budget["metadata"]["namespace"] and
                    self.model.sel_match(selector, job["says"].get("labels", {}))]
            expected = sum(job["size"] for job in jobs)
            healthy = sum(len(job["places"]) for job in jobs)
            limit = budget["spec"].get("minAvailable", budget["spec"].get("maxUnavailable"))
            if isinstance(limit, str):
                limit = -(-expected * int(limit[:-1]) // 100)
            wanted = limit if "minAvailable" in budget["spec"] else max(0, expected - limit)
            yield dict(budget, status={"disruptionsAllowed": max(0, healthy - wanted) if expected else 0})

    @staticmethod
    def namespace(job):
        return job["says"].get("namespace", "default")

    def push(self, at, kind, what):
        self.order += 1
        heapq.heappush(self.events, (at, kind, self.order, what))

    def object_of(self, pod):
        job = pod.job
        keys = ("affinity", "nodeSelector", "topologySpreadConstraints")
        spec = {key: job["says"][key] for key in keys if key in job["says"]}
        return {"metadata": {"name": f"{job['name']}-{pod.number}", "uid": str(pod.number),
                             "namespace": self.namespace(job),
                             "labels": job["says"].get("labels", {}),
                             "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "controller": True,
                                                  "name": job["says"]["owner"]}] if "owner" in job["says"] else []},
                "spec": {"priority": job["priority"], **spec,
                         "containers": [{"name": "main", "resources": {"requests": {
                             key: str(value) for key, value in self.types[job["type"]].items()}}}]},
                "status": {}}

    def cluster(self):
        running, nominated = [], []
        for node, pods in self.on_node.items():
            for number, job, since in pods:
                one = self.object_of(Pod(number, job, 0, 0))
                one["spec"]["nodeName"] = node
                one["status"]["startTime"] = since
                running.append(one)
        for pod in sorted(self.pods, key=lambda pod: pod.number):
            if pod.nominated:
                one = self.object_of(pod)
                one["status"]["nominatedNodeName"] = pod.nominated
                nominated.append(one)
        return {"nodes": self.nodes, "pods": running, "nominated": nominated, "config": self.config,
                "namespaces": self.objects["Namespace"], "services": self.objects["Service"],
                "replicasets": self.sets, "pdbs": list(self.budgets())}

    def enqueue(self, job, rests=False):
        job["there"] = True
        gated = self.is_gated(job)
        for _ in range(job["size"]):
            self.pods.append(Pod(self.numbers, job, self.stamp(), self.now))
            self.pods[-1].state = "rests" if rests else "parked" if gated else "active"
            self.pods[-1].until = (self.now + SECOND) // SECOND * SECOND if rests else 0
            self.numbers += 1

    def group_of(self, job):
        """The jobs of a job's PodGroup that are there, its minCount and its priority; None without a group."""
        if self.gangs is None:
            return None
        name = job["says"].get("schedulingGroup", {}).get("podGroupName")
        if name is None:
            return None if job["size"] == 1 else ([job], job["min"], job["priority"])
        spec = next(one["spec"] for one in self.gangs["podGroups"] if one["metadata"]["name"] == name)
        jobs = [one for one in self.jobs if one["there"] and not one["done"] and
                one["says"].get("schedulingGroup", {}).get("podGroupName") == name]
        return jobs, spec["schedulingPolicy"].get("gang", {}).get("minCount", 1), spec["priority"]

    def is_gated(self, job):
        group = self.group_of(job)
        return group is not None and sum(one["size"] for one in group[0]) < group[1]

    def has_work(self):
        return self.pick() or any(pod.state == "parked" for pod in self.pods)

    def nominate(self, pod, node):
        self.changes += 1 if node or pod.nominated else 0
        pod.nominated = node

    def stamp(self):
        self.turns += 1
        return self.turns

    def happened(self, job, deleted):
        """A pod of a job came or left: those pods that this may help may be tried again."""
        self.changed = True
        for pod in self.pods:
            if pod.state == "waits" and self.may_help(job, deleted, pod):
                self.activate(pod)

    def server(self, name, comes):
        """A server leaves with all jobs on it, or comes back, as the node that was created last."""
        source, other = (self.down, self.nodes) if comes else (self.nodes, self.down)
        node = next((one for one in source if one["metadata"]["name"] == name), None)
        if node is None:
            return
        for job in self.jobs if not comes else []:
            if any(on == name for _, on, _ in job["places"]):
                self.stop(job, True)
        source.remove(node)
        other.append(node)
        self.changed = True
        self.changes += 1
        for pod in self.pods:
            if pod.state == "waits" and self.node_may_help(node, comes, pod):
                self.activate(pod)
        if self.has_work():
            self.ring_at(self.now)

    def node_may_help(self, node, comes, pod):
        says, labels = pod.job["says"], node["metadata"]["labels"]
        if "PodTopologySpread" in pod.plugins and all(one.key in labels for one in self.hard_constraints(pod)):
            return True
        if not comes:
            return False
        if "NodeResourcesFit" in pod.plugins:
            room = self.model.Scheduler({"nodes": [node], "pods": [], "pod": self.object_of(pod)})
            bare = dict(self.object_of(pod))
            bare["spec"] = {"containers": bare["spec"]["containers"]}
            if room.find(bare)[0]:
                return True
        selector = says.get("nodeSelector", {})
        if "NodeAffinity" in pod.plugins and all(labels.get(key) == value for key, value in selector.items()):
            return True
        return "InterPodAffinity" in pod.plugins and (
            bool(self.terms(pod.job, "podAntiAffinity")) or
            any(term["topologyKey"] in labels for term in self.terms(pod.job, "podAffinity")))

    def activate(self, pod):
        """A pod is taken early only once at an instant."""
        pod.state = ("active" if pod.until < self.now // SECOND * SECOND else
                     "rests" if pod.early == self.now else "backoff")

    def hard_constraints(self, pod):
        asked = self.object_of(pod)
        return self.model.Scheduler(dict(self.cluster(), nodes=[], pods=[], pod=asked)).constraints(
            asked, "DoNotSchedule")

    def is_meant(self, term, owner, job):
        """Whether a term of the pods of one job is about those of another."""
        selector = term.get("namespaceSelector")
        labels = next((one["metadata"]["labels"] for one in self.objects["Namespace"]
                       if one["metadata"]["name"] == self.namespace(job)), {})
        in_namespace = (self.namespace(owner) == self.namespace(job) if selector is None else
                        self.model.sel_match(self.model.label_selector(selector), labels))
        return in_namespace and self.model.sel_match(
            self.model.label_selector(term["labelSelector"]), job["says"].get("labels", {}))

    def terms(self, job, kind):
        return job["says"].get("affinity", {}).get(kind, {}).get("requiredDuringSchedulingIgnoredDuringExecution", [])

    def may_help(self, job, deleted, pod):
        def all_match(kind, owner, of):
            terms = self.terms(owner, kind)
            return bool(terms) and all(self.is_meant(term, owner, of) for term in terms)
        if deleted and "NodeResourcesFit" in pod.plugins:
            return True
        if "PodTopologySpread" in pod.plugins and self.namespace(job) == self.namespace(pod.job) and any(
                self.model.sel_match(one.sel, job["says"].get("labels", {})) for one in self.hard_constraints(pod)):
            return True
        if "InterPodAffinity" not in pod.plugins:
            return False
        if not deleted:
            return all_match("podAffinity", pod.job, job)
        return all_match("podAntiAffinity", pod.job, job) or all_match("podAntiAffinity", job, pod.job)

    def stop(self, job, evicted, preempted=False):
        if evicted:
            if job["began"] is not None:
                job["began"] = None
            self.pods = [pod for pod in self.pods if pod.job is not job]
        else:
            job["done"] = True
            self.pods = [pod for pod in self.pods if pod.job is not job]
            for _, node, since in job["places"]:
                self.stints.append((job["name"], node, since, self.now))
        for number, node, since in reversed(job["places"]):
            pods = self.on_node[node]  # as in a NodeInfo, the last pod takes the place of one that leaves
            pods[pods.index((number, job, since))] = pods[-1]
            pods.pop()
        count, job["places"] = len(job["places"]), []
        self.changes += 1
        job["stay"] += 1
        for _ in range(count):
            self.happened(job, True)
        if evicted:
            preempted = preempted and self.gangs is not None
            rests = preempted and job["preempted"] == self.now
            job["preempted"] = self.now if preempted else job["preempted"]
            self.enqueue(job, rests)

    def pick(self):
        rank = lambda pod: (-pod.job["priority"], pod.turn)  # noqa: E731
        active = [pod for pod in self.pods if pod.state == "active"]
        if active:
            return min(active, key=rank)
        backoff = [pod for pod in self.pods if pod.state == "backoff"]
        return min(backoff, key=lambda pod: (pod.until, rank(pod)), default=None)

    def cycle(self, pod):
        if self.group_of(pod.job):
            self.gang_cycle(pod)
            return
        self.pods.remove(pod)
        if pod.state == "backoff":
            pod.early = self.now
        asked = self.object_of(pod)
        if pod.nominated:
            asked["status"]["nominatedNodeName"] = pod.nominated
        self.pods.append(pod)
        if not self.nodes:  # an error, which no event ends but the end of the backoff
            pod.errors += 1
            pod.plugins, pod.state, pod.since, pod.turn = set(), "rests", self.now, self.stamp()
            pod.until = (self.now + min(10, 2 ** min(pod.errors - 1, 4)) * SECOND) // SECOND * SECOND
            pod.nominated = None
            return
        others = self.cluster()
        scheduler = self.model.Scheduler(dict(others, pod=asked, nextStartNodeIndex=self.next))
        feasible, diagnosis = scheduler.find(asked)
        if feasible:
            node = feasible[0].name
            if len(feasible) > 1:
                _, totals = scheduler.score(asked, feasible)
                node = self.model.heap_pop([one.name for one in feasible], totals)
            self.next = scheduler.next
            self.place(pod, node)
            return
        self.next = scheduler.next
        found = scheduler.preempt(asked, diagnosis)["out"]
        if found["eligible"]:
            self.nominate(pod, None)
        pod.failures, pod.errors = pod.failures + 1, 0
        pod.plugins, pod.state, pod.since, pod.turn = set(diagnosis["plugins"]), "waits", self.now, self.stamp()
        pod.until = (self.now + min(10, 2 ** min(pod.failures - 1, 4)) * SECOND) // SECOND * SECOND
        if found.get("nodes"):
            order = [node.name for node in scheduler.nodes]
            node = min(found["nodes"], key=order.index)
            self.clear_nominations(node, pod.job["priority"])
            self.nominate(pod, node)
            self.evict([int(name.rsplit("-", 1)[1]) for name in found["victims"][node]])

    def clear_nominations(self, node, priority):
        for other in self.pods:
            if other.nominated == node and other.job["priority"] < priority:
                self.nominate(other, None)

    def evict(self, numbers):
        """Stops the jobs of pods, each once."""
        owners = [next(job for job in self.jobs if any(number == one[0] for one in job["places"]))
                  for number in numbers]
        for i, owner in enumerate(owners):
            if owner not in owners[:i]:
                self.stop(owner, True, True)

    def put_back(self, pod, state, plugins):
        if plugins:
            pod.failures, pod.errors = pod.failures + 1, 0
        else:
            pod.errors += 1
        pod.plugins, pod.state, pod.since, pod.turn = plugins, state, self.now, self.stamp()
        pod.until = (self.now + min(10, 2 ** min((pod.errors or pod.failures) - 1, 4)) * SECOND) // SECOND * SECOND

    def place(self, pod, node):
        self.pods.remove(pod)
        job = pod.job
        job["places"].append((pod.number, node, self.now))
        self.on_node[node].append((pod.number, job, self.now))
        self.changed = True
        self.changes += 1
        if job["began"] is None and len(job["places"]) >= job["min"]:
            job["began"] = self.now
            self.push(self.now + job["left"], 0, ("finish", job, job["stay"]))
        self.happened(job, False)

    def ring_at(self, at):
        if self.ring is None or at < self.ring:
            self.ring = at
            self.push(at, 3, ("cycle", at))

    def decide(self):
        half_minute = 30 * SECOND
        waits = sorted((pod for pod in self.pods if pod.state == "waits"), key=lambda pod: pod.turn)
        for pod in self.pods:
            if pod.state in ("backoff", "rests") and pod.until < self.now // SECOND * SECOND:
                pod.state = "active"
        for pod in waits if self.now % half_minute == 0 else []:
            if pod.since + 300 * SECOND < self.now:
                self.activate(pod)
                self.changed = False
        again = True
        while again:
            while pod := self.pick():
                self.cycle(pod)
            for pod in self.pods:  # gangs are tried again if anything has changed since
                if pod.state == "parked" and pod.seen != self.changes and not self.is_gated(pod.job):
                    self.activate(pod)
            again = self.pick()
        waits = [pod for pod in self.pods if pod.state == "waits"]
        for pod in self.pods:
            if pod.state == "rests":
                self.ring_at(pod.until + SECOND)
        if self.changed and waits:
            over = max(self.now, min(waits, key=lambda pod: pod.turn).since + 300 * SECOND)
            self.ring_at((over // half_minute + 1) * half_minute)

    def run(self, until):
        while self.events and self.events[0][0] <= until:
            self.now, _, _, what = heapq.heappop(self.events)
            if what[0] == "arrive":
                what[1]["came"] = True
                self.enqueue(what[1])
                self.ring_at(self.now)
            elif what[0] == "server":
                self.server(what[1], what[2])
            elif what[0] == "finish":
                if not what[1]["done"] and what[1]["stay"] == what[2]:
                    self.stop(what[1], False)
                    if self.has_work():
                        self.ring_at(self.now)
            elif self.ring == what[1]:
                self.ring = None
                self.decide()
        for job in self.jobs:
            for _, node, since in job["places"]:
                self.stints.append((job["name"], node, since, None))
        return sorted(self.stints, key=str)


def tables_of(berth, document, wanted):
    """The rows of each wanted table of a run as maps; or what it said if it failed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "e.yaml")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        done = subprocess.run([berth, "run", path, "-o", os.path.join(folder, "out"), "--quiet", "--check-invariants"],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return done.stderr
        found = {}
        for table in wanted:
            with open(os.path.join(folder, "out", table), encoding="utf-8", newline="") as file:
                found[table] = list(csv.DictReader(file))
        return found


def run_of(berth, document):
    tables = tables_of(berth, document, ["pods.csv"])
    if isinstance(tables, str):
        return tables
    rows = [row for row in tables["pods.csv"] if row["start_s"]]
    return sorted(((row["group"] or row["pod"], row["node"], round(float(row["start_s"]) * SECOND),
                    round(float(row["finish_s"]) * SECOND) if row["finish_s"] else None) for row in rows), key=str)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth")
    parser.add_argument("models")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--step", type=int, default=1, help="3 modulo 4 are the seeds with gangs")
    given = parser.parse_args()
    if not os.path.isdir(given.models):
        return 77
    sys.path.insert(0, given.models)
    import kube_scheduler
    different = evicted = 0
    for seed in range(given.first, given.first + given.count * given.step, given.step):
        document, *counts = experiment(seed)
        plain = Plain(kube_scheduler, document, nodes_of(*counts))
        until = (25 * 60 if plain.gangs is not None else 3 * 3600) * SECOND
        want, got = plain.run(until), run_of(given.berth, document)
        evicted += sum(job["stay"] > 1 for job in plain.jobs)
        if want != got:
            different += 1
            print(f"{seed}: {len(want)} and {len(got)} pods" if isinstance(got, list) else f"{seed}: {got}")
            for one, other in zip(want, got):
                if one != other:
                    print(f"  model: {one}\n  berth: {other}")
                    break
    print(f"{given.count} runs, {evicted} jobs that were preempted: {different} differences")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
