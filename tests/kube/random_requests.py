"""Random requests of `berth kube`, of all kinds, with the objects as Kubernetes writes them."""
import random

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
GPU = "nvidia.com/gpu"
LABELS = {"app": ("web", "db", "train"), "tier": ("1", "2", "12"), "team": ("red", "blue")}
NODE_LABELS = {"disk": ("ssd", "hdd"), "model": ("a100", "h100", "l4"), "slot": ("3", "7", "11")}
EFFECTS = ("NoSchedule", "NoExecute", "PreferNoSchedule")
TAINT_KEYS = ("spot", "old", "gpu")
NAMESPACES = ("default", "lab", "prod")
IMAGES = ("repo/train:v1", "repo/web:2", "repo/db:latest", "big")
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def maybe(dice, chance):
    return dice.random() < chance


def labels(dice, known, chance=0.6):
    return {key: dice.choice(values) for key, values in known.items() if maybe(dice, chance)}


def expression(dice, known, operators):
    key, op = dice.choice([*known, "other"]), dice.choice(operators)
    if op in ("Exists", "DoesNotExist"):
        return {"key": key, "operator": op}
    if op in ("Gt", "Lt"):
        return {"key": key, "operator": op, "values": [dice.choice(("1", "5", "-1", "x"))]}
    values = known.get(key, ("x",))
    return {"key": key, "operator": op, "values": dice.sample(values, dice.randint(1, len(values)))}


def selector(dice, known=LABELS):
    out = {}
    if maybe(dice, 0.6):
        out["matchLabels"] = labels(dice, known, 0.4)
    if maybe(dice, 0.4):
        out["matchExpressions"] = [expression(dice, known, ("In", "NotIn", "Exists", "DoesNotExist"))
                                   for _ in range(dice.randint(1, 2))]
    return out


def node_term(dice, names):
    out = {}
    if maybe(dice, 0.85):
        known = dict(NODE_LABELS, **{ZONE: ("a", "b", "c")})
        out["matchExpressions"] = [expression(dice, known, ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))
                                   for _ in range(dice.randint(1, 2))]
    if maybe(dice, 0.2):
        out["matchFields"] = [{"key": "metadata.name", "operator": dice.choice(("In", "In", "NotIn")),
                               "values": [dice.choice(names)]}]
    return out


def quantity(dice, resource):
    if resource == "cpu":
        return dice.choice(("100m", "0.5", "1", "2", "1500m", "3e0", "0"))
    if resource == "memory":
        return dice.choice(("64Mi", "1Gi", "500M", "2.5Gi", "1e9", "128974848"))
    return str(dice.choice((0, 1, 1, 2, 4)))


def requests_of(dice, resources=("cpu", "memory", GPU, "ephemeral-storage", "example.com/card")):
    chances = {"cpu": 0.8, "memory": 0.7, GPU: 0.3}
    return {name: quantity(dice, name) for name in resources if maybe(dice, chances.get(name, 0.1))}


def container(dice, number):
    out = {"name": f"c{number}", "image": dice.choice(IMAGES), "resources": {"requests": requests_of(dice)}}
    if maybe(dice, 0.08):
        port = {"containerPort": 80, "hostPort": dice.choice((80, 443))}
        if maybe(dice, 0.4):
            port["hostIP"] = dice.choice(("10.0.0.1", "0.0.0.0"))
        if maybe(dice, 0.4):
            port["protocol"] = dice.choice(("TCP", "UDP"))
        out["ports"] = [port]
    return out


def toleration(dice):
    out = {}
    if maybe(dice, 0.85):
        out["key"] = dice.choice(TAINT_KEYS)
    out["operator"] = dice.choice(("Exists", "Equal", ""))
    if out["operator"] != "Exists" and maybe(dice, 0.7):
        out["value"] = dice.choice(("yes", "no"))
    if maybe(dice, 0.5):
        out["effect"] = dice.choice(EFFECTS)
    return out


