#!/usr/bin/env bash
# slurm-job-analyzer, which reports what GPUs of a cluster are wasted, finds no GPU and no hour in what the command of
# its own README writes, and with another delimiter it calls a busy job and an idle one equally idle.
#
# Seen on 2026-11-30 with slurm-job-analyzer 0.1.1, on lines as sacct prints them:
# - Its README exports with sacct --parsable2, which parts columns by |, and its description says "pipe/TSV". The reader
#   parts at tabs only. Each line is then one column of a long name, and no column is called JobID, so that jobs, their
#   steps and what has no GPU are all jobs of 0 hours in the partition "unknown". Nothing is said, and the exit status
#   is 0: a cluster that has spent 161 GPU hours has "0.00 h" and "0 GPU jobs".
# - With --delimiter as a tab, hours and partitions are right. The verdicts are not: utilisation is the plain mean over
#   all lines of the log of GPUs, and each job gets it. A job on gpu01, whose GPUs are at 95 per cent, and one on gpu02,
#   whose GPUs do nothing, are both UNDERUTILIZED with 47.5. The log names the servers and sacct does, too. In the
#   README's example each job has another number.
# - sacct has MaxRSS in the lines of steps, such as 101.batch, and none in the line of a job. Steps are passed over, so
#   the memory of no job is known, and MEM_OVERALLOC, one of four verdicts, never comes: here a job uses 5 of 512 GiB.
# - sacct writes CANCELLED by and a number. Only CANCELLED, FAILED and TIMEOUT are failures, so such a job is none, nor
#   is one that ended as OUT_OF_MEMORY: of three jobs that failed it counts one.
# Expected was what the README shows. The number of jobs that it prints looks right in both cases, or a little high.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check slurm-job-analyzer==0.1.1
cd "$place"
venv/bin/pip list --disable-pip-version-check 2> /dev/null | grep slurm-job-analyzer | tr -s ' '
cat > jobs.bars <<'SACCT'
JobID|JobName|Partition|State|Elapsed|AllocCPUS|AllocTRES|ReqMem|MaxRSS|NodeList
101|busy|gpu|COMPLETED|10:00:00|32|billing=32,cpu=32,gres/gpu=8,mem=512G,node=1|512G||gpu01
101.batch|batch||COMPLETED|10:00:00|32|cpu=32,gres/gpu=8,mem=512G,node=1||5242880K|gpu01
102|idle|gpu|CANCELLED by 1000|10:00:00|32|billing=32,cpu=32,gres/gpu=8,mem=512G,node=1|512G||gpu02
102.batch|batch||CANCELLED|10:00:01|32|cpu=32,gres/gpu=8,mem=512G,node=1||5242880K|gpu02
103|large|debug|OUT_OF_MEMORY|00:30:00|8|billing=8,cpu=8,gres/gpu=1,mem=64G,node=1|64G||gpu03
103.batch|batch||OUT_OF_MEMORY|00:30:00|8|cpu=8,gres/gpu=1,mem=64G,node=1||67108864K|gpu03
104|wrong|debug|FAILED|00:30:00|8|billing=8,cpu=8,gres/gpu=1,mem=64G,node=1|64G||gpu03
104.batch|batch||FAILED|00:30:00|8|cpu=8,gres/gpu=1,mem=64G,node=1||1048576K|gpu03
SACCT
tr '|' '\t' < jobs.bars > jobs.tabs
{
    echo timestamp_s,node,gpu_index,utilization_pct,temperature_c,power_w,memory_used_mib,memory_total_mib
    for gpu in 0 1 2 3 4 5 6 7; do
        echo "10,gpu01,$gpu,95,60,300,70000,81920"
        echo "10,gpu02,$gpu,0,30,60,0,81920"
    done
} > gpus.csv
{
    for kind in bars tabs; do
        echo "== $kind"
        for what in sacct gpu-waste queue-wait; do
            log=()
            if [ "$what" = gpu-waste ]; then log=(--gpu-log gpus.csv); fi
            venv/bin/slurm-analyze "$what" --input "jobs.$kind" --out "$kind.csv" "${log[@]}"
        done
    done
} > all
grep -v -e '^$' -e Wrote -e '[-][-][-]' all | sed -e 's/^ *//' | tr -s ' ' | sed -e 's/ $//' | tee seen
diff - seen <<'SEEN'
== bars
Partition summary (8 jobs parsed):
partition jobs total_wall_h avg_wall_min completed_pct total_gpu_hours gpu_nodes
unknown 8 0.0 0.0 0.0 0.0 0
GPU waste report (0 GPU jobs):
(no rows)
Summary:
Total GPU-hours allocated: 0.00 h
EFFICIENT (>=80% util): 0
UNDERUTILIZED (20-79%): 0
IDLE_WASTE (<20% util): 0
MEM_OVERALLOC (mem <50%): 0
GPU resource summary across 0 GPU jobs:
Total GPU-hours: 0.00 h
== tabs
Partition summary (4 jobs parsed):
partition jobs total_wall_h avg_wall_min completed_pct total_gpu_hours gpu_nodes
debug 2 1.0 30.0 0.0 1.0 1
gpu 2 20.0 600.0 0.5 160.0 2
GPU waste report (4 GPU jobs):
job_id job_name alloc_gpus elapsed_h gpu_hours avg_util_pct peak_util_pct idle_gpus mem_efficiency verdict
101 busy 8 10.0 80.0 47.5 95.0 0 N/A UNDERUTILIZED
102 idle 8 10.0 80.0 47.5 95.0 0 N/A UNDERUTILIZED
103 large 1 0.5 0.5 47.5 95.0 0 N/A UNDERUTILIZED
104 wrong 1 0.5 0.5 47.5 95.0 0 N/A UNDERUTILIZED
Summary:
Total GPU-hours allocated: 161.00 h
EFFICIENT (>=80% util): 0
UNDERUTILIZED (20-79%): 4
IDLE_WASTE (<20% util): 0
MEM_OVERALLOC (mem <50%): 0
GPU resource summary across 4 GPU jobs:
Total GPU-hours: 161.00 h
Partition: gpu
Jobs: 2
GPU-hours: 160.00
Avg GPUs/job: 8.0
Failed/timeout jobs: 0
Mem over-alloc jobs: 0
Est. wasted GPU-hours: 0.00
Partition: debug
Jobs: 2
GPU-hours: 1.00
Avg GPUs/job: 1.0
Failed/timeout jobs: 1
Mem over-alloc jobs: 0
Est. wasted GPU-hours: 0.00
SEEN
