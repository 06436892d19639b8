#!/usr/bin/env bash
# A job that has a whole server with eight GPUs for itself is charged for one GPU and one CPU by Waldur's agent for
# Slurm, while Slurm counts all of them against the limit that the same agent has set.
#
# Seen with waldur-site-agent-slurm 1.0.7, by which portals of computing centres report what projects have used, with a
# sacct and a sacctmgr of small scripts here:
# - Usage is the column ReqTRES of sacct times Elapsed, month by month. Slurm documents it as the counts "requested by
#   the job/step at submission time"; those "allocated to the job/step after the job started running" are AllocTRES,
#   which is not asked for.
# - They differ where it matters most. A job with --exclusive "is allocated all CPUs and GRES" of its nodes: here 1 CPU
#   and 1 GPU are requested, and 128 and 8 are had for 100 hours, which Waldur reports as 100 GPU hours. Where cores
#   have two threads, a task that asks for one CPU holds both; sbatch's manual shows a job with 3 CPUs in ReqTRES and 4
#   in AllocTRES. With --nodes=1-4, up to four nodes are had, and one is requested.
# - GrpTRESMins, which the agent sets from a project's limit, is counted by Slurm with what is allocated. Of a project
#   with 1000 GPU hours whose jobs had 900, Slurm has 100 left, and the portal shows 200 as used.
# - Reports of past months are made in the same way.
# Its documentation says "Real-time usage data collection", has sacct without columns as the command, and does not say
# which columns it takes. Expected was what the limit counts.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check waldur-site-agent-slurm==1.0.7 \
  waldur-site-agent==1.0.7 waldur-api-client==8.1.2
cd "$place"
mkdir bin
cat > bin/sacct <<'SACCT'
#!/usr/bin/env python3
import sys

columns = next(word for word in sys.argv if word.startswith("--format=")).partition("=")[2].split(",")
one = "billing=1,cpu=1,gres/gpu=1,mem=65536M,node=1"
jobs = [
    ("whole", "gpu", "4-04:00:00", one, "billing=128,cpu=128,gres/gpu=8,mem=65536M,node=1"),
    ("shared", "gpu", "4-04:00:00", one, one),
    ("threads", "cpu", "10:00:00", "cpu=16,mem=16384M,node=1", "cpu=32,mem=16384M,node=1"),
    ("range", "cpu", "10:00:00", "cpu=1,mem=65536M,node=1", "cpu=4,mem=262144M,node=4"),
]
for user, account, elapsed, requested, allocated in jobs:
    row = {"Account": account, "User": user, "Elapsed": elapsed, "ReqTRES": requested, "AllocTRES": allocated}
    print("|".join(row[column] for column in columns))
SACCT
cat > bin/sacctmgr <<SACCTMGR
#!/bin/sh
echo "sacctmgr \$*" >> $place/asked
SACCTMGR
chmod +x bin/*
cat > seen.py <<'PYTHON'
import pathlib
import subprocess

from waldur_site_agent_slurm.backend import SlurmBackend

hours = {"unit_factor": 60, "accounting_type": "limit", "limit": 1000}
components = {
    "cpu": {**hours, "label": "CPU", "measured_unit": "hours"},
    "gres/gpu": {**hours, "label": "GPU", "measured_unit": "hours"},
    "mem": {**hours, "label": "RAM", "measured_unit": "GiB hours", "unit_factor": 60 * 1024},
}
bin_path = str(pathlib.Path("bin").absolute())
backend = SlurmBackend({"slurm_bin_path": bin_path, "default_account": "root"}, components)


def had(column):
    """The same sums as a site would make of a column."""
    said = subprocess.run(["bin/sacct", f"--format=User,Elapsed,{column}"], capture_output=True, text=True, check=True)
    answer = {}
    for line in said.stdout.splitlines():
        user, elapsed, amounts = line.split("|")
        days, _, clock = elapsed.rpartition("-")
        length = int(days or 0) * 24 + int(clock.split(":")[0])
        amounts = dict(amount.split("=") for amount in amounts.split(","))
        answer[user] = {"cpu": length * int(amounts["cpu"]), "gres/gpu": length * int(amounts.get("gres/gpu", 0)),
                        "mem": length * int(amounts["mem"][:-1]) // 1024}
    return answer


report = backend._get_usage_report(["gpu", "cpu"])
past = backend.get_usage_report_for_period(["gpu", "cpu"], 2026, 3)
allocated = had("AllocTRES")
for account, users in report.items():
    for user, usage in users.items():
        if user in allocated:
            print(f"{user}:", *(f"{name} {usage.get(name, 0):g} of {hours}" for name, hours in allocated[user].items()))
print("All of gpu:", report["gpu"]["TOTAL_ACCOUNT_USAGE"]["gres/gpu"], "GPU hours of",
      allocated["whole"]["gres/gpu"] + allocated["shared"]["gres/gpu"])
print("The past month is the same:", past == report)
backend.client.set_resource_limits("gpu", {"gres/gpu": 1000 * 60})
print(pathlib.Path("asked").read_text().strip().splitlines()[-1].replace(bin_path + "/", ""))
PYTHON
venv/bin/python -W ignore seen.py 2> errors | tee seen
diff - seen <<'SEEN'
whole: cpu 100 of 12800 gres/gpu 100 of 800 mem 6400 of 6400
shared: cpu 100 of 100 gres/gpu 100 of 100 mem 6400 of 6400
threads: cpu 160 of 320 gres/gpu 0 of 0 mem 160 of 160
range: cpu 10 of 40 gres/gpu 0 of 0 mem 640 of 2560
All of gpu: 200.0 GPU hours of 900
The past month is the same: True
sacctmgr --parsable2 --noheader --immediate modify account gpu set GrpTRESMins=gres/gpu=60000
SEEN
