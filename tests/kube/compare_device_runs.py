#!/usr/bin/env python3
"""Runs random experiments whose pods claim devices, and repeats them plainly with models of what decides.

usage: compare_device_runs.py BERTH MODELS [--count N] [--first SEED]

MODELS is the folder of kube_scheduler.py and dra.py; without it nothing is compared (status 77). The runs are those of
compare_runs.py, with claims: each cycle asks the model of the allocator about each node anew, with all claims that are
allocated. Every difference is printed with its seed; the status is 1 if there is any.
"""
import argparse
import os
import random
import sys
import types

import compare_runs
import random_devices
from compare_runs import SECOND, Plain, nodes_of, run_of
from plain_gangs import CycleError

GPU = "gpu.example.com"


def slices_of(rng, zones, servers):
    """Pools of single nodes, and perhaps one of a zone and one of all nodes."""
    slices = []

    def pool(name, driver, where, devices):
        sets = ["set0"] if rng.random() < 0.2 else []
        parts = [{"devices": [random_devices.device(rng, i, driver, sets) for i in range(devices)]}]
        if devices > 1 and rng.random() < 0.3:
            all_devices = parts[0]["devices"]
            parts = [{"devices": all_devices[:1]}, {"devices": all_devices[1:]}]
        if sets:
            parts.append({"sharedCounters": [{"name": "set0", "counters": {"slices": {
                "value": str(rng.randint(2, 6))}}}]})
        count = len(parts) + (1 if rng.random() < 0.03 else 0)
        for number, part in enumerate(parts):
            slices.append({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
                           "metadata": {"name": f"{name}-{number}"},
                           "spec": {"driver": driver, **where, **part,
                                    "pool": {"name": name, "generation": 1, "resourceSliceCount": count}}})
    for number in range(servers):
        if rng.random() < 0.9:
            pool(f"server-{number}", GPU, {"nodeName": f"server-{number}"}, rng.randint(1, 4))
    if rng.random() < 0.3:
        zone = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [f"zone-{rng.randrange(zones)}"]}
        pool("of-zone", "nic.example.com", {"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [zone]}]}},
             rng.randint(1, 3))
    if rng.random() < 0.3:
        pool("of-all", "nic.example.com", {"allNodes": True}, rng.randint(1, 3))
    return slices


def claim_spec(rng, may_fail):
    spec = random_devices.claim(rng, 0)["spec"]
    del spec["devices"]["requests"][2:]  # the search is exponential
    names = [request["name"] for request in spec["devices"]["requests"]]
    for part in ("constraints", "config"):
        for one in spec["devices"].get(part, []):
            if "requests" in one:
                one["requests"] = names[:1]
    for request in spec["devices"]["requests"]:
        for one in [request["exactly"]] if "exactly" in request else request["firstAvailable"]:
            if one.get("count", 1) > 3:
                one["count"] = 3
            if rng.random() < 0.5:
                one["deviceClassName"] = "gpu"
            if not may_fail:
                one.pop("selectors", None)
                if one["allocationMode"] == "All":
                    one["allocationMode"] = "ExactCount"
    return spec


def add_devices(rng, document, counts):
    """Adds slices, classes, claims and templates, and claims of most pods."""
    spec = document["spec"]
    zones, racks, servers = counts
    may_fail = rng.random() < 0.2 and "gangs" not in spec["scheduler"]["kube"]
    objects = slices_of(rng, zones, zones * racks * servers)
    for name, text in (("gpu", f'device.driver == "{GPU}"'), ("any", "true"),
                       ("nic", 'device.driver == "nic.example.com"')):
        objects.append({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": name},
                        "spec": {"selectors": [{"cel": {"expression": text}}]}})
    templates, named = [f"t{i}" for i in range(rng.randint(1, 3))], [f"c{i}" for i in range(rng.randint(0, 3))]
    used = set()
    for name_space in ("default", "lab"):
        for name in templates:
            objects.append({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
                            "metadata": {"name": name, "namespace": name_space},
                            "spec": {"spec": claim_spec(rng, may_fail)}})
        for name in named:
            one = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
                   "metadata": {"name": name, "namespace": name_space}, "spec": claim_spec(rng, may_fail)}
            slice_ = next((s for s in rng.sample(objects, len(objects)) if s["kind"] == "ResourceSlice" and
                           "nodeName" in s["spec"] and s["spec"].get("devices")), None)
            if slice_ is not None and rng.random() < 0.2 and slice_["metadata"]["name"] not in used:
                used.add(slice_["metadata"]["name"])  # a claim that nobody uses holds a device
                of, device = slice_["spec"], slice_["spec"]["devices"][0]
                one["status"] = {"allocation": {
                    "devices": {"results": [{"request": one["spec"]["devices"]["requests"][0]["name"],
                                             "driver": of["driver"], "pool": of["pool"]["name"],
                                             "device": device["name"]}]},
                    "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [
                        {"key": "metadata.name", "operator": "In", "values": [of["nodeName"]]}]}]}}}
            objects.append(one)
    spec["scheduler"]["kube"].setdefault("objects", []).extend(objects)
    entries = list(spec["workload"][0]["groups"])
    entries += [entry["document"]["spec"]["template"]["spec"] for source in spec["workload"][1:]
                for entry in source["pods"]]
    for entry in entries:
        if rng.random() < 0.7:
            names = ["a", "b"][:rng.choice([1, 1, 1, 2])]
            entry["resourceClaims"] = [
                {"name": name, "resourceClaimName": rng.choice(named)} if named and rng.random() < 0.3 else
                {"name": name, "resourceClaimTemplateName": rng.choice(templates)} for name in names]
            if rng.random() < 0.02:
                entry["resourceClaims"][0] = {"name": "a", "resourceClaimTemplateName": "not-there"}


