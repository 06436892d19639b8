"""Random workloads, as maps for an experiment: groups, pods, generators, traces."""

import json


def time(r, low, high):
    """A duration in one of several units, exact to the nanosecond."""
    seconds = r.uniform(low, high)
    return r.choice([lambda: f"{int(seconds * 1000) + 1}ms", lambda: f"{int(seconds) + 1}s",
                     lambda: f"{int(seconds * 1e9) + 1}ns"])()


def distribution(r, low, high):
    middle = (low + high) / 2
    kind = r.choice(["constant", "uniform", "exponential", "log-normal", "weibull", "pareto",
                     "empirical"])
    keys = {
        "constant": lambda: {"value": time(r, low, high)},
        "uniform": lambda: {"min": time(r, low, middle), "max": time(r, middle + 1, high + 1)},
        "exponential": lambda: {"mean": time(r, low, high)},
        "log-normal": lambda: {"mean": time(r, low, high),
                                "variation": round(r.uniform(0.05, 2), 2)},
        "weibull": lambda: {"shape": round(r.uniform(0.5, 3), 2), "scale": time(r, low, high)},
        "pareto": lambda: {"shape": round(r.uniform(1.1, 3), 2), "min": time(r, low, middle)},
        "empirical": lambda: {"values": [time(r, low, high) for _ in range(3)],
                              "weights": [1, 2, r.randint(1, 5)]},
    }
    return {"distribution": kind, **keys[kind]()}


def constraint(r, level, hard_server_spread=True):
    affinity = r.choice(["pack", "spread"])
    result = {"level": level, "affinity": affinity}
    if r.random() < 0.35 and (affinity == "pack" or hard_server_spread):
        result["soft"] = False
        if affinity == "pack" and r.random() < 0.4:
            result["scope"] = "group"
        return result
    result["soft"] = True
    if r.random() < 0.25:
        low = r.randint(1, 2)
        result.update(min=low, max=low + r.randint(0, 6))
    if r.random() < 0.15:
        result["partitions"] = r.randint(1, 2)
    if r.random() < 0.15:
        result["factor"] = 2
    return result


def group_document(r, made, name, size):
    group = {"name": name, "size": size, "type": r.choice(made.types)}
    if r.random() < 0.5:
        group["minAvailable"] = r.randint(1, size)
    document = {"kind": "GroupPlacement", "spec": {"group": group}}
    levels = [level for level in made.levels if r.random() < 0.4]
    if levels:
        document["spec"]["constraints"] = [constraint(r, level) for level in levels]
    return document


def common(r, made, what):
    """Keys that every kind of source gives its jobs."""
    entry = {}
    if r.random() < 0.3:
        entry["priority"] = r.randint(-2, 10)
    if made.quotas and r.random() < 0.85:
        entry["quota"] = r.choice(made.quotas)
    if made.quotas and r.random() < 0.15:
        entry["preemptible"] = False
    if made.classes and r.random() < 0.6:
        entry["class"] = r.choice(made.classes)
    if what != "generate" and r.random() < 0.7:
        entry["lifetime"] = time(r, 1, 200)
        if r.random() < 0.3:
            entry["estimate"] = time(r, 1, 300)
    return entry


def groups(r, made):
    entries = []
    for _ in range(r.randint(1, 3)):
        name, size = made.name("gang"), r.choice([r.randint(1, 12), r.randint(1, 40)])
        entry = {"document": group_document(r, made, name, size), "at": time(r, 0, 100),
                 **common(r, made, "groups")}
        if r.random() < 0.3:
            entry["size"] = size + r.randint(0, 3)
        if made.resizes and r.random() < 0.35:
            entry["resize"] = [{"at": f"{10 * i + r.randint(20, 150)}s", "size": r.randint(1, 14)}
                               for i in range(r.randint(1, 3))]
        entries.append(entry)
    return {"groups": entries}


def pods(r, made):
    return {"pods": [{"name": made.name("pod"), "type": r.choice(made.types),
                      "count": r.randint(1, 20), "at": time(r, 0, 120), **common(r, made, "pods")}
                     for _ in range(r.randint(1, 3))]}


