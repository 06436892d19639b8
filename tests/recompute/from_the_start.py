"""Which pods ran already when the run began: they did not wait, and no statistic of times has them."""

from cluster import flat
from run_files import nanoseconds


def names_on_nodes(run):
    """Of the pods that a source `running` has on a node."""
    names = set()
    for source in flat(run.experiment.get("workload") or []):
        document = (source.get("running") or {}).get("document") or {}
        pods = [document] if document.get("kind") == "Pod" else document.get("items") or []
        for pod in pods:
            if (pod.get("spec") or {}).get("nodeName"):
                name_space = pod["metadata"].get("namespace")
                name = pod["metadata"]["name"]
                names.add(f"{name_space}/{name}" if name_space else name)
    return names


def ran_from_the_start(run, replication):
    """Their names. Without pods.csv, those that were evicted since are not known."""
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
    return found