def pod_term(dice):
    out = {"topologyKey": dice.choice((ZONE, HOST, "disk", "none"))}
    if maybe(dice, 0.95):
        out["labelSelector"] = selector(dice)
    if maybe(dice, 0.15):
        out["namespaces"] = dice.sample(NAMESPACES, 1)
    if maybe(dice, 0.15):
        out["namespaceSelector"] = selector(dice, {"env": ("x", "y")})
    return out


def affinity_of(dice, names):
    out = {}
    if maybe(dice, 0.5):
        own = out["nodeAffinity"] = {}
        if maybe(dice, 0.5):
            own[REQUIRED] = {"nodeSelectorTerms": [node_term(dice, names) for _ in range(dice.randint(1, 2))]}
        if maybe(dice, 0.5):
            own[PREFERRED] = [{"weight": dice.randint(1, 100), "preference": node_term(dice, names)}
                              for _ in range(dice.randint(1, 2))]
    for kind in ("podAffinity", "podAntiAffinity"):
        if maybe(dice, 0.4):
            own = out[kind] = {}
            if maybe(dice, 0.5):
                own[REQUIRED] = [pod_term(dice) for _ in range(dice.randint(1, 2))]
            if maybe(dice, 0.5):
                own[PREFERRED] = [{"weight": dice.randint(1, 100), "podAffinityTerm": pod_term(dice)}
                                  for _ in range(dice.randint(1, 2))]
    return out


def spread(dice):
    out = {"maxSkew": dice.randint(1, 3), "topologyKey": dice.choice((ZONE, HOST, "disk")),
           "whenUnsatisfiable": dice.choice(("DoNotSchedule", "ScheduleAnyway"))}
    if maybe(dice, 0.95):
        out["labelSelector"] = selector(dice)
    if maybe(dice, 0.15) and out["whenUnsatisfiable"] == "DoNotSchedule":
        out["minDomains"] = dice.randint(1, 4)
    if maybe(dice, 0.2):
        out["matchLabelKeys"] = [dice.choice(tuple(LABELS))]
    for key in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
        if maybe(dice, 0.2):
            out[key] = dice.choice(("Honor", "Ignore"))
    return out


def status_of(dice, pod):
    """The status of a running pod, of which a container may be in the middle of a resize."""
    status = {"startTime": f"2026-01-0{dice.randint(1, 9)}T0{dice.randint(0, 9)}:00:00Z"}
    if maybe(dice, 0.05):
        first = pod["spec"]["containers"][0]["name"]
        held, allocated = (requests_of(dice, ("cpu", "memory")) for _ in range(2))
        status["containerStatuses"] = [{"name": first, "resources": {"requests": held},
                                        "allocatedResources": allocated}]
        if maybe(dice, 0.4):
            status["conditions"] = [{"type": "PodResizePending", "status": "True",
                                     "reason": dice.choice(("Infeasible", "Deferred"))}]
    return status


def pod(dice, name, names, node=None):
    spec = {"containers": [container(dice, i) for i in range(dice.randint(1, 2))], "schedulerName": "default-scheduler"}
    metadata = {"name": name, "namespace": dice.choice(NAMESPACES), "uid": f"uid-{name}",
                "labels": labels(dice, LABELS)}
    if maybe(dice, 0.1):
        spec["initContainers"] = [container(dice, 10 + i) for i in range(dice.randint(1, 2))]
        for init in spec["initContainers"]:
            if maybe(dice, 0.5):
                init["restartPolicy"] = "Always"
    if maybe(dice, 0.9):
        spec["priority"] = dice.choice((0, 0, 10, 100, -5))
    if maybe(dice, 0.05):
        spec["overhead"] = {"cpu": "250m", "memory": "32Mi"}
    if maybe(dice, 0.05):
        spec["resources"] = {"requests": requests_of(dice, ("cpu", "memory"))}
    if maybe(dice, 0.4):
        spec["tolerations"] = [toleration(dice) for _ in range(dice.randint(1, 3))]
    if maybe(dice, 0.08):
        spec["nodeSelector"] = labels(dice, NODE_LABELS, 0.4)
    if maybe(dice, 0.35):
        spec["affinity"] = affinity_of(dice, names)
    if maybe(dice, 0.2):
        spec["topologySpreadConstraints"] = [spread(dice) for _ in range(dice.randint(1, 2))]
    if maybe(dice, 0.2):
        metadata["ownerReferences"] = [{"apiVersion": "apps/v1", "name": dice.choice(("one", "two")), "uid": "o",
                                        "kind": dice.choice(("ReplicaSet", "StatefulSet", "Job")), "controller": True}]
    made = {"metadata": metadata, "spec": spec}
    if node is not None:
        spec["nodeName"] = node
        made["status"] = status_of(dice, made)
        if maybe(dice, 0.03):
            metadata["deletionTimestamp"] = "2026-01-10T00:00:00Z"
    return made


