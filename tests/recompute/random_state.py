"""Random clusters in external formats: Kubernetes nodes with the pods that run on them, nested trees, node lists of
traces, Device objects."""

import json


def as_kubernetes(r, made, machines):
    """The output of `kubectl get nodes,pods -o json`; the file lies beside the experiment."""
    made.servers = [f"node-{i}" for i in range(r.randint(1, 10))]
    nodes, pods = [], []
    for name in made.servers:
        capacity = r.choice(list(machines.values()))["capacity"]
        labels = {"topology.kubernetes.io/zone": r.choice(["a", "b", "c"])}
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
                "spec": {}, "status": {"allocatable": {k: str(v) for k, v in capacity.items()}}}
        if r.random() < 0.15:
            node["spec"]["unschedulable"] = True
        if r.random() < 0.3:
            ready = r.choice(["True", "True", "False", "Unknown"])
            node["status"]["conditions"] = [{"type": "Ready", "status": ready}]
        nodes.append(node)
        pods += [pod_of(r, f"{name}-{i}", name, 1) for i in range(r.randint(0, 3))]
    pods += [pod_of(r, f"pending-{i}", None, r.randint(1, 4)) for i in range(r.randint(0, 3))]
    made.running = r.random() < 0.7
    items = nodes + (pods if made.running else [])
    made.files["nodes.json"] = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
    made.levels = ["zone", "server"]
    nodes = {"format": "kubernetes", "file": "nodes.json"}
    if r.random() < 0.3:
        nodes["unavailable"] = "keep"
    return {"nodes": nodes}


def pod_of(r, name, node, cpu):
    spec = {"containers": [{"resources": {"requests": {"cpu": str(cpu), "memory": "1Gi"}}}],
            "priority": r.randint(0, 5)}
    if node:
        spec["nodeName"] = node
    phase = r.choice(["Running", "Running", "Succeeded"]) if node else "Pending"
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "lab"},
            "spec": spec, "status": {"phase": phase}}


def running(r, made):
    """The source that lets the pods in the cluster's file run from the beginning."""
    source = {"file": "nodes.json", "pending": r.random() < 0.5}
    if r.random() < 0.7:
        source["lifetime"] = f"{r.randint(10, 200)}s"
    return {"running": source}


def as_tree(r, made, machines):
    """A tree of one to four levels of varying width, with equal servers."""
    made.levels = ["hall", "row", "cage", "host"][-r.randint(1, 4):]
    made.servers = []

    def below(depth, place):
        nodes = {}
        for i in range(r.randint(1, 4 if depth else 3)):
            name = f"{made.levels[depth]}{place}.{i}"
            last = depth + 1 == len(made.levels)
            nodes[name] = {} if last else {"level": below(depth + 1, f"{place}.{i}")}
            if last:
                made.servers.append(name)
        return nodes

    tree = {"level": below(0, "")}
    spec = {"resource-names": ["cpu", "memory"], "level-names": made.levels, "tree": tree,
            "machineType": {"capacity": next(iter(machines.values()))["capacity"]}}
    machines.clear()
    machines["all"] = spec["machineType"]
    return {"document": {"kind": "TopologyTree", "metadata": {"name": "tree"}, "spec": spec}}


def as_openb(r, made):
    """An invented node list in the format of openb, with or without invented levels above it."""
    lines, made.servers = ["sn,cpu_milli,memory_mib,gpu,model"], []
    for number in range(r.randint(2, 12)):
        gpus = r.choice([0, 1, 2, 4, 8])
        model = r.choice(["G2", "T4", "V100M16"]) if gpus else ""
        made.servers.append(f"openb-node-{number:04}")
        lines.append(f"{made.servers[-1]},{r.choice([8, 32, 64, 96])}000,"
                     f"{r.choice([64, 256])}000,{gpus},{model}")
    lines.append("openb-node-last,64000,262144,4,G2")
    made.servers.append("openb-node-last")
    made.files["nodes.csv"] = "\n".join(lines) + "\n"
    nodes, made.levels = {"format": "openb", "file": "nodes.csv"}, ["server"]
    if r.random() < 0.6:
        nodes["levels"] = [{"name": "rack", "servers": r.randint(1, 4)}]
        made.levels = ["rack", "server"]
        if r.random() < 0.5:
            nodes["levels"].append({"name": "room", "racks": r.randint(1, 3)})
            made.levels = ["room", "rack", "server"]
    return {"nodes": nodes}


def device_objects(r, made):
    """Device objects of some servers, including unhealthy devices."""
    return [{"objects": [device_object(r, name) for name in
                         r.sample(made.servers, r.randint(1, min(4, len(made.servers))))]}]


def device_object(r, server):
    devices = []
    for minor in range(r.choice([2, 4, 8])):
        place = {"socketID": minor // 4, "nodeID": minor // 4, "pcieID": str(minor // 2)}
        devices.append({"type": "gpu", "minor": minor, "id": f"GPU-{minor}",
                        "health": r.random() < 0.9, "topology": place,
                        "resources": {"koordinator.sh/gpu-core": "100",
                                      "koordinator.sh/gpu-memory": "80Gi",
                                      "koordinator.sh/gpu-memory-ratio": "100"}})
    for minor in range(r.randint(0, 2)):
        functions = [{"minor": i, "busID": f"0000:{minor}f:00.{i}"} for i in range(r.randint(1, 4))]
        devices.append({"type": "rdma", "minor": minor, "id": f"0000:{minor}f:00.0",
                        "health": True,
                        "resources": {"koordinator.sh/rdma": "100"},
                        "topology": {"socketID": minor, "nodeID": minor, "pcieID": str(minor)},
                        "vfGroups": [{"labels": {"type": "general"}, "vfs": functions}]})
    return {"apiVersion": "scheduling.koordinator.sh/v1alpha1", "kind": "Device",
            "metadata": {"name": server}, "spec": {"devices": devices}}
