"""Pods that already ran when the run began: they did not wait, and no statistic of times includes them."""

import json
import re

from cluster import flat
from run_files import nanoseconds


def number_of(job, key):
    value = job.get(key)
    return (value or {}).get("number") if isinstance(value, dict) else value


def jobs_in_json(text):
    """Name, state and number of nodes of each job in the output of `squeue --json`."""
    for job in json.loads(text)["jobs"]:
        state = job["job_state"] if isinstance(job["job_state"], str) else job["job_state"][0]
        array, task = number_of(job, "array_job_id"), number_of(job, "array_task_id")
        name = f"{array}_{task}" if array and task is not None else str(job["job_id"])
        yield name, state, int(number_of(job, "node_count") or 1)


def jobs_in_text(text):
    """The same, for the output of `scontrol show job`."""
    for record in re.split(r"(?m)^(?=JobId=)", text)[1:]:
        keys = dict(re.findall(r"(?:^|\s)(\w+)=(\S*)", record))
        name = keys["JobId"]
        if keys.get("ArrayTaskId", "").isdigit():
            name = f"{keys['ArrayJobId']}_{keys['ArrayTaskId']}"
        if "HetJobId" in keys:
            name = f"{keys['HetJobId']}+{keys['HetJobOffset']}"
        yield name, keys["JobState"], int(keys.get("NumNodes", "1").split("-")[0])


def names_in_slurm(text):
    """Names of the running jobs and of their members."""
    for name, state, nodes in (jobs_in_json if "{" in text else jobs_in_text)(text):
        if state == "RUNNING":
            yield name
            yield from (f"{name}-{member}" for member in range(nodes) if nodes > 1)


def names_on_nodes(run):
    """Names of the pods that a source `running` puts on a node."""
    names = set()
    for source in flat(run.experiment.get("workload") or []):
        if "jobs" in (source.get("running") or {}):
            names.update(names_in_slurm(source["running"]["jobs"]))
            continue
        document = (source.get("running") or {}).get("document") or {}
        pods = [document] if document.get("kind") == "Pod" else document.get("items") or []
        for pod in pods:
            if (pod.get("spec") or {}).get("nodeName"):
                name_space = pod["metadata"].get("namespace")
                name = pod["metadata"]["name"]
                names.add(f"{name_space}/{name}" if name_space else name)
    return names


def ran_from_the_start(run, replication):
    """Names of the pods that ran from the start, and of their groups. Without pods.csv, those evicted since then are
    not known."""
    names = names_on_nodes(run)
    if not names:
        return set()
    starts = {}
    for row in (run.evictions or {}).get(replication, []):
        start = nanoseconds(row["time_s"]) - nanoseconds(row["ran_s"])
        starts[row["pod"]] = min(start, starts.get(row["pod"], start))
    rows = (run.jobs if run.pods is None else run.pods) or {}
    found = set()
    for row in rows.get(replication, []):
        name = row["job" if run.pods is None else "pod"]
        first = starts.get(name, nanoseconds(row["start_s"]))
        if name in names and first == nanoseconds(row["submit_s"]):
            found.add(name)
            if row.get("group"):
                found.add(row["group"])
    return found
