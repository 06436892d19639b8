"""Devices of claims: docs/reference/run-directory.md, section claimed_devices.csv."""

from collections import defaultdict

from run_files import nanoseconds


def claimed_devices_are_right(run, replication, work, end):
    """Each row is a stint of a pod of its job, and a device that is not shared has one claim at a time."""
    rows = (run.claimed_devices or {}).get(replication, [])
    stints = defaultdict(list)
    for pod in work.pods:
        for stint in pod.stints:
            stints[pod.group or pod.name, stint.node, stint.start].append(end if stint.end is None else stint.end)
    held = defaultdict(list)
    for row in rows:
        ends = stints.get((row["job"], row["node"], nanoseconds(row["time_s"])))
        if ends is None:
            yield f"claimed_devices.csv: no pod of {row['job']} got {row['node']} at {row['time_s']} s"
        elif row["access"] == "exclusive":
            held[row["driver"], row["pool"], row["device"]].append(
                (nanoseconds(row["time_s"]), min(ends), row["claim"]))
        elif row["access"] not in ("shared", "admin"):
            yield f"claimed_devices.csv: access {row['access']}"
    for device, times in held.items():
        times.sort()
        for i, (_, until, claim) in enumerate(times):
            for begin, _, other in times[i + 1:]:
                if begin >= until:
                    break
                if other != claim:
                    yield f"the device {'/'.join(device)} is held by {claim} and {other} at once"
