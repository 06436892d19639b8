"""Small inputs of formats that are Kubernetes objects."""

import copy
import json

from forms import Form, experiment, node, nodes, table

CREATED = "2026-01-01T00:00:00Z"
ENDED = "2026-01-01T00:40:00Z"
QUOTA = "quota.scheduling.koordinator.sh/"


def made(version, kind, name, **parts):
    """An object; a `metadata` among the parts is merged with its name."""
    metadata = {"name": name, **parts.pop("metadata", {})}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **parts}


def of_kueue(kind, name, spec, **metadata):
    return made("kueue.x-k8s.io/v1beta2", kind, name, metadata=metadata, spec=spec)


def container(cpu):
    return {"name": "main", "resources": {"requests": {"cpu": cpu}}}


def condition(kind, reason, at):
    return {"type": kind, "status": "True", "reason": reason, "lastTransitionTime": at}


def workload(name, template, count=1, created=CREATED, started="2026-01-01T00:00:30Z"):
    """A Workload that was admitted and has finished."""
    one = of_kueue("Workload", name, {}, namespace="lab", creationTimestamp=created)
    one["spec"] = {
        "queueName": "lq",
        "podSets": [{"name": "main", "count": count, "template": template}],
    }
    one["status"] = {
        "conditions": [
            condition("Admitted", "Admitted", started),
            condition("Finished", "Succeeded", ENDED),
        ]
    }
    return one


class Objects(Form):
    """Kubernetes objects in a List."""

    source = ""
    scheduler = ""

    def write(self, objects, folder, reader):
        items = [one for kind in objects.values() for one in kind]
        for file, what in (("objects.json", items), ("nodes.json", self.nodes(items))):
            (folder / file).write_text(json.dumps({"kind": "List", "items": what}, indent=1))
        (folder / "experiment.yaml").write_text(self.document(reader))

    def nodes(self, items):
        return nodes()

    def document(self, reader):
        return experiment(self.source, self.scheduler)


class Pod(Objects):
    """Pods of an existing cluster, of a trace, and in Workloads."""

    readers = ("running", "kubernetes", "kueue")
    probed = (0, 1, 2)
    # A node without pods fails and comes back.
    events = "{at: 10m, node: c, event: fail}, {at: 20m, node: c, event: repair}"

    def objects(self):
        metadata = {"namespace": "lab", "creationTimestamp": CREATED}
        parts = {"spec": {"containers": [container("1")]}, "status": {"phase": "Pending"}}
        return {
            "Pod": [
                made("v1", "Pod", f"p{index}", metadata=metadata, **copy.deepcopy(parts))
                for index in range(3)
            ]
        }

    def write(self, objects, folder, reader):
        for pod in objects["Pod"]:
            if reader == "kubernetes":
                pod["status"].setdefault("startTime", "2026-01-01T00:00:10Z")
                for one in pod["status"].setdefault("containerStatuses", [{}]):
                    one.setdefault("state", {"terminated": {"finishedAt": ENDED}})
        if reader == "kueue":
            objects = {"Workload": [self.workload(pod) for pod in objects["Pod"]]}
        super().write(objects, folder, reader)

    @staticmethod
    def workload(pod):
        metadata = pod["metadata"]
        kept = {key: metadata[key] for key in ("labels", "annotations") if key in metadata}
        one = workload(metadata["name"], {"metadata": kept, "spec": pod["spec"]})
        one["metadata"]["namespace"] = metadata["namespace"]
        return one

    def document(self, reader):
        if reader == "running":
            running = "running: {file: objects.json, lifetime: 1h, pending: true}"
            return experiment(running) + f"  failures: {{events: [{self.events}]}}\n"
        return experiment(f"trace: {{format: {reader}, file: objects.json}}")


