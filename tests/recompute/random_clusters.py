"""Random clusters with types of pods that fit them, as maps for an experiment."""

from random_state import as_kubernetes, as_openb, as_tree

LEVELS = {1: ["server"], 2: ["rack", "server"], 3: ["room", "rack", "server"],
          4: ["zone", "room", "rack", "server"]}


def counts(r, levels):
    """Levels with one number each, or irregular ones; and the resulting number of servers."""
    result, width = [], 1
    for level in levels:
        if r.random() < 0.4:
            each = [r.randint(1, 4) for _ in range(width)]
            result.append({"name": level, "count": each if level != levels[0] else each[0]})
            width = sum(each)
        else:
            count = r.randint(1, 4)
            result.append({"name": level, "count": count})
            width *= count
    return result, width


def gpu_devices(r, count):
    half = count // 2
    devices = {"gpu": {"count": count, "model": r.choice(["H100", "A100"]), "memory": "80Gi",
                       "numa": [0] * half + [1] * (count - half),
                       "pcie": [i // 2 for i in range(count)]},
               "rdma": {"count": 2, "numa": [0, 1], "pcie": [0, half // 2], "vfs": 8}}
    if r.random() < 0.7:
        devices["gpu"]["nvlink"] = [list(range(half)), list(range(half, count))]
    return devices


def machine_types(r, kind):
    types = {}
    for name in ("big", "small")[: r.randint(1, 2)]:
        gpus = r.choice([4, 8])
        capacity = {"cpu": r.choice([8, 16, 64]), "memory": f"{r.choice([32, 64, 256])}Gi"}
        machine = {"capacity": capacity}
        if kind in ("devices", "shared"):
            machine["devices"] = gpu_devices(r, gpus)
        elif kind == "providers":
            capacity["ephemeral-storage"] = "200Gi"
            machine["numa"] = 2
        elif r.random() < 0.6:
            capacity["nvidia.com/gpu"] = gpus
        types[name] = machine
    return types


def pod_types(r, made, kind, machines):
    has_gpus = any("devices" in m or "nvidia.com/gpu" in m["capacity"] for m in machines.values())
    made.whole_gpus = has_gpus and kind == "plain"
    types = {"thin": {"cpu": 1, "memory": "2Gi"}, "wide": {"cpu": r.randint(2, 6), "memory": "8Gi"}}
    if kind == "plain":
        types["half"] = {"cpu": "500m", "memory": "1Gi"}
    if has_gpus:
        types["gpu1"] = {"cpu": 1, "memory": "4Gi", "nvidia.com/gpu": 1}
        types["gpu2"] = {"cpu": 2, "memory": "4Gi", "nvidia.com/gpu": 2}
    if kind == "devices":
        types["gpu4nic"] = {"cpu": 2, "memory": "4Gi", "nvidia.com/gpu": 4,
                            "koordinator.sh/rdma": 1}
    if kind == "shared":
        types["share"] = {"cpu": 1, "memory": "4Gi", "nvidia.com/gpu": "300m"}
        types["part"] = {"cpu": 1, "memory": "4Gi", "nvidia.com/gpu": "550m"}
    if kind == "providers":
        types["vm"] = {"candidates": "resources=VCPU:2,MEMORY_MB:2048"}
        types["disk"] = {"candidates": "resources=DISK_GB:40&resources_C=VCPU:1,MEMORY_MB:1024"}
    made.types = list(types)
    return types


def as_nodes(r, made, machines):
    """A list of nodes whose names need not be numbered, and whose racks have any size."""
    nodes, racks = [{"name": "hall"}], r.randint(1, 4)
    nodes += [{"name": f"row {rack}", "parent": "hall"} for rack in range(racks)]
    made.servers = [f"host {chr(97 + i)}" for i in range(racks + r.randint(0, 8))]
    for number, name in enumerate(made.servers):
        nodes.append({"name": name, "parent": f"row {number % racks}",
                      "type": r.choice(list(machines))})
    made.levels = ["row", "host"]
    return {"spec": {"levels": ["hall", "row", "host"], "machineTypes": machines, "nodes": nodes}}


def cluster(r, made, kind):
    """The keys `topology` and `types` of an experiment."""
    if kind == "plain" and r.random() < 0.4:
        machines = machine_types(r, kind)
        topology = r.choice([as_nodes, as_kubernetes, as_tree])(r, made, machines)
        return {"topology": topology, "types": pod_types(r, made, kind, machines)}
    if kind == "shared" and r.random() < 0.5:
        topology, machines = as_openb(r, made), {"some": {"devices": {}}}
        return {"topology": topology, "types": pod_types(r, made, kind, machines)}
    made.levels = LEVELS[r.choice([1, 2, 2, 3, 3, 4])]
    levels, servers = counts(r, made.levels)
    machines = machine_types(r, kind)
    made.servers = [f"server-{i}" for i in range(servers)]
    spec = {"levels": levels, "machineTypes": machines,
            "machines": [{"type": name, "weight": r.randint(1, 3)} for name in machines]}
    if len(made.levels) > 1 and len(machines) > 1 and r.random() < 0.4:
        spec["machines"].append({"type": "big", "at": {made.levels[0]: 0}})
    if kind == "providers" and r.random() < 0.5:
        spec["sharedProviders"] = [{"name": "pool", "inventories": {"DISK_GB": {"total": 500}}}]
    return {"topology": {"spec": spec}, "types": pod_types(r, made, kind, machines)}
