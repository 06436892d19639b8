#!/usr/bin/env bash
# In HPCSim, Tiresias, MLFQ and a preemptive SJF never preempt a job, so that the first two start each job when FIFO
# does, and EASY backfilling moves no job under any of its twelve schedulers.
#
# Seen with hpcsim 0.3.1, a discrete-event simulator of scheduling on GPU clusters, with its engine and its cluster
# tiny_test, two servers with four V100 each, and with jobs that leave no memory for another one on their GPUs:
# - A job for all GPUs that takes six hours starts first, and one of three minutes for one GPU comes a minute later. It
#   waits for six hours, for each scheduler. SJF is described as "preemptive SJF = SRPT", and Tiresias and MLFQ have
#   levels that jobs sink through as they run. The engine can preempt, and the summary counts preemptions, but none of
#   the schedulers asks for it.
# - The levels are of what a job has had so far, and only waiting jobs are sorted by them, which never had anything. So
#   all are in the first level, by their arrival: of 300 jobs with 1 to 8 GPUs, Tiresias and MLFQ start each in the
#   second in which FIFO does.
# - FIFO, as all the others, starts whatever fits, past jobs that do not. Nothing is left for backfilling to add, and
#   nothing is kept for the first job: with EASY, none of the 300 starts at another time, for any scheduler. A job for
#   all GPUs waits as long with it as without, until no job comes any more, while later ones pass it. The documentation
#   says that backfilling works "without delaying the head-of-queue job".
# - Jobs that still run when the simulation ends are "COMPLETED" then. One that would take years is complete after two
#   hours in avg_jct() of the result, and is not there in the summary, whose mean of no jobs is 0.
# Expected were three different schedules, and a backfilling that differs from FIFO. Whoever compares them sees equal
# numbers, and takes the policies for equal.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps hpcsim==0.3.1
"$place/venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 matplotlib==3.11.2 tabulate==0.10.0 \
    2> "$place/pip-says" || { cat "$place/pip-says"; exit 1; }
cd "$place"
export MPLCONFIGDIR="$place"
cat > seen.py <<'PYTHON'
import warnings

from hpcsim import CLUSTER_CONFIGS, Cluster, MetricsCollector, SimulationEngine, TrainingJob, create_scheduler
from hpcsim import list_schedulers, wrap_with_backfill

warnings.simplefilter("ignore")


def job(name, submit, gpus, iterations, user="a"):
    return TrainingJob(
        job_id=name, submit_time=float(submit), num_gpus_requested=gpus, num_iterations=iterations,
        memory_per_gpu_gb=20.0, user_id=user,
    )


def simulated(scheduler, jobs, backfill="none", end=1e7):
    cluster = Cluster(CLUSTER_CONFIGS["tiny_test"])
    primary = create_scheduler(scheduler, cluster)
    metrics = MetricsCollector()
    return SimulationEngine(cluster, wrap_with_backfill(primary, backfill), jobs, metrics, end).run(), metrics.summary()


def starts(result):
    return {job.job_id: job.start_time for job in result.completed_jobs}


def workload():
    state, time, jobs = 1, 0, []
    for number in range(300):
        drawn = []
        for _ in range(3):
            state = state * 1103515245 + 12345 & 0x7FFFFFFF
            drawn.append(state >> 16)
        time += 1 + drawn[0] % 600
        jobs.append(job(f"j{number}", time, (1, 1, 2, 4, 8)[drawn[1] % 5], 200 + drawn[2] % 30000, f"u{number % 5}"))
    return jobs


for scheduler in list_schedulers():
    result, summary = simulated(scheduler, [job("long", 0, 8, 1000000), job("short", 60, 1, 1000)])
    print(f"{scheduler}: short one starts at {starts(result)['short']:.0f}, preemptions {summary['preemptions']}")
fifo = starts(simulated("fifo", workload())[0])
for scheduler in list_schedulers():
    alone, filled = (starts(simulated(scheduler, workload(), backfill)[0]) for backfill in ("none", "easy"))
    differ = sum(alone[name] != fifo[name] for name in fifo)
    moved = sum(alone[name] != filled[name] for name in fifo)
    print(f"{scheduler}: {len(alone)} jobs, {differ} start at other times than with fifo, {moved} are moved by easy")
for backfill in ("none", "easy"):
    stream = [job(f"n{number}", number * 100, 1, 9000) for number in range(200)] + [job("wide", 1000, 8, 1000)]
    began = starts(simulated("fifo", stream, backfill)[0])
    passed = sum(began[f"n{number}"] < began["wide"] for number in range(11, 200))
    print(f"fifo, backfilling {backfill}: the wide job waits {began['wide'] - 1000:.0f} s, {passed} later ones pass it")
result, summary = simulated("fifo", [job("years", 0, 1, 10**9)], end=7200.0)
print(result.completed_jobs[0].status.name, result.avg_jct(), summary["jobs_completed"], summary["avg_jct_s"])
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
backfill: short one starts at 21023, preemptions 0
chronus: short one starts at 21023, preemptions 0
e-las: short one starts at 21023, preemptions 0
elasticflow: short one starts at 21023, preemptions 0
fifo: short one starts at 21023, preemptions 0
gavel: short one starts at 21023, preemptions 0
maxminfairness: short one starts at 21023, preemptions 0
mlfq: short one starts at 21023, preemptions 0
pollux: short one starts at 21023, preemptions 0
sjf: short one starts at 21023, preemptions 0
themis: short one starts at 21023, preemptions 0
tiresias: short one starts at 21023, preemptions 0
backfill: 300 jobs, 0 start at other times than with fifo, 0 are moved by easy
chronus: 300 jobs, 0 start at other times than with fifo, 0 are moved by easy
e-las: 300 jobs, 209 start at other times than with fifo, 0 are moved by easy
elasticflow: 300 jobs, 0 start at other times than with fifo, 0 are moved by easy
fifo: 300 jobs, 0 start at other times than with fifo, 0 are moved by easy
gavel: 300 jobs, 0 start at other times than with fifo, 0 are moved by easy
maxminfairness: 300 jobs, 190 start at other times than with fifo, 0 are moved by easy
mlfq: 300 jobs, 0 start at other times than with fifo, 0 are moved by easy
pollux: 300 jobs, 0 start at other times than with fifo, 0 are moved by easy
sjf: 300 jobs, 204 start at other times than with fifo, 0 are moved by easy
themis: 300 jobs, 189 start at other times than with fifo, 0 are moved by easy
tiresias: 300 jobs, 0 start at other times than with fifo, 0 are moved by easy
fifo, backfilling none: the wide job waits 34315 s, 189 later ones pass it
fifo, backfilling easy: the wide job waits 34315 s, 189 later ones pass it
COMPLETED 7200.0 0 0.0
SEEN