class Node(Objects):
    """Nodes, and pods that would all go to the first node that accepts them."""

    probed = (1,)

    def objects(self):
        return {"Node": nodes()}

    def write(self, objects, folder, reader):
        super().write(objects, folder, reader)
        specs = [{"containers": [container("1")]} for _ in range(4)]
        specs[1]["tolerations"] = [{"key": "k", "value": "v"}]
        specs[2]["nodeSelector"] = {"pool": "small"}
        pods = [made("v1", "Pod", f"p{index}", spec=spec) for index, spec in enumerate(specs)]
        gpu = "alibabacloud.com/gpu-"
        pods[3]["metadata"]["annotations"] = {gpu + "count": "1", gpu + "card-model": "B"}
        (folder / "pods.json").write_text(json.dumps({"kind": "List", "items": pods}))

    def nodes(self, items):
        return items

    def document(self, reader):
        return experiment("running: {file: pods.json, lifetime: 1h, pending: true}")

    def records(self, out):
        servers = {}
        for row in table(out / "nodes.csv"):
            row["server"] = row.pop("node")
            servers["server", row["server"]] = row
        return {**super().records(out), **servers}


class Workload(Objects):
    source = "trace: {format: kueue, file: objects.json}"

    def objects(self):
        template = {"spec": {"containers": [container("5")]}}
        return {
            "Workload": [
                workload(f"w{index}", copy.deepcopy(template), count=2) for index in range(3)
            ]
        }


class Job(Objects):
    source = "trace: {format: kueue, file: objects.json}"

    def objects(self):
        metadata = {
            "namespace": "lab",
            "creationTimestamp": CREATED,
            "labels": {"kueue.x-k8s.io/queue-name": "lq"},
        }
        template = {"metadata": {}, "spec": {"containers": [container("5")]}}
        parts = {
            "spec": {"parallelism": 4, "template": template},
            "status": {"startTime": "2026-01-01T00:00:30Z", "completionTime": ENDED},
        }
        jobs = [
            made("batch/v1", "Job", f"j{index}", **copy.deepcopy({"metadata": metadata, **parts}))
            for index in range(3)
        ]
        urgent = made("kueue.x-k8s.io/v1beta2", "WorkloadPriorityClass", "urgent", value=9)
        return {"Job": jobs, "WorkloadPriorityClass": [urgent]}


def cluster_queue(name):
    quota = {"name": "f", "resources": [{"name": "cpu", "nominalQuota": "64"}]}
    group = {"coveredResources": ["cpu"], "flavors": [quota]}
    return of_kueue("ClusterQueue", name, {"namespaceSelector": {}, "resourceGroups": [group]})


class Kueue(Objects):
    """The objects that set up Kueue, and three Workloads, the last of which comes a minute later."""

    source = "trace: {format: kueue, file: objects.json}"
    scheduler = "kueue: objects.json"

    def nodes(self, items):
        tainted = node("t", 16, "small")
        tainted["spec"]["taints"] = [{"key": "team", "value": "x", "effect": "NoSchedule"}]
        return [tainted, node("a", 16, "small"), node("b", 64, "big")]

    def objects(self):
        def small(index, created):
            template = {"spec": {"containers": [container("4")]}}
            return workload(f"w{index}", template, created=created, started=created)

        levels = {"levels": [{"nodeLabel": "kubernetes.io/hostname"}]}
        big = {"nodeLabels": {"pool": "big"}}
        settings = made("config.kueue.x-k8s.io/v1beta2", "Configuration", "kueue")
        return {
            "ClusterQueue": [cluster_queue(name) for name in ("q0", "q1", "q2")],
            "LocalQueue": [
                of_kueue("LocalQueue", "lq", {"clusterQueue": "q0"}, namespace="lab"),
                of_kueue("LocalQueue", "lq1", {"clusterQueue": "q1"}, namespace="lab"),
            ],
            "Cohort": [of_kueue("Cohort", "c", {})],
            "ResourceFlavor": [
                of_kueue("ResourceFlavor", "f", {}),
                of_kueue("ResourceFlavor", "g", big),
            ],
            "Topology": [of_kueue("Topology", "topology", levels)],
            "WorkloadPriorityClass": [
                made("kueue.x-k8s.io/v1beta2", "WorkloadPriorityClass", "high", value=9)
            ],
            "Configuration": [settings],
            "Workload": [
                small(0, CREATED),
                small(1, "2026-01-01T00:00:01Z"),
                small(2, "2026-01-01T00:01:00Z"),
            ],
        }

    def chosen(self, name, objects):
        return range(len(objects[name])) if name == "Workload" else [0]

    def document(self, reader):
        return super().document(reader).replace(", reserve: [{name: gpu-sharing}]", "")

    def records(self, out):
        """Includes which jobs Kueue admitted, and when."""
        records = super().records(out)
        for number, row in enumerate(table(out / "admissions.csv")):
            records["admission", number] = row
        return records


