#!/usr/bin/env bash
# Of two servers with four A100 and two T4 each, GCM counts six GPUs and not twelve; a pending job of 32 GPUs has
# requested eight of them, or none; and a job with a tebibyte has less memory than one with a gibibyte less.
#
# Seen with gpucm 0.0.2, which is Meta's GPU Cluster Monitoring, with commands of Slurm as small scripts here:
# - A server's Gres lists its kinds of GPUs: gpu:a100:4,gpu:t4:2. Each kind overwrites the one before, so the last one
#   counts, for what there is, what is up, and what is allocated. If the order is the other way round, it is the other
#   kind. The parser that GCM uses for jobs takes the first.
# - GPUS_REQUESTED is squeue's tres-per-node, which is of one node: -N4 --gres=gpu:8 is 8. With --gpus=32, or
#   --gpus-per-task, tres-per-node is N/A, and that is 0. So the GPUs that the queue waits for depend on the option that
#   users prefer. TRES_GPUS_ALLOCATED beside it is of the whole job.
# - Amounts of memory are made MB with units of 1000, where Slurm's are of 1024, and Slurm writes the largest unit that
#   leaves no fraction: 1023G are 1023000, and 1T, as 1024G are written, is 1000000.
# - Weights in TRESBillingWeights are looked up as cpu, mem and gres/gpu. Slurm's documentation writes CPU=1.0,
#   Mem=0.25G,GRES/gpu=2.0, Slurm takes any case, and scontrol prints what was written. All three are then 0. In lower
#   case, mem=1G, a weight of 1 for each gibibyte, is read as an amount, 1000.
# The fields have names only, and no note of a unit or of what is left out. Nothing is said. Expected were twelve, 32, a
# larger number for more memory, and the weights.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check gpucm==0.0.2
cd "$place"
mkdir bin
cat > bin/squeue <<'SQUEUE'
#!/usr/bin/env python3
import sys

columns = sys.argv[sys.argv.index("-O") + 1]
end = columns.split(",")[0].split(":", 1)[1]
when = "2026-11-01T10:00:00"
job = {"NUMNODES": "4", "MINCPUS": "1", "NUMCPUS": "32", "PRIORITY": "0.1", "STATE": "PENDING", "REASON": "Resources",
       "PENDINGTIME": "60", "RESTARTCNT": "0", "STARTTIME": "N/A", "SUBMITTIME": when, "ELIGIBLETIME": when,
       "ACCRUETIME": when, "NODELIST": "", "EXCNODES": "", "SCHEDNODES": ""}
for name, per_node, memory in (("gres=gpu:8", "gres/gpu:8", "1023G"), ("gpus=32", "N/A", "1T")):
    job.update({"NAME": name, "TRES-PER-NODE": per_node, "MINMEMORY": memory,
                "TRES-ALLOC": f"cpu=32,mem={memory},node=4,billing=32,gres/gpu=32"})
    for column in columns.split(end):
        if column:
            print(job.get(column.strip(",").partition(":")[0], "x"), end=end)
    print()
SQUEUE
cat > bin/sinfo <<'SINFO'
#!/usr/bin/env python3
import sys

columns = [column.partition(":")[0] for column in sys.argv[sys.argv.index("-O") + 1].split(",")]
server = {"cpusstate": "8/56/0/64", "cpus": "64", "statelong": "mixed", "partitionname": "gpu"}
for name, gres, used in (("gpu01", "gpu:a100:4,gpu:t4:2", "gpu:a100:4(IDX:0-3),gpu:t4:0(IDX:N/A)"),
                         ("gpu02", "gpu:t4:2,gpu:a100:4", "gpu:t4:0(IDX:N/A),gpu:a100:4(IDX:0-3)")):
    server.update(nodelist=name, gres=gres, gresused=used)
    print("|".join(server[column] for column in columns))
SINFO
cat > bin/scontrol <<'SCONTROL'
#!/bin/sh
for weights in CPU=1.0,Mem=0.25G,GRES/gpu=2.0 cpu=1,mem=1G,gres/gpu=2; do
    echo "PartitionName=gpu MaxNodes=UNLIMITED PriorityJobFactor=1 PriorityTier=1 TotalCPUs=512 TotalNodes=8" \
        "TRES=cpu=512,mem=8T,node=8,billing=1000,gres/gpu=64 TRESBillingWeights=$weights"
done
SCONTROL
chmod +x bin/*
cat > seen.py <<'PYTHON'
import json
import logging
import subprocess

from gcm.monitoring.slurm.client import SlurmCliClient
from gcm.monitoring.slurm.parsing import extract_gpus_from_gres, parse_gres_or_tres
from gcm.monitoring.slurm.sinfo import compute_total_allocated_cpus_gpus, compute_total_cpus_gpus

client = SlurmCliClient()
servers = client.sinfo_structured()
for server in servers.nodes:
    print(f"{server.name} with {server.gres}: {extract_gpus_from_gres(server.gres)} GPUs, and for jobs",
          parse_gres_or_tres(server.gres))
counts = compute_total_cpus_gpus(servers)
print(f"All: {counts.total_gpus_avail} GPUs, {counts.total_gpus_up} are up,",
      f"{compute_total_allocated_cpus_gpus(servers)[1]} are allocated")
jobs = client.squeue(derived_cluster_fetcher=lambda job: "here", logger=logging.getLogger(),
                     attributes={"collection_unixtime": 0, "cluster": "here"})
for job in jobs:
    print(f"{job.NAME} on {job.NODES} nodes: {job.GPUS_REQUESTED} requested, {job.TRES_GPUS_ALLOCATED} in its TRES,",
          f"memory {job.MIN_MEMORY}")
command = ["gcm", "scontrol", "--once", "--cluster", "here", "--sink", "stdout", "--log-folder", "logs"]
said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
for partition in json.loads(said[said.index("["):]):
    print("Weights:", *(partition[f"TresBillingWeight{name}"] for name in ("CPU", "MEM", "GRESGPU")),
          "and memory", partition["TresMEM"])
PYTHON
PATH="$place/bin:$place/venv/bin:$PATH" venv/bin/python -W ignore seen.py 2> errors | tee seen
diff - seen <<'SEEN'
gpu01 with gpu:a100:4,gpu:t4:2: 2 GPUs, and for jobs 4
gpu02 with gpu:t4:2,gpu:a100:4: 4 GPUs, and for jobs 2
All: 6 GPUs, 6 are up, 4 are allocated
gres=gpu:8 on 4 nodes: 8 requested, 32 in its TRES, memory 1023000
gpus=32 on 4 nodes: 0 requested, 32 in its TRES, memory 1000000
Weights: 0 0 0 and memory 8000000
Weights: 1 1000 2 and memory 8000000
SEEN
