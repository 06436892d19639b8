#!/usr/bin/env python3
"""Compares `berth slurm` with the plain model on random whole runs.

random_runs.py BERTH [COUNT [FIRST_SEED]]

Each run has a cluster, a configuration and jobs of its own, and half of them have the instants of passes. All starts
must be the same: their times, loops, nodes and GPUs, and so must be the refusals.
"""
import json
import random
import subprocess
import sys

from model import Twin


def random_nodes(rng):
    nodes, count = [], rng.randint(1, 8)
    kind = rng.choice(["cpus", "cpus", "gpus", "near"])
    shape = 1, 8
    for k in range(count):
        sockets, cores = rng.choice([(1, 8), (1, 4), (2, 4), (2, 2)]) if k == 0 or rng.random() < 0.3 else shape
        shape = sockets, cores
        node = {"name": f"n{k + 1}", "sockets": sockets, "cores_per_socket": cores,
                "threads_per_core": rng.choice([1, 1, 2]), "memory_mib": rng.choice([8000, 16000, 64000]), "gpus": {},
                "weight": rng.choice([1, 1, 1, 5, 10])}
        if kind != "cpus" and rng.random() < 0.8:
            node["gpus"] = {name: rng.randint(1, 4) for name in rng.sample(["a100", "t4"], rng.randint(1, 2))}
        if kind == "near" and node["gpus"]:
            spans = [f"{s * cores}-{(s + 1) * cores - 1}" for s in range(sockets)]
            node["gpu_cores"] = [rng.choice(spans) for _ in range(sum(node["gpus"].values()))]
        nodes.append(node)
    return nodes


def random_partitions(rng, nodes):
    names = [node["name"] for node in nodes]
    partitions = [{"PartitionName": "batch", "Nodes": "ALL", "Default": "YES"}]
    for name in rng.sample(["high", "low"], rng.choice([0, 0, 1, 2])):
        some = sorted(rng.sample(names, rng.randint(1, len(names))), key=names.index)
        partitions.append({"PartitionName": name, "Nodes": ",".join(some), "PriorityTier": str(rng.randint(1, 3)),
                           "PriorityJobFactor": str(rng.randint(0, 3))})
    for partition in partitions:
        rare = {"OverSubscribe": "EXCLUSIVE", "MaxTime": rng.choice(["3", "0:05:00"]),
                "MaxNodes": rng.choice(["1", "2"]),
                "MinNodes": "2", "State": "DOWN", "PreemptMode": rng.choice(["OFF", "CANCEL"])}
        partition |= {key: value for key, value in rare.items() if rng.random() < 0.07}
    return partitions


def random_parameters(rng):
    drawn = {"bf_interval": rng.choice([2, 5, 30]), "bf_resolution": rng.choice([1, 10, 60, 300]),
             "bf_window": rng.choice([4, 60, 1440]), "bf_max_job_test": rng.choice([2, 4, 10, 500]),
             "bf_max_job_user": rng.choice([1, 2, 5]), "bf_max_job_part": rng.choice([1, 3, 10]),
             "bf_max_job_start": rng.choice([1, 2]), "bf_max_job_array_resv": rng.choice([1, 3]),
             "bf_node_space_size": rng.choice([3, 10]), "bf_min_prio_reserve": 500, "bf_window_scale": 30,
             "bf_licenses": "", "bf_running_job_reserve": "", "default_queue_depth": rng.choice([1, 3, 10]),
             "sched_interval": rng.choice([10, 60]), "batch_sched_delay": rng.choice([0, 1, 3]), "defer": ""}
    chosen = rng.sample(sorted(drawn), rng.randint(0, 5))
    return ",".join(f"{key}={drawn[key]}" if drawn[key] != "" else key for key in chosen)


def random_configuration(rng):
    conf = {"SchedulerType": rng.choice(["sched/backfill"] * 5 + ["sched/builtin"]),
            "SchedulerParameters": random_parameters(rng), "SelectType": "select/cons_tres",
            "SelectTypeParameters": rng.choice(["CR_Core_Memory"] * 4 + ["CR_Core_Memory,CR_LLN", "CR_Core"])}
    if rng.random() < 0.3:
        conf["EnforcePartLimits"] = rng.choice(["NO", "ALL"])
    if rng.random() < 0.8:
        conf["DefMemPerCPU"] = rng.choice(["500", "1000", "4000"])
    elif rng.random() < 0.5:
        conf["DefMemPerNode"] = "4000"
    if rng.random() < 0.4:
        conf["Licenses"] = "a:2,b:5"
    if rng.random() < 0.4:
        conf |= {"PreemptType": rng.choice(["preempt/partition_prio", "preempt/qos"]),
                 "PreemptMode": rng.choice(["REQUEUE", "REQUEUE", "CANCEL"])}
    if rng.random() < 0.3:
        conf |= {"PriorityType": "priority/multifactor", "PriorityCalcPeriod": rng.choice(["1", "5"]),
                 "PriorityMaxAge": rng.choice(["5", "1-0"]), "PriorityFavorSmall": rng.choice(["YES", "NO"]),
                 "PriorityDecayHalfLife": rng.choice(["1", "7-0", "0"])}
        for weight in ("Age", "Fairshare", "JobSize", "Partition", "QOS"):
            conf["PriorityWeight" + weight] = rng.choice(["0", "100", "1000"])
    return conf


