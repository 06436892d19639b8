#!/usr/bin/env bash
# A job that used its CPUs fully has used none of them for slurm-usage, and has wasted all its hours, if srun started
# its work; and some of the servers that it ran on have no hours.
#
# Seen with slurm-usage 3.1.0 and polars 2.1.0, which preserves what sacct says of jobs and ranks users by it:
# - It takes CPU time and memory of the batch step, and says so: these "are stored in the .batch step, not the parent
#   job record". That step is the script only. What srun starts has steps of its own, and the record of the job has the
#   CPU time of all steps, as sacct documents. So the same work is 99 % efficient from the script itself, and 0.0 % by
#   srun, which jobs of many servers need. No other step is looked at, so their memory is lost as well.
# - Of gpu[01-02],cpu[01-02] it finds gpu01 and gpu02, and cpu07,gpu05 is one server of that name. The hours of all go
#   to those that are found.
# - The time that a job ran is divided by its servers, as if they had worked one after another: two servers that were
#   busy for the same hour were so for half an hour each.
# The table of fields says of the efficiency "actual CPU time / allocated CPU time". sacct is a small script here.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check slurm-usage==3.1.0 polars==2.1.0 pydantic==2.14.4
cd "$place"
mkdir bin
cat > said.py <<'PYTHON'
import sys

fields = next(word for word in sys.argv if word.startswith("--format=")).removeprefix("--format=").split(",")


def say(job, nodes, count, cpus, cpu_time, memory=""):
    whole = "." not in job
    known = {"JobID": job, "User": "u7" if whole else "", "JobName": "j", "Partition": "q" if whole else "",
             "State": "COMPLETED", "Submit": "2026-03-02T09:00:00", "Start": "2026-03-02T10:00:00",
             "End": "2026-03-02T11:00:00", "NodeList": nodes, "ElapsedRaw": "3600", "Elapsed": "01:00:00",
             "AllocCPUS": str(cpus), "AllocNodes": str(count), "TotalCPU": cpu_time, "MaxRSS": memory,
             "ReqMem": f"{32 * count}G" if whole else "", "AllocTRES": f"cpu={cpus},mem={32 * count}G,node={count}"}
    print("|".join(known.get(field, "") for field in fields))


say("501", "gpu01", 1, 8, "07:55:00")
say("501.batch", "gpu01", 1, 8, "07:55:00", "30G")
say("502", "gpu02", 1, 8, "07:55:01")
say("502.batch", "gpu02", 1, 8, "00:01.200", "5M")
say("502.0", "gpu02", 1, 8, "07:55:00", "30G")
say("503", "gpu[01-02],cpu[01-02]", 4, 32, "1-07:40:01")
say("503.batch", "gpu01", 1, 8, "00:01.200", "5M")
say("503.0", "gpu[01-02],cpu[01-02]", 4, 32, "1-07:40:00", "30G")
say("504", "cpu07,gpu05", 2, 16, "15:50:01")
say("504.batch", "cpu07", 1, 8, "00:01.200", "5M")
say("504.0", "cpu07,gpu05", 2, 16, "15:50:00", "30G")
PYTHON
printf '#!/bin/sh\nexec python3 "%s" "$@"\n' "$place/said.py" > bin/sacct
chmod +x bin/sacct
cat > seen.py <<'PYTHON'
import polars
import slurm_usage

records = slurm_usage._fetch_raw_records_from_slurm("2026-03-02")
jobs, _ = slurm_usage._process_raw_records_into_jobs(records)
for job in jobs:
    print(f"{job.job_id} on {job.node_list}: CPUs {job.cpu_efficiency:.1f} %, memory {job.memory_efficiency:.1f} %, "
          f"{job.cpu_hours_wasted:.2f} of {job.cpu_hours_reserved:.0f} hours wasted")
used = slurm_usage._extract_node_usage_data(polars.DataFrame([job.to_dict() for job in jobs]))
for row in used.group_by("node").sum().sort("node").iter_rows(named=True):
    print(f"{row['node']}: {row['cpu_hours']:.0f} hours of CPUs, busy for {row['elapsed_hours']:.2f} hours")
PYTHON
HOME="$place" PATH="$place/bin:$PATH" venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
501 on gpu01: CPUs 99.0 %, memory 93.8 %, 0.08 of 8 hours wasted
502 on gpu02: CPUs 0.0 %, memory 0.0 %, 8.00 of 8 hours wasted
503 on gpu[01-02],cpu[01-02]: CPUs 0.0 %, memory 0.0 %, 32.00 of 32 hours wasted
504 on cpu07,gpu05: CPUs 0.0 %, memory 0.0 %, 16.00 of 16 hours wasted
cpu07,gpu05: 16 hours of CPUs, busy for 1.00 hours
gpu01: 24 hours of CPUs, busy for 1.50 hours
gpu02: 24 hours of CPUs, busy for 1.50 hours
SEEN