def node(dice, number):
    name = f"n{number}"
    tags = labels(dice, NODE_LABELS)
    if maybe(dice, 0.9):
        tags[ZONE] = dice.choice(("a", "b", "c"))
    if maybe(dice, 0.95):
        tags[HOST] = name
    allocatable = {"cpu": str(dice.choice((2, 4, 8))), "memory": dice.choice(("4Gi", "8Gi", "16000M")),
                   "pods": str(dice.choice((3, 5, 110)))}
    if maybe(dice, 0.6):
        allocatable[GPU] = str(dice.choice((1, 4, 8)))
    if maybe(dice, 0.3):
        allocatable["ephemeral-storage"] = "10Gi"
    spec = {}
    if maybe(dice, 0.3):
        spec["taints"] = [{"key": dice.choice(TAINT_KEYS), "value": dice.choice(("yes", "no")),
                           "effect": dice.choice(EFFECTS)} for _ in range(dice.randint(1, 2))]
    if maybe(dice, 0.05):
        spec["unschedulable"] = True
    images = [{"names": [image], "sizeBytes": dice.choice((10, 300, 900, 2000)) << 20}
              for image in ("repo/train:v1", "repo/web:2", "repo/db:latest", "big:latest") if maybe(dice, 0.3)]
    return {"metadata": {"name": name, "labels": tags}, "spec": spec,
            "status": {"allocatable": allocatable, "images": images}}