def random_accounting(rng):
    if rng.random() < 0.6:
        return []
    lines = ["root||1||", "a||3||", "b||1||"]
    lines += [f"{account}|u{k}|{rng.randint(1, 4)}||" for account in "ab" for k in range(3)]
    for name, priority in (("hi", 10), ("lo", 1)):
        group = rng.choice(["", "cpu=8", "node=2", "gres/gpu=2"])
        user = rng.choice(["", "cpu=4", "node=1"])
        preempts = "lo" if name == "hi" else ""
        mode = rng.choice(["cluster", "cluster", "requeue", "cancel"])
        lines.append(f"{name}|{priority}|{preempts}|{mode}|{group}|{user}|{rng.choice(['', '1', '3'])}")
    return lines


def random_job(rng, k, cluster):
    job = {"name": f"j{k}", "user": f"u{rng.randint(0, 2)}", "time_limit_min": rng.choice([1, 1, 2, 3, 5, 10])}
    shape = rng.random()
    if shape < 0.4:
        job |= {"nodes": 1, "ntasks": rng.randint(1, 8)}
    elif shape < 0.7:
        job |= {"nodes": rng.randint(1, 4), "tasks_per_node": rng.randint(1, 8)}
    else:
        job["ntasks"] = rng.randint(1, 16)
    if rng.random() < 0.1:
        job["cpus_per_task"] = 2
    if rng.random() < 0.2:
        job["mem"] = rng.choice([0, 1000, 8000])
    if any(node["gpus"] for node in cluster["nodes"]) and rng.random() < 0.5:
        job["gres"] = rng.choice(["gpu", "gpu:2", "gpu:a100", "gpu:t4:1", "gpu:a100:1,gpu:t4:1"])
    elif any(node["gpus"] for node in cluster["nodes"]) and rng.random() < 0.2:
        job.pop("nodes", None)
        job.pop("tasks_per_node", None)
        job |= {"ntasks": rng.randint(1, 8), "gpus": rng.randint(1, 8)}
    if len(cluster["partitions"]) > 1:
        job["partition"] = rng.choice(cluster["partitions"])["PartitionName"]
    if "Licenses" in cluster["slurm_conf"] and rng.random() < 0.5:
        job["licenses"] = rng.choice(["a", "a:2", "b:3", "a:1,b:1", "c"])
    if cluster["accounting"]:
        job |= {"account": rng.choice("ab"), "qos": rng.choice(["hi", "lo"] * 9 + ["no"])}
    if rng.random() < 0.1:
        job["exclusive"] = True
    if "bf_min_prio_reserve" in cluster["slurm_conf"]["SchedulerParameters"] or rng.random() < 0.1:
        job["priority"] = rng.randint(1, 1000)
    return job


def random_request(seed):
    rng = random.Random(seed)
    nodes = random_nodes(rng)
    cluster = {"nodes": nodes, "partitions": random_partitions(rng, nodes), "slurm_conf": random_configuration(rng),
               "accounting": random_accounting(rng)}
    jobs, at = [], 0.0
    is_driven = rng.random() < 0.5
    for k in range(rng.randint(5, 40)):
        at += rng.choice([0, 1, 5]) + rng.randint(0, 999) / 1000
        job = random_job(rng, k, cluster) | {"submit_s": round(at, 3)}
        def draw():
            return rng.choice([3, 10, 30, 70]) + rng.randint(0, 999) / 1000
        if rng.random() < 0.1:
            tasks = rng.randint(1, 6)
            job["array"] = f"0-{tasks}" + rng.choice(["", "%2"])
            job |= {"sleep_s": 3, "task_run_s": {str(task): draw() for task in range(tasks + 1)}}
        elif is_driven:
            job |= {"sleep_s": 3, "run_s": draw()}
        else:
            job["sleep_s"] = draw()
        if k and rng.random() < 0.1:
            job["after"] = f"j{rng.randrange(k)}"
        jobs.append(job)
    version = rng.choice(["22.05.8", "22.05.8", "23.11", "26.05.3"])
    request = {"slurm": f"slurm {version}", "clock_s_since_1970_at_0": rng.randint(0, 10**6) / 1000,
               "cluster": cluster, "jobs": jobs}
    if is_driven:
        def times(step):
            return sorted({round(rng.uniform(-1, at + 400), 3) for _ in range(round((at + 400) / step))})
        request["cycles"] = {"main": times(1.5), "main_full": times(60), "backfill": times(5)}
    return request


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: random_runs.py BERTH [COUNT [FIRST_SEED]]")
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    requests = [random_request(seed) for seed in range(first, first + count)]
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run([sys.argv[1], "slurm", "--jsonl"], input=lines, capture_output=True, text=True, check=True)
    starts = differ = 0
    for seed, request, line in zip(range(first, first + count), requests, done.stdout.splitlines(), strict=True):
        mine, model = json.loads(line), json.loads(json.dumps(Twin(request).run()))
        if "error" in mine:
            sys.exit(f"seed {seed}: {mine['error']}")
        wrong = [name for name in model["jobs"] if starts_of(mine, name) != starts_of(model, name)]
        starts += sum(len(job["starts"]) for job in model["jobs"].values())
        if wrong:
            differ += 1
            name = min(wrong, key=lambda name: min([start[0] for start in starts_of(mine, name)[0] +
                                                    starts_of(model, name)[0]], default=0))
            print(f"seed {seed}: {name}: berth {starts_of(mine, name)}, the model {starts_of(model, name)}")
    print(f"{count} random runs, {starts} starts: {count - differ} runs are the same")
    sys.exit(differ > 0)


def starts_of(answer, name):
    job = answer["jobs"][name]
    return ([(start["at_s"], start["by"], start["nodes"], start.get("gpus", {}), start.get("task")) for start in
             sorted(job["starts"], key=lambda start: (start["at_s"], start.get("task", 0)))], job.get("refused"))


if __name__ == "__main__":
    main()