class Book:
    """The claims of a run: those that are allocated, by their keys."""

    def __init__(self, dra, objects):
        self.dra, self.held = dra, {}
        self.idle = []  # claims that nobody uses, and that are to lose their devices
        self.assumed = []  # pods of a gang that is being tried

        def of(kind):
            return [one for one in objects if one["kind"] == kind]
        self.slices, self.classes = of("ResourceSlice"), of("DeviceClass")
        self.specs = {(one["kind"], one["metadata"]["namespace"], one["metadata"]["name"]): one
                      for kind in ("ResourceClaim", "ResourceClaimTemplate") for one in of(kind)}
        for one in of("ResourceClaim"):
            if "status" in one:
                self.held[(one["metadata"]["namespace"], one["metadata"]["name"])] = {
                    "allocation": one["status"]["allocation"], "pods": set(), "pending": False}

    @staticmethod
    def claims(pod):
        """Each claim of a pod: its key, and the key of what describes it."""
        name_space, uid = pod["metadata"]["namespace"], pod["metadata"]["uid"]
        for one in pod["spec"].get("resourceClaims", []):
            if "resourceClaimName" in one:
                name = one["resourceClaimName"]
                yield (name_space, name), ("ResourceClaim", name_space, name)
            else:
                yield (f"/{uid}", one["name"]), (
                    "ResourceClaimTemplate", name_space, one["resourceClaimTemplateName"])

    def is_there(self, pod):
        return all(spec in self.specs for _, spec in self.claims(pod))

    def prefilter(self, pod):
        """Why a pod can run on no node."""
        for key, of in self.claims(pod):
            if key in self.held:
                if self.held[key]["pending"]:
                    return f"resource claim {key} is in the process of being allocated"
                continue
            spec = self.specs[of]["spec"]
            spec = spec["spec"] if of[0] == "ResourceClaimTemplate" else spec
            for request in spec["devices"]["requests"]:
                for one in [request["exactly"]] if "exactly" in request else request["firstAvailable"]:
                    if not any(made["metadata"]["name"] == one["deviceClassName"] for made in self.classes):
                        return f"device class {one['deviceClassName']} does not exist"
        return None

    def allocate(self, pod, node):
        """Results for the claims of the pod that are not allocated, or None."""
        claims = []
        for key, of in self.claims(pod):
            if key not in self.held:
                spec = self.specs[of]["spec"]
                claims.append({"metadata": {"name": key[1], "namespace": key[0]},
                               "spec": spec["spec"] if of[0] == "ResourceClaimTemplate" else spec})
        if not claims:
            return []
        exclusive, shared, consumed = [], [], {}
        for held in self.held.values():
            for one in held["allocation"]["devices"]["results"]:
                device = (one["driver"], one["pool"], one["device"])
                if one.get("adminAccess"):
                    continue
                if "shareID" not in one:
                    exclusive.append(list(device))
                    continue
                shared.append(list(device))
                amounts = consumed.setdefault(device, {})
                for name, value in one.get("consumedCapacity", {}).items():
                    amounts[name] = amounts.get(name, 0) + self.dra.qty(value)
        found = self.dra.allocate({
            "node": node, "claims": claims, "classes": self.classes, "slices": self.slices,
            "allocatedDevices": exclusive, "allocatedShared": shared,
            "aggregatedCapacity": [[*device, amounts] for device, amounts in consumed.items()]})
        if found["fatal"]:
            raise CycleError(found["error"])
        return found["results"]

    def is_available(self, pod, node):
        return all("nodeSelector" not in held["allocation"] or
                   self.dra.node_selector_match(held["allocation"]["nodeSelector"], node)
                   for held in self.holds(pod))

    def holds(self, pod):
        return [self.held[key] for key, _ in self.claims(pod) if key in self.held]

    def reserve(self, pod, node, pending=False):
        found = iter(self.allocate(pod, node))
        for key, _ in self.claims(pod):
            if key not in self.held:
                self.held[key] = {"allocation": next(found), "pods": set(), "pending": pending}
            elif pending:
                continue
            self.held[key]["pods"].add(pod["metadata"]["uid"])

    def release(self, pod):
        """Whether any claim loses its devices."""
        freed = False
        for key, _ in self.claims(pod):
            held = self.held.get(key)
            if held is not None and pod["metadata"]["uid"] in held["pods"]:
                held["pods"].remove(pod["metadata"]["uid"])
                if not held["pods"]:
                    del self.held[key]
                    freed = True
        return freed

    def forget(self):
        """The gang is no longer tried."""
        for pod in self.assumed:
            self.release(pod)
        self.assumed = []

    def points(self, pod, node):
        found, total = iter(self.allocate(pod, node)), 0
        for key, of in self.claims(pod):
            if key in self.held:
                continue
            spec = self.specs[of]["spec"]
            spec = spec["spec"] if of[0] == "ResourceClaimTemplate" else spec
            names = {one["request"] for one in next(found)["devices"]["results"]}
            for request in spec["devices"]["requests"]:
                for i, one in enumerate(request.get("firstAvailable", [])):
                    if f"{request['name']}/{one['name']}" in names:
                        total += 8 - i
        return total


