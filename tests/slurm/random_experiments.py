#!/usr/bin/env python3
"""Compares runs of experiments that Slurm decides with the plain model on the loops' own clock.

random_experiments.py BERTH [COUNT [FIRST_SEED]]

Each experiment has a slurm.conf, a gres.conf, lines of sacctmgr and jobs of its own. All starts must be at the same
times and on the same nodes, and the same jobs must be refused.
"""
import csv
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from model import Twin
from random_runs import random_configuration, random_nodes, random_partitions

ACCOUNTS = ["root||1||", "a||3||", "b||1||", "a|u0|2||", "a|u1|1||", "b|u2|3||"]


def random_job(rng, k, cluster, are_tasks, are_stated):
    job = {"name": f"j{k}", "user": f"u{rng.randint(0, 2)}", "time_limit_min": rng.choice([1, 1, 2, 3, 5, 10]),
           "run_s": rng.choice([3, 10, 30, 70]) + rng.randint(0, 999) / 1000, "sleep_s": 0,
           "cpus_per_task": rng.randint(1, 6)}
    size = rng.choice([1, 1, 2, 3, 4])
    if are_tasks and size > 1:
        job["ntasks"] = size
    else:
        job |= {"nodes": size, "tasks_per_node": 1}
        if rng.random() < 0.4:
            job["mem"] = rng.choice([1000, 8000])
        if any(node["gpus"] for node in cluster["nodes"]) and rng.random() < 0.5:
            job["gres"] = f"gpu:{rng.randint(1, 2)}"
    if len(cluster["partitions"]) > 1:
        job["partition"] = rng.choice(cluster["partitions"])["PartitionName"]
    if are_stated:
        job["priority"] = rng.randint(1, 1000)
    return job


def random_request(seed):
    rng = random.Random(seed)
    nodes = random_nodes(rng)
    conf = random_configuration(rng)
    conf.pop("Licenses", None)
    if conf.get("PreemptType") == "preempt/qos":
        conf["PreemptType"] = "preempt/partition_prio"
    cluster = {"nodes": nodes, "partitions": random_partitions(rng, nodes), "slurm_conf": conf,
               "accounting": ACCOUNTS if rng.random() < 0.5 else []}
    are_tasks, are_stated = rng.random() < 0.3, rng.random() < 0.3
    jobs, at = [], 0.0
    for k in range(rng.randint(5, 40)):
        at += rng.choice([0, 1, 5]) + rng.randint(0, 999) / 1000
        job = random_job(rng, k, cluster, are_tasks, are_stated) | {"submit_s": round(at, 3)}
        if cluster["accounting"]:
            job["account"] = next(line.split("|")[0] for line in ACCOUNTS if line.split("|")[1] == job["user"])
        jobs.append(job)
    version = rng.choice(["22.05", "22.05", "23.11", "26.05"])
    return {"slurm": f"slurm {version}", "cluster": cluster, "jobs": jobs}, version, are_tasks, are_stated


def write_files(cluster, folder):
    conf, gres = [], []
    for node in cluster["nodes"]:
        gpus = ",".join(f"gpu:{name}:{count}" for name, count in node["gpus"].items())
        conf.append(f"NodeName={node['name']} Sockets={node['sockets']} CoresPerSocket={node['cores_per_socket']} "
                    f"ThreadsPerCore={node['threads_per_core']} RealMemory={node['memory_mib']} "
                    f"Weight={node['weight']}" + (f" Gres={gpus}" if gpus else ""))
        cores = iter(node.get("gpu_cores", []))
        for name, count in node["gpus"].items():
            gres += [f"NodeName={node['name']} Name=gpu Type={name} File=/dev/nvidia{k}" +
                     (f" Cores={next(cores)}" if "gpu_cores" in node else "") for k in range(count)]
    conf += [" ".join(f"{key}={value}" for key, value in partition.items()) for partition in cluster["partitions"]]
    conf += [f"{key}={value}" for key, value in cluster["slurm_conf"].items() if value != ""]
    (folder / "slurm.conf").write_text("\n".join(conf) + "\n")
    (folder / "gres.conf").write_text("\n".join(gres) + "\n")
    (folder / "accounting.txt").write_text("\n".join(cluster["accounting"]) + "\n")


def write_experiment(request, version, are_tasks, are_stated, folder):
    with open(folder / "jobs.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["name", "user", "queue", "priority", "members", "cpu", "memory_mib", "gpus", "submit",
                        "run_time", "time_limit"])
        for job in request["jobs"]:
            table.writerow([job["name"], job["user"], job.get("partition", ""), job.get("priority", ""),
                            job.get("ntasks", job.get("nodes")), job["cpus_per_task"], job.get("mem", ""),
                            job.get("gres", ":0").split(":")[1], f"{job['submit_s']:.3f}", f"{job['run_s']:.3f}",
                            job["time_limit_min"] * 60])
    (folder / "e.yaml").write_text(f"""
kind: Experiment
metadata: {{name: random}}
spec:
  topology: {{nodes: {{format: slurm, file: slurm.conf}}}}
  workload: [{{trace: {{format: csv, file: jobs.csv, zero: trace}}}}]
  scheduler:
    slurm:
      conf: slurm.conf
      gres: gres.conf
      accounting: accounting.txt
      version: '{version}'
      members: {'tasks' if are_tasks else 'nodes'}
      priorities: {'stated' if are_stated else 'computed'}
""")


def starts_of_run(folder):
    starts = {}
    with open(folder / "out" / "jobs.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            starts[row["job"]] = row["outcome"] if row["outcome"] in ("rejected", "dropped") else None
    with open(folder / "out" / "pods.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["start_s"]:
                at, nodes = starts[row["group"] or row["pod"]] or (float(row["start_s"]), set())
                starts[row["group"] or row["pod"]] = at, nodes | {row["node"]}
    return starts


def starts_of_model(request):
    starts = {}
    for name, job in Twin(request).run()["jobs"].items():
        last = job["starts"][-1] if job["starts"] else None
        starts[name] = ("rejected" if "refused" in job else
                        None if last is None else (last["at_s"], set(expanded(last["nodes"]))))
    return starts


def expanded(names):
    """The names of a host list such as n1 or n[1,3-4]."""
    if "[" not in names:
        return names.split(",")
    spans = [part.split("-") for part in names[names.index("[") + 1:-1].split(",")]
    return [f"n{k}" for span in spans for k in range(int(span[0]), int(span[-1]) + 1)]


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: random_experiments.py BERTH [COUNT [FIRST_SEED]]")
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    starts = differ = 0
    for seed in range(first, first + count):
        request, *how = random_request(seed)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_files(request["cluster"], folder)
            write_experiment(request, *how, folder)
            subprocess.run([sys.argv[1], "run", "e.yaml", "-q", "--check-invariants", "-o", "out"], cwd=folder,
                           check=True, stderr=subprocess.DEVNULL)
            mine = starts_of_run(folder)
        model = starts_of_model(request)
        # A job that was preempted and does not come back has no start any more.
        wrong = [name for name in model if mine[name] not in (model[name], "dropped")]
        starts += sum(isinstance(start, tuple) for start in model.values())
        if wrong:
            differ += 1
            print(f"seed {seed}: {wrong[0]}: berth {mine[wrong[0]]}, the model {model[wrong[0]]}")
    print(f"{count} random experiments, {starts} starts: {count - differ} are the same")
    sys.exit(differ > 0)


if __name__ == "__main__":
    main()