def configuration(dice):
    out, plugins = {}, {}
    if maybe(dice, 0.2):
        plugins["NodeResourcesFit"] = {"scoringStrategy": {
            "type": dice.choice(("LeastAllocated", "MostAllocated")),
            "resources": [{"name": name, "weight": dice.randint(1, 5)} for name in ("cpu", "memory", GPU)]}}
    elif maybe(dice, 0.1):
        plugins["NodeResourcesFit"] = {"scoringStrategy": {
            "type": "RequestedToCapacityRatio", "resources": [{"name": "cpu", "weight": 2}, {"name": GPU, "weight": 3}],
            "requestedToCapacityRatio": {"shape": [{"utilization": 0, "score": dice.randint(0, 10)},
                                                   {"utilization": 60, "score": dice.randint(0, 10)},
                                                   {"utilization": 100, "score": dice.randint(0, 10)}]}}}
    if maybe(dice, 0.1):
        plugins["NodeResourcesBalancedAllocation"] = {
            "resources": [{"name": name, "weight": 1} for name in ("cpu", "memory", GPU)]}
    if maybe(dice, 0.1):
        plugins["PodTopologySpread"] = {"defaultingType": "List", "defaultConstraints": [
            {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": dice.choice(("DoNotSchedule", "ScheduleAnyway"))}]}
    if maybe(dice, 0.1):
        plugins["InterPodAffinity"] = {"hardPodAffinityWeight": dice.choice((0, 1, 50)),
                                       "ignorePreferredTermsOfExistingPods": maybe(dice, 0.5)}
    if maybe(dice, 0.05):
        plugins["DefaultPreemption"] = {"minCandidateNodesPercentage": 10,
                                        "minCandidateNodesAbsolute": dice.randint(1, 5)}
    if plugins:
        out["pluginConfig"] = plugins
    if maybe(dice, 0.1):
        out["weights"] = {name: dice.randint(1, 10) for name in ("TaintToleration", "NodeAffinity", "ImageLocality")}
    if maybe(dice, 0.1):
        out["percentageOfNodesToScore"] = dice.choice((1, 50, 100))
    return out


def cluster(dice, nodes, pods):
    made = [node(dice, i) for i in range(nodes)]
    names = [one["metadata"]["name"] for one in made]
    owner = [{"metadata": {"name": name, "namespace": dice.choice(NAMESPACES)}, "spec": {"selector": selector(dice)}}
             for name in ("one", "two") if maybe(dice, 0.5)]
    spaces = [{"metadata": {"name": name, "labels": labels(dice, {"env": ("x", "y")}, 0.7)}} for name in NAMESPACES]
    return names, {
        "nodes": made, "config": configuration(dice), "namespaces": spaces,
        "pods": [pod(dice, f"r{i}", names, dice.choice(names)) for i in range(pods)],
        "services": [{"metadata": {"name": "s", "namespace": dice.choice(NAMESPACES)},
                      "spec": {"selector": labels(dice, LABELS, 0.3)}}] if maybe(dice, 0.3) else [],
        "replicasets": owner, "statefulsets": owner if maybe(dice, 0.3) else []}


def cycle(dice):
    """One pod. It often fits nowhere, so that victims are looked for."""
    nodes = dice.choice((1, 2, 3, 5, 8, 12)) if maybe(dice, 0.98) else dice.randint(100, 160)
    names, out = cluster(dice, nodes, dice.randint(0, 3 * min(nodes, 12)))
    out["kind"] = "schedule"
    out["pod"] = pod(dice, "p", names)
    if maybe(dice, 0.6):
        out["pod"]["spec"]["priority"] = 1000
        out["pod"]["spec"]["containers"][0]["resources"]["requests"]["cpu"] = dice.choice(("2", "4", "7"))
    if maybe(dice, 0.03):
        out["pod"]["spec"]["preemptionPolicy"] = "Never"
    if maybe(dice, 0.1):
        out["nominated"] = [dict(pod(dice, f"w{i}", names), status={"nominatedNodeName": dice.choice(names)})
                            for i in range(dice.randint(1, 2))]
    if maybe(dice, 0.1):
        out["pod"]["status"] = {"nominatedNodeName": dice.choice(names)}
    if maybe(dice, 0.4):
        out["pdbs"] = [{"metadata": {"name": f"b{i}", "namespace": dice.choice(NAMESPACES)},
                        "spec": {"selector": selector(dice)}, "status": {"disruptionsAllowed": dice.randint(0, 2)}}
                       for i in range(dice.randint(1, 3))]
    return out


def another(pod_of_kind, name):
    """A pod that differs in nothing but its name."""
    return dict(pod_of_kind, metadata=dict(pod_of_kind["metadata"], name=name, uid=f"uid-{name}"))


def sequence(dice):
    names, out = cluster(dice, dice.randint(3, 20), dice.randint(0, 10))
    if maybe(dice, 0.3):
        out["config"]["percentageOfNodesToScore"] = dice.choice((10, 100))
    out["kind"] = "sequence"
    out["pending"] = [pod(dice, f"p{i}", names) for i in range(dice.randint(5, 25))]
    if maybe(dice, 0.5):
        kinds = out["pending"][:dice.randint(1, 4)]
        out["pending"] = [another(dice.choice(kinds), f"p{i}") for i in range(dice.randint(10, 60))]
    return out


def request(kind, seed):
    """The request of a kind (cycle, sequence, dra) with this seed."""
    import random_devices
    dice = random.Random(f"{kind} {seed}")
    return {"cycle": cycle, "sequence": sequence, "dra": random_devices.devices}[kind](dice)