def with_devices(model, book):
    """The model of kube-scheduler with the plugin DynamicResources."""

    class Scheduler(model.Scheduler):
        def __init__(self, given):
            super().__init__(given)
            self.preempts = False
            book.forget()
            for pod in given.get("pods") or []:
                uid = pod["metadata"]["uid"]
                if pod["spec"].get("resourceClaims") and not any(uid in held["pods"] for held in book.holds(pod)):
                    node = next(one for one in given["nodes"] if one["metadata"]["name"] == pod["spec"]["nodeName"])
                    book.reserve(pod, node, True)
                    book.assumed.append(pod)

        def prefilter(self, pod):
            found = super().prefilter(pod)
            why = book.prefilter(pod) if found[3] is None else None
            return found if why is None else (
                found[0], found[1], None, model.Status(model.UNRESOLV, why, plugin="DynamicResources"), [])

        def filters(self, pod, ni, st, skip):
            found = super().filters(pod, ni, st, skip)
            if found is not None or not pod["spec"].get("resourceClaims"):
                return found
            try:
                fits = book.allocate(pod, ni.node) is not None
            except CycleError as error:
                if not self.preempts:
                    raise
                return model.Status(model.ERROR, str(error), plugin="DynamicResources")
            if not fits:
                return model.Status(model.UNRESOLV, "cannot allocate all claims", plugin="DynamicResources")
            if not book.is_available(pod, ni.node):
                return model.Status(model.UNRESOLV, "resourceclaim not available on the node",
                                    plugin="DynamicResources")
            return None

        def preempt(self, pod, diag):
            self.preempts = True  # the search for victims goes on at the next node
            return super().preempt(pod, diag)

        def find(self, pod):
            found = super().find(pod)
            if not found[0]:
                self.deallocate(pod, found[1])
            return found

        def deallocate(self, pod, diagnosis):
            """PostFilter takes the devices from one claim of the pod that nobody uses elsewhere."""
            nodes = [ni.node for ni in self.nodes if ni.name in diagnosis["status"] and
                     "resourceclaim not available on the node" in diagnosis["status"][ni.name].reasons]
            for key, _ in book.claims(pod) if nodes else []:
                held = book.held.get(key)
                if held is not None and held["pods"] <= {pod["metadata"]["uid"]} and any(
                        "nodeSelector" in held["allocation"] and
                        not book.dra.node_selector_match(held["allocation"]["nodeSelector"], node) for node in nodes):
                    book.idle.append(key)
                    return

        def score(self, pod, feasible):
            table, totals = super().score(pod, feasible)
            raw = [book.points(pod, ni.node) for ni in feasible]
            return table, [total + 2 * points for total, points in
                           zip(totals, model.default_normalize(raw, False))]

    return types.SimpleNamespace(**{**vars(model), "Scheduler": Scheduler})


