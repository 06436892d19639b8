#!/usr/bin/env bash
# Eight jobs for one GPU each, which arrive together at a cluster with eight free GPUs, all go to the same GPU in
# HPCSim, and run one after the other on it if it has memory for one of them only; seven GPUs stay empty.
#
# Seen with hpcsim 0.3.1, a discrete-event simulator of scheduling on GPU clusters, with its cluster tiny_test, two
# servers with four V100 each, and its own engine and FIFO scheduler:
# - A scheduler is asked once for all events of a second. It looks for GPUs for each waiting job, but what it has given
#   to one is taken only after it has decided for all of them. So each job is given the same GPUs, the first free ones.
# - Where memory is left, they share it. Eight jobs of 4 GB, which is the default, use one GPU, and each takes twice as
#   long as alone, so that this GPU does the work of four while seven are idle.
# - Where none is left, as for jobs of 20 GB on 32 GB, the first starts. The others are refused, wait for the next
#   event, and are given one GPU again. Eight jobs of 154 seconds take 1231, on eight GPUs.
# - A second between the arrivals is enough for eight GPUs. But jobs that waited for a wide one start together, whenever
#   they arrived, so it is so for every queue. Four jobs for two GPUs each, one for all of them in turn, do the same.
# - FIFO, SJF, Tiresias, MLFQ, Gavel, Themis and the others all do it, as they look for GPUs by the same function.
# Each GPU has a capacity of 1, which the source explains as "1 = exclusive; >1 = MPS sharing". It is looked at when
# GPUs are chosen, and not when they are taken. Expected were eight GPUs, and 154 seconds. Waits, utilisation and energy
# of any queue are off by it.
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
from hpcsim import list_schedulers

warnings.simplefilter("ignore")


def simulated(scheduler, jobs):
    cluster = Cluster(CLUSTER_CONFIGS["tiny_test"])
    engine = SimulationEngine(cluster, create_scheduler(scheduler, cluster), jobs, MetricsCollector(), 1e6)
    return sorted(engine.run().completed_jobs, key=lambda job: (job.start_time, job.job_id))


def small(number, gpus, memory, apart):
    return [
        TrainingJob(
            job_id=f"small-{job}", submit_time=float(apart * job), num_gpus_requested=gpus, num_iterations=1000,
            memory_per_gpu_gb=memory,
        )
        for job in range(number)
    ]


def told(jobs):
    used = {gpu for job in jobs for gpu in job.allocated_gpus}
    starts = " ".join(f"{job.start_time:.0f}" for job in jobs)
    return f"{len(used)} GPUs, starts {starts}, last end {max(job.end_time for job in jobs):.0f}"


def wide():
    return TrainingJob(
        job_id="wide", submit_time=0.0, num_gpus_requested=8, num_iterations=10000, memory_per_gpu_gb=20.0
    )


print("capacities:", {gpu.capacity for gpu in Cluster(CLUSTER_CONFIGS["tiny_test"]).gpus.values()})
for number, gpus, memory, apart in (
    (1, 1, 4.0, 0), (2, 1, 4.0, 0), (8, 1, 4.0, 0), (8, 1, 4.0, 1), (8, 1, 20.0, 0), (8, 1, 20.0, 1), (4, 2, 20.0, 0)
):
    jobs = simulated("fifo", small(number, gpus, memory, apart))
    print(f"{number} jobs, {gpus} GPUs and {memory:.0f} GB each, {apart} s apart: {told(jobs)}")
for apart in (0, 10):
    jobs = simulated("fifo", [wide()] + small(8, 1, 20.0, apart))
    print(f"after a job for all GPUs, {apart} s apart: {told(jobs[1:])}")
for name in list_schedulers():
    used = {gpu for job in simulated(name, small(8, 1, 4.0, 0)) for gpu in job.allocated_gpus}
    print(f"GPUs used by eight jobs at once, {name}: {len(used)}")
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
capacities: {1}
1 jobs, 1 GPUs and 4 GB each, 0 s apart: 1 GPUs, starts 0, last end 154
2 jobs, 1 GPUs and 4 GB each, 0 s apart: 1 GPUs, starts 0 0, last end 192
8 jobs, 1 GPUs and 4 GB each, 0 s apart: 1 GPUs, starts 0 0 0 0 0 0 0 0, last end 308
8 jobs, 1 GPUs and 4 GB each, 1 s apart: 8 GPUs, starts 0 1 2 3 4 5 6 7, last end 161
8 jobs, 1 GPUs and 20 GB each, 0 s apart: 1 GPUs, starts 0 154 308 462 615 769 923 1077, last end 1231
8 jobs, 1 GPUs and 20 GB each, 1 s apart: 8 GPUs, starts 0 1 2 3 4 5 6 7, last end 161
4 jobs, 2 GPUs and 20 GB each, 0 s apart: 2 GPUs, starts 0 77 154 231, last end 308
after a job for all GPUs, 0 s apart: 1 GPUs, starts 210 364 518 672 826 979 1133 1287, last end 1441
after a job for all GPUs, 10 s apart: 1 GPUs, starts 210 364 518 672 826 979 1133 1287, last end 1441
GPUs used by eight jobs at once, backfill: 1
GPUs used by eight jobs at once, chronus: 1
GPUs used by eight jobs at once, e-las: 1
GPUs used by eight jobs at once, elasticflow: 1
GPUs used by eight jobs at once, fifo: 1
GPUs used by eight jobs at once, gavel: 1
GPUs used by eight jobs at once, maxminfairness: 1
GPUs used by eight jobs at once, mlfq: 1
GPUs used by eight jobs at once, pollux: 1
GPUs used by eight jobs at once, sjf: 1
GPUs used by eight jobs at once, themis: 1
GPUs used by eight jobs at once, tiresias: 1
SEEN
