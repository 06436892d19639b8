#!/usr/bin/env bash
# In gpu-choochoo, a job that waits for GPUs starts when the next job arrives and not when the GPUs become free, which
# may be hours later, and its backfilling guarantees the first job a start at infinity, so that all others pass it.
#
# Seen with gpu-choochoo 0.1.0, "scheduling baselines for realistic GPU cluster research", with its simulator's driver
# and its three schedulers, on one server with eight GPUs:
# - The driver goes from arrival to arrival. Jobs that end in between end at their own times, but it looks for a job to
#   start with the next arrival only, and after the last one at each end. A job that could start at 1000 starts at
#   50000, when another one comes, and waits for 13 hours beside eight idle GPUs. Without that one it starts at 1000.
# - At each of these times one job is started. Eight jobs for a GPU each, behind one for all of them, run one after the
#   other, for each scheduler: 800 seconds for what takes 100.
# - For a first job that has to wait, the start is computed on the server where it fits now, and there is none, since it
#   has to wait. So its "Guaranteed Start Time" is infinite, and each job ends before that. With four GPUs in use until
#   1000, a job for all eight should start soon after. Others of two GPUs, which come later and end after 1000, are
#   started until no more come: it waits for hours, as with shortest job first, and longer with each job in the stream.
#   Without backfilling it starts with the first arrival after 1000.
# The source describes a "Backfill Condition: Completion Time <= GST", calls this class "EASY Backfilling", and the
# README compares that with FCFS by numbers. Expected was a start at 1000 for what waits, and for the wide job. So waits
# depend on who comes afterwards, and FCFS is compared with a policy that reserves nothing.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check gpu-choochoo==0.1.0 gymnasium==1.4.0 numpy==2.4.6
cd "$place"
cat > seen.py <<'PYTHON'
import contextlib
import io

from gpu_choochoo.core.cluster import Cluster
from gpu_choochoo.core.node import Node
from gpu_choochoo.schedulers import heuristic
from gpu_choochoo.simulation.driver import SimulatorDriver

SCHEDULERS = {
    "FCFS": heuristic.PureFCFSScheduler,
    "backfilling": heuristic.BestFitBackfillScheduler,
    "shortest first": heuristic.ShortestJobFirstScheduler,
}


def starts(scheduler, jobs):
    """When each of the jobs starts that are given as name, arrival, GPUs and seconds."""
    cluster = Cluster([Node("server", "A100", 8, 640)])
    trace = [
        {"job_id": name, "arrival_time": arrival, "gpus_required": gpus, "duration_sec": runs, "vram_required_gb": gpus}
        for name, arrival, gpus, runs in jobs
    ]
    with contextlib.redirect_stdout(io.StringIO()):
        SimulatorDriver(cluster, SCHEDULERS[scheduler](cluster), trace).run_simulation()
    assert len(cluster.completed_jobs) == len(jobs)
    return {job.job_id: job.start_time for job in cluster.completed_jobs}


first, waits = ("first", 0, 8, 1000), ("waits", 10, 8, 100)
for scheduler in SCHEDULERS:
    print(f"{scheduler}, one waits:", starts(scheduler, [first, waits]))
    print(f"{scheduler}, another comes:", starts(scheduler, [first, waits, ("comes", 50000, 8, 200)]))
    small = starts(scheduler, [first] + [(f"small-{job}", 10 + job, 1, 100) for job in range(8)])
    print(f"{scheduler}, eight small ones:", *(f"{start:.0f}" for start in small.values()))
for number in (10, 50, 100):
    later = [(f"n{job}", 20 + 300 * job, 2, 1200) for job in range(number)]
    for scheduler in SCHEDULERS:
        began = starts(scheduler, [("first", 0, 4, 1000), ("wide", 10, 8, 100)] + later)
        passed = sum(began[f"n{job}"] < began["wide"] for job in range(number))
        print(f"{scheduler}: the wide job starts at {began['wide']:.0f}, {passed} of {number} later ones pass it")
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
FCFS, one waits: {'first': 0.0, 'waits': 1000.0}
FCFS, another comes: {'first': 0.0, 'waits': 50000.0, 'comes': 50100.0}
FCFS, eight small ones: 0 1000 1100 1200 1300 1400 1500 1600 1700
backfilling, one waits: {'first': 0.0, 'waits': 1000.0}
backfilling, another comes: {'first': 0.0, 'waits': 50000.0, 'comes': 50100.0}
backfilling, eight small ones: 0 1000 1100 1200 1300 1400 1500 1600 1700
shortest first, one waits: {'first': 0.0, 'waits': 1000.0}
shortest first, another comes: {'first': 0.0, 'waits': 50000.0, 'comes': 50100.0}
shortest first, eight small ones: 0 1000 1100 1200 1300 1400 1500 1600 1700
FCFS: the wide job starts at 1220, 0 of 10 later ones pass it
backfilling: the wide job starts at 4520, 10 of 10 later ones pass it
shortest first: the wide job starts at 4520, 10 of 10 later ones pass it
FCFS: the wide job starts at 1220, 0 of 50 later ones pass it
backfilling: the wide job starts at 16520, 50 of 50 later ones pass it
shortest first: the wide job starts at 16520, 50 of 50 later ones pass it
FCFS: the wide job starts at 1220, 0 of 100 later ones pass it
backfilling: the wide job starts at 31520, 100 of 100 later ones pass it
shortest first: the wide job starts at 31520, 100 of 100 later ones pass it
SEEN
