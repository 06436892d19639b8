"""Random requests of `berth kube` of the kind dra: the devices of one node for the claims of a pod."""
DRIVERS = ("gpu.example.com", "nic.example.com")
MODELS = ("a100", "h100", "l4")
SELECTORS = ('device.driver == "gpu.example.com"',
             '"model" in device.attributes["gpu.example.com"] && device.attributes["gpu.example.com"].model == "a100"',
             'device.attributes["gpu.example.com"].model in ["a100", "h100"]',
             'has(device.attributes["gpu.example.com"].numa) && device.attributes["gpu.example.com"].numa <= 0',
             '!("healthy" in device.attributes["gpu.example.com"]) || device.attributes["gpu.example.com"].healthy',
             '"memory" in device.capacity["gpu.example.com"] && '
             'device.capacity["gpu.example.com"].memory.compareTo(quantity("20Gi")) >= 0',
             '"fw" in device.attributes["gpu.example.com"] && '
             'device.attributes["gpu.example.com"].fw.isGreaterThan(semver("1.2.0-rc.1"))',
             'device.attributes["gpu.example.com"].numa == 0 || true',
             'device.allowMultipleAllocations', 'device.driver.startsWith("gpu") && device.driver != "x"')
FEATURES = ("AdminAccess", "PrioritizedList", "PartitionableDevices", "DeviceTaints", "DeviceBindingAndStatus",
            "ConsumableCapacity")


def maybe(dice, chance):
    return dice.random() < chance


def capacity(dice):
    value = dice.choice(("16Gi", "40Gi", "80Gi"))
    out = {"value": value}
    if maybe(dice, 0.3):
        policy = out["requestPolicy"] = {"default": dice.choice(("1Gi", "4Gi", value))}
        if maybe(dice, 0.5):
            policy["validRange"] = {"min": "1Gi"}
            if maybe(dice, 0.5):
                policy["validRange"]["step"] = dice.choice(("1Gi", "3Gi"))
            if maybe(dice, 0.5):
                policy["validRange"]["max"] = "10Gi"
        elif maybe(dice, 0.6):
            policy["validValues"] = ["1Gi", "4Gi", value]
    return out


def device(dice, number, driver, sets):
    attributes = {"numa": {"int": dice.randint(0, 1)}}
    if maybe(dice, 0.85):
        attributes["model"] = {"string": dice.choice(MODELS)}
    if maybe(dice, 0.3):
        attributes["healthy"] = {"bool": maybe(dice, 0.7)}
    if maybe(dice, 0.3):
        attributes["fw"] = {"version": dice.choice(("1.0.0", "1.2.0", "1.2.0-rc.2", "2.0.1+b7"))}
    if maybe(dice, 0.4):
        attributes["example.com/rail"] = {"string": dice.choice(("r0", "r1"))}
    out = {"name": f"d{number}", "attributes": attributes}
    if maybe(dice, 0.6):
        out["capacity"] = {"memory": capacity(dice)}
    if maybe(dice, 0.15):
        out["allowMultipleAllocations"] = True
    if sets and maybe(dice, 0.7):
        name = dice.choice(sets)
        out["consumesCounters"] = [{"counterSet": name, "counters": {"slices": {"value": str(dice.randint(1, 3))}}}]
    if maybe(dice, 0.1):
        out["taints"] = [{"key": "sick", "value": "yes", "effect": dice.choice(("NoSchedule", "NoExecute", "None"))}]
    if maybe(dice, 0.05):
        out["bindingConditions"] = ["ready"]
        out["bindingFailureConditions"] = ["broken"]
    if maybe(dice, 0.03):
        out["bindsToNode"] = True
    return out


def pool(dice, number, driver):
    name = "same" if maybe(dice, 0.05) else f"pool{number}"
    count, sets = dice.randint(1, 2), []
    in_zone = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]}
    where = dice.choice(({"nodeName": "n0"}, {"nodeName": "n0"}, {"allNodes": True}, {"nodeName": "n1"},
                         {"nodeSelector": in_zone}))
    slices = []
    partitions = maybe(dice, 0.3)
    if partitions:
        sets = ["set0", "set1"][:dice.randint(1, 2)]
        slices.append({"metadata": {"name": f"{number}-counters"}, "spec": dict(where, sharedCounters=[
            {"name": one, "counters": {"slices": {"value": str(dice.randint(2, 7))}}} for one in sets])})
    index = 0
    for part in range(count):
        devices = []
        for _ in range(dice.randint(1, 5)):
            devices.append(device(dice, index, driver, sets))
            index += 0 if maybe(dice, 0.01) else 1
        slices.append({"metadata": {"name": f"{number}-{part}"}, "spec": dict(where, devices=devices)})
    total = len(slices) + (1 if maybe(dice, 0.05) else 0)
    for one in slices:
        one["spec"].update(driver=driver, pool={"name": name, "generation": 1, "resourceSliceCount": total})
    if maybe(dice, 0.05):
        slices[0]["spec"]["pool"]["generation"] = 2
    return slices