def generate(r, made):
    source = {"name": made.name("gen"), "arrivals": distribution(r, 1, 10)}
    source[r.choice(["count", "until"])] = None
    if "count" in source:
        source["count"] = r.randint(1, 30)
    if "until" in source:
        source["until"] = time(r, 20, 150)
        source["arrivals"] = distribution(r, 2, 10)
    if r.random() < 0.9:
        source["service"] = distribution(r, 1, 80)
    if r.random() < 0.3:
        source["start"] = time(r, 0, 50)
    if r.random() < 0.2:
        source["diurnal"] = {"period": "100s", "amplitude": 0.7, "peak": "20s"}
    if r.random() < 0.2:
        source["bursts"] = {"every": "60s", "length": "10s", "factor": 4}
    if r.random() < 0.4:
        source["mix"] = [mix_entry(r, made) for _ in range(r.randint(2, 3))]
    elif r.random() < 0.4:
        source["group"] = group_document(r, made, made.name("set"), r.randint(1, 6))
        source.update(common(r, made, "generate"))
    else:
        source["type"] = r.choice(made.types)
        source.update(common(r, made, "generate"))
    return {"generate": source}


def mix_entry(r, made):
    entry = {"weight": r.randint(1, 4), **common(r, made, "generate")}
    if r.random() < 0.4:
        entry["service"] = distribution(r, 1, 100)
    if r.random() < 0.4:
        entry["group"] = group_document(r, made, made.name("set"), r.randint(1, 6))
    else:
        entry.update(name=made.name("kind"), type=r.choice(made.types))
    return entry


def background(r, made):
    if r.random() < 0.5:
        full, idle = round(r.uniform(0, 0.2), 2), round(r.uniform(0, 0.4), 2)
        return {"background": {"load": round(r.uniform(full, 0.5), 2), "full": full,
                               "idle": idle, "variation": round(r.uniform(0, 1), 2)}}
    lines = ["server,cpu"]
    lines += [f"{server},{r.randint(0, 3)}" for server in made.servers if r.random() < 0.5]
    return {"background": {"csv": "\n".join(lines) + "\n"}}


def trace(r, made):
    """An invented trace; its file is written beside the experiment."""
    kind = "openb" if made.shares else r.choice(["csv", "jsonl", "swf"])
    jobs, at = [], 0
    for _ in range(r.randint(1, 25)):
        at += r.randint(0, 12)
        jobs.append({"name": f"{made.name('job')}", "submit": at, "run_time": r.randint(0, 120),
                     "members": r.choice([1, 1, 1, r.randint(2, 5)]), "cpu": r.randint(1, 3),
                     "gpus": r.choice([0, 0, 1, 2]) if made.whole_gpus or made.shares else 0,
                     "user": r.choice(["ann", "bob"]), "priority": r.randint(0, 3)})
    file = f"trace-{made.name('file')}.{'csv' if made.shares else kind}"
    made.files[file] = trace_text(kind, jobs)
    entry = {"format": kind, "file": file, "quota": "none"}
    if r.random() < 0.2:
        entry["gangs"] = False
    if r.random() < 0.2:
        entry["limit"] = r.randint(1, 10)
    if r.random() < 0.25:
        entry["order"] = "file"
    source = {"trace": entry}
    for key, value, chance in (("sample", 0.6, 0.2), ("inflate", {"ratio": 1.5}, 0.15),
                               ("rate", 2, 0.2), ("durations", 0.5, 0.2),
                               ("bootstrap", {"count": 12}, 0.1)):
        if r.random() < chance and not (key in ("rate", "durations") and "order" in entry):
            source[key] = value
    if r.random() < 0.3 and kind != "swf" and all(job["gpus"] for job in jobs[:1]):
        source["tune"] = {"to": round(r.uniform(0.3, 1.5), 2)}
    if entry.get("order") == "file" and r.random() < 0.6:
        source["shuffle"] = True
    return source


def trace_text(kind, jobs):
    if kind == "jsonl":
        return "".join(json.dumps(job) + "\n" for job in jobs)
    if kind == "csv":
        header = list(jobs[0])
        rows = [",".join(str(job[key]) for key in header) for job in jobs]
        return "\n".join([",".join(header), *rows]) + "\n"
    if kind == "openb":
        header = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,creation_time,deletion_time"
        rows = [f"{job['name']},{job['cpu'] * 500},2048,{job['gpus']},"
                f"{1000 if job['gpus'] != 1 else job['priority'] * 300 + 100},,{job['submit']},"
                f"{job['submit'] + job['run_time']}" for job in jobs]
        return "\n".join([header, *rows]) + "\n"
    lines = ["; made up"]
    for number, job in enumerate(jobs, 1):
        fields = [number, job["submit"], 0, job["run_time"], job["members"], -1, -1,
                  job["members"], job["run_time"], -1, 1, 1, 1, 1, 1, 1, -1, -1]
        lines.append(" ".join(map(str, fields)))
    return "\n".join(lines) + "\n"