class ElasticQuota(Objects):
    """Quotas of a tree, and pods of two of them that ask for more than there is."""

    probed = (1,)

    def objects(self):
        def quota(name, parent, least, **labels):
            labels = {QUOTA + key.replace("_", "-"): value for key, value in labels.items()}
            if parent:
                labels[QUOTA + "parent"] = parent
            spec = {"min": {"cpu": least}, "max": {"cpu": 80}}
            version = "scheduling.sigs.k8s.io/v1alpha1"
            return made(version, "ElasticQuota", name, metadata={"labels": labels}, spec=spec)

        return {
            "ElasticQuota": [
                quota("root-a", "", 60, is_parent="true"),
                quota("team-a", "root-a", 20),
                quota("team-b", "root-a", 20),
                quota("team-c", "", 10),
            ]
        }

    def document(self, reader):
        pods = "{name: x, count: 30, type: two, quota: team-a}"
        others = "{name: y, count: 60, type: two, quota: team-b}"
        return experiment(f"pods: [{pods}, {others}]").replace("until: 24h", "until: 1h") + (
            "  types: {two: {cpu: 1}}\n  quotas: [{file: objects.json}]\n"
        )

    def records(self, out):
        rows = {}
        for row in table(out / "quotas.csv"):
            rows.setdefault((row["quota"], row["resource"]), row)
        return {**super().records(out), **rows}


class Device(Objects):
    """The devices of two nodes, and pods that get GPUs from them."""

    probed = (0,)
    has = (
        ("koordinator.sh/gpu-core", "100"),
        ("koordinator.sh/gpu-memory-ratio", "100"),
        ("koordinator.sh/gpu-memory", "80Gi"),
    )

    def objects(self):
        def gpu(name, minor):
            numa = minor // 2
            place = {"socketID": 0, "nodeID": numa, "pcieID": str(numa), "busID": f"0000:0{minor}"}
            of_gpu = {"type": "gpu", "id": f"GPU-{name}-{minor}", "minor": minor, "health": True}
            return {**of_gpu, "resources": dict(self.has), "topology": place}

        version = "scheduling.koordinator.sh/v1alpha1"
        return {
            "Device": [
                made(version, "Device", name, spec={"devices": [gpu(name, i) for i in range(4)]})
                for name in ("d", "e")
            ]
        }

    def nodes(self, items):
        gpus = {
            "nvidia.com/gpu": "4",
            "koordinator.sh/gpu-core": "400",
            "koordinator.sh/gpu-memory-ratio": "400",
            "koordinator.sh/gpu-memory": "320Gi",
            "koordinator.sh/rdma": "100",
        }
        return [node(name, 64, "gpus", **gpus) for name in ("d", "e")]

    def document(self, reader):
        pods = ["{name: x, type: two, lifetime: 1h}", "{name: y, type: two, lifetime: 1h, at: 1s}"]
        pods += ["{name: z, type: fast, lifetime: 1h}", "{name: v, type: virtual, lifetime: 1h}"]
        hints = {
            "fast": {"gpu": {"selector": {"matchLabels": {"type": "fast"}}}},
            "virtual": {"rdma": {"vfSelector": {"matchLabels": {"type": "general"}}}},
        }
        types = {"two": {"cpu": 1, "nvidia.com/gpu": 2}}
        types["fast"] = {"cpu": 1, "nvidia.com/gpu": 1}
        types["virtual"] = {"cpu": 1, "koordinator.sh/rdma": 1}
        for name, hint in hints.items():
            hinted = {"scheduling.koordinator.sh/device-allocate-hint": json.dumps(hint)}
            types[name]["annotations"] = hinted
        source = f"pods: [{', '.join(pods)}]"
        return experiment(source).replace("gpu-sharing", "device-allocator") + (
            f"  types: {json.dumps(types)}\n  devices: [{{file: objects.json}}]\n"
        )