class PlainDevices(Plain):
    """The same run again, with claims."""

    def __init__(self, model, dra, document, nodes):
        kube = document["spec"]["scheduler"]["kube"]
        self.book = Book(dra, kube["objects"])
        self.freed, self.by_name = False, {node["metadata"]["name"]: node for node in nodes}
        super().__init__(with_devices(model, self.book), document, list(nodes))

    @staticmethod
    def read(kube):
        about = ("Namespace", "Service", "PodDisruptionBudget")
        return Plain.read({**kube, "objects": [one for one in kube["objects"] if one["kind"] in about]})

    def object_of(self, pod):
        made = super().object_of(pod)
        if "resourceClaims" in pod.job["says"]:
            made["spec"]["resourceClaims"] = pod.job["says"]["resourceClaims"]
        return made

    def enqueue(self, job, rests=False):
        if self.book.is_there(self.object_of(types.SimpleNamespace(job=job, number=0))):
            super().enqueue(job, rests)
        else:
            job["there"] = True

    def place(self, pod, node):
        self.book.forget()
        self.book.reserve(self.object_of(pod), self.by_name[node])
        super().place(pod, node)

    def stop(self, job, evicted, preempted=False):
        self.book.forget()
        freed = [self.book.release(self.object_of(types.SimpleNamespace(job=job, number=number)))
                 for number, _, _ in job["places"]]
        self.freed = any(freed)
        super().stop(job, evicted, preempted)

    def node_may_help(self, node, comes, pod):
        return super().node_may_help(node, comes, pod) or (comes and "DynamicResources" in pod.plugins)

    def may_help(self, job, deleted, pod):
        def named(one):
            return {claim["resourceClaimName"] for claim in one["says"].get("resourceClaims", [])
                    if "resourceClaimName" in claim}
        return super().may_help(job, deleted, pod) or ("DynamicResources" in pod.plugins and (
            (deleted and self.freed) or
            (self.namespace(job) == self.namespace(pod.job) and bool(named(job) & named(pod.job)))))

    def cycle(self, pod):
        self.book.idle = []
        try:
            super().cycle(pod)
        except CycleError:  # as where there are no nodes
            nodes, self.nodes = self.nodes, []
            super().cycle(pod)
            self.nodes = nodes
        self.book.forget()
        if self.stops_early and self.group_of(pod.job):
            return
        for key in set(self.book.idle):
            self.book.held.pop(key)
            self.changes += 1
        if self.book.idle:
            self.changed = True
            for other in self.pods:
                if other.state == "waits" and "DynamicResources" in other.plugins:
                    self.activate(other)

    def victims_of_gang(self, members, placed, least, priority):
        idle = list(self.book.idle)
        found = super().victims_of_gang(members, placed, least, priority)
        self.book.idle = idle
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth")
    parser.add_argument("models")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--first", type=int, default=1)
    given = parser.parse_args()
    if not os.path.isdir(given.models):
        return 77
    sys.path.insert(0, given.models)
    import dra
    import kube_scheduler
    different = waiting = 0
    for seed in range(given.first, given.first + given.count):
        document, *counts = compare_runs.experiment(seed)
        add_devices(random.Random(f"devices {seed}"), document, counts)
        plain = PlainDevices(kube_scheduler, dra, document, nodes_of(*counts))
        until = (25 * 60 if plain.gangs is not None else 3 * 3600) * SECOND
        want, got = plain.run(until), run_of(given.berth, document)
        waiting += sum("DynamicResources" in pod.plugins for pod in plain.pods)
        if want != got:
            different += 1
            print(f"{seed}: {len(want)} and {len(got)} pods" if isinstance(got, list) else f"{seed}: {got}")
            for one, other in zip(want, got):
                if one != other:
                    print(f"  model: {one}\n  berth: {other}")
                    break
    print(f"{given.count} runs, {waiting} pods that wait for devices at the end: {different} differences")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
