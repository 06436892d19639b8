#!/usr/bin/env bash
# A job whose eight GPUs were half used has used them for four times as long as it had them, for slurm2sql, and its
# memory on the GPUs is counted in other units than its memory on the server.
#
# Seen with slurm2sql 0.9.9, which makes a database of what sacct says, on its own view of efficiency, `eff`:
# - GpuUtil is of all GPUs together: the documentation says "normalized to fraction 0.0-ngpus". gpu_s_used multiplies it
#   by the number of GPUs once more, beside gpu_s_reserved, which is right. For one GPU nothing is to be seen. Eight
#   GPUs, used to a half for an hour, are 4 hours, and are 32 of 8; 64 GPUs are 2048 of 64. gpu_s_used also takes the
#   greatest use of any step for the whole job: where an hour's step with full use follows one that uses none, it says
#   128 hours of 16, and GpuEff, from the same numbers, a half, which is 8 hours.
# - GpuEff is "Highest GpuEff for any job step" in the documentation, as MemEff is; the highest of the steps of that job
#   is 1, and the view has 0.5.
# - Slurm writes amounts with units of 1024, gres/gpumem as well as mem. The documentation says that all values become
#   bytes. 40G of mem are 42949672960 of them, and 40G of gpumem are 40000000000, so that the command slurm2sql-seff,
#   which divides both by 1024^3, shows 40 and 37.3 GiB for one line.
# Sums over users of GPU hours that were used, and shares of them, so grow with the square of the jobs' sizes, and a job
# may seem to fit on GPUs with a fourteenth less of memory than it needs.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check slurm2sql==0.9.9 tabulate==0.10.0
cd "$place"
export TZ=UTC
cat > jobs.py <<'PYTHON'
import csv

COLUMNS = "JobID,User,State,Submit,Start,End,Elapsed,NNodes,NCPUS,AllocTRES,TRESUsageInTot".split(",")


def rows(job, gpus, *steps):
    """One line for the job, and one for each of its steps of an hour, one after the other."""
    allocated = f"cpu={gpus},gres/gpu={gpus},mem=64G"
    yield job, 0, len(steps), gpus, allocated, ""
    for at, percents in enumerate(steps):
        used = f"cpu=00:30:00,gres/gpumem=40G,gres/gpuutil={percents},mem=40G"
        yield f"{job}.{at}", at, at + 1, gpus, allocated, used


with open("jobs.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for jobs in (rows(21, 1, 50), rows(22, 8, 400), rows(23, 64, 3200), rows(24, 8, 800, 0)):
        for job, start, end, gpus, allocated, used in jobs:
            times = [f"2026-05-04T{8 + hour:02}:00:00" for hour in (0, start, end)]
            writer.writerow([job, "u", "COMPLETED", *times, f"{end - start:02}:00:00", 1, gpus, allocated, used])
PYTHON
cat > shown.py <<'PYTHON'
import sqlite3

database = sqlite3.connect("jobs.sqlite3")
for job, gpus, efficiency, reserved, used, on_gpus, on_server in database.execute(
        "SELECT JobID, NGpus, GpuEff, gpu_s_reserved, gpu_s_used, GpuMem, TotalMem FROM eff ORDER BY JobID"):
    print(f"job {job}, GPUs {gpus:g}: GpuEff {efficiency:g}, GPU hours reserved {reserved / 3600:g}, "
          f"used {used / 3600:g}, GpuMem {on_gpus:.0f}, TotalMem {on_server:.0f}")
for job, step, efficiency in database.execute(
        "SELECT JobIDonly, JobStep, GpuEff FROM steps WHERE JobIDonly = 24 ORDER BY JobStep"):
    print(f"step {step} of job {job}: GpuEff {efficiency:g}")
PYTHON
{
    venv/bin/python jobs.py
    venv/bin/slurm2sql --quiet jobs.sqlite3 --csv-input jobs.csv
    venv/bin/python shown.py
    venv/bin/slurm2sql-seff --quiet --csv-input jobs.csv --format tsv | awk -F '\t' '{
        for (at = 1; at <= NF; at++) {
            gsub(/ /, "", $at)
            if (NR == 1) { name[$at] = at }
        }
        print $name["JobID"], $name["NGpus"], $name["MemTotGiB"], $name["GPUmemGiB"]
    }'
} | tee seen
diff - seen <<'SEEN'
job 21, GPUs 1: GpuEff 0.5, GPU hours reserved 1, used 0.5, GpuMem 40000000000, TotalMem 42949672960
job 22, GPUs 8: GpuEff 0.5, GPU hours reserved 8, used 32, GpuMem 40000000000, TotalMem 42949672960
job 23, GPUs 64: GpuEff 0.5, GPU hours reserved 64, used 2048, GpuMem 40000000000, TotalMem 42949672960
job 24, GPUs 8: GpuEff 0.5, GPU hours reserved 16, used 128, GpuMem 40000000000, TotalMem 42949672960
step 0 of job 24: GpuEff 1
step 1 of job 24: GpuEff 0
JobID NGpus MemTotGiB GPUmemGiB
21 1 40 37.3
22 8 40 37.3
23 64 40 37.3
24 8 40 37.3
SEEN