def asked(dice):
    out = {"deviceClassName": dice.choice(("gpu", "gpu", "any", "any", "nic", "gone") if maybe(dice, 0.05) else
                                          ("gpu", "gpu", "any", "nic"))}
    if maybe(dice, 0.1):
        out["allocationMode"] = "All"
    else:
        out["allocationMode"], out["count"] = "ExactCount", dice.choice((1, 1, 1, 2, 3, 20 if maybe(dice, 0.1) else 1))
    if maybe(dice, 0.3):
        out["selectors"] = [{"cel": {"expression": dice.choice(SELECTORS)}}]
    if maybe(dice, 0.15):
        out["capacity"] = {"requests": {"memory": dice.choice(("1Gi", "2Gi", "4Gi", "5Gi"))}}
    if maybe(dice, 0.2):
        out["tolerations"] = [{"key": "sick", "operator": "Exists"}]
    return out


def claim(dice, number):
    requests = []
    for i in range(dice.randint(1, 3)):
        if maybe(dice, 0.25):
            requests.append({"name": f"r{i}", "firstAvailable": [dict(asked(dice), name=f"s{j}")
                                                                 for j in range(dice.randint(1, 3))]})
        else:
            one = asked(dice)
            if maybe(dice, 0.05):
                one["adminAccess"] = True
            requests.append({"name": f"r{i}", "exactly": one})
    devices = {"requests": requests}
    if maybe(dice, 0.35):
        kind = dice.choice(("matchAttribute", "matchAttribute", "distinctAttribute"))
        attribute = dice.choice(("gpu.example.com/model", "gpu.example.com/numa", "example.com/rail"))
        devices["constraints"] = [{kind: attribute}]
        if maybe(dice, 0.4):
            devices["constraints"][0]["requests"] = [dice.choice(requests)["name"]]
    if maybe(dice, 0.15):
        devices["config"] = [{"opaque": {"driver": DRIVERS[0], "parameters": {"mode": "x"}}}]
        if maybe(dice, 0.5):
            devices["config"][0]["requests"] = [one["name"] for one in requests[:2]]
    return {"metadata": {"name": f"c{number}", "namespace": "default", "uid": f"u{number}"},
            "spec": {"devices": devices}}


def devices(dice):
    slices = [one for i in range(dice.randint(1, 3)) for one in pool(dice, i, dice.choice(DRIVERS))]
    dice.shuffle(slices)
    classes = [{"metadata": {"name": name}, "spec": {"selectors": [{"cel": {"expression": expression}}]}}
               for name, expression in (("gpu", 'device.driver == "gpu.example.com"'), ("any", "true"),
                                        ("nic", 'device.driver == "nic.example.com"'))]
    if maybe(dice, 0.3):
        classes[0]["spec"]["config"] = [{"opaque": {"driver": DRIVERS[0], "parameters": {"share": 2}}}]
    all_devices = [(s["spec"]["driver"], s["spec"]["pool"]["name"], d["name"])
                   for s in slices for d in s["spec"].get("devices", [])]
    out = {"kind": "dra", "node": {"metadata": {"name": "n0", "labels": {"zone": dice.choice("ab")}}},
           "claims": [claim(dice, i) for i in range(dice.randint(1, 2))], "classes": classes, "slices": slices,
           "allocatedDevices": [list(one) for one in all_devices if maybe(dice, 0.15)]}
    if maybe(dice, 0.2):
        out["aggregatedCapacity"] = [[*one, {"memory": "2Gi"}] for one in all_devices if maybe(dice, 0.15)]
    if maybe(dice, 0.1):
        out["features"] = {name: maybe(dice, 0.8) for name in FEATURES}
        out["features"]["ConsumableCapacity"] = True
    return out
