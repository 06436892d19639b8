#!/usr/bin/env bash
# Programs that ask Slurm how many GPUs there are take digits of the GPUs' names for their number, or find none at
# all, where a name begins with a digit, or has a hyphen or a point.
#
# Seen with clusterscope 0.0.32, slurm_gpustat 0.0.15 and nodetop 0.7.0, beside sgpustat 0.1.1, which reads all of
# them correctly. Slurm writes gpu:<name>:<number>, as in gpu:a100:8, and a name is whatever gres.conf says; slices of
# GPUs (MIG) have names like 1g.10gb or nvidia_a100_1g.10gb, in which the first digit is how much of the GPU a slice
# has:
# - Of a node with gpu:1g.10gb:7, clusterscope and slurm_gpustat count one GPU, and with gpu:3g.40gb:2 three. So small
#   slices are too few, and large ones too many.
# - Of gpu:a100-80gb:8 and gpu:nvidia_a100_1g.10gb:7, clusterscope finds none. slurm_gpustat supposes four where it
#   finds no number, and so counts four of each.
# - nodetop reads nodes correctly, but not jobs: one with gres/gpu:2080ti:4 has 2080 GPUs, and one with
#   gres/gpu:1g.10gb:3 has one.
# - gpu:8, gpu:a100:8 and, of nodes, gpu:2080ti:8 are right everywhere. Nothing is said of the others, and the names
#   that were not read are gone, too.
# Expected was the last number of each. What a cluster has, what is free, and each user's share depend on it.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check \
    clusterscope==0.0.32 slurm_gpustat==0.0.15 termcolor==3.3.0 nodetop==0.7.0 sgpustat==0.1.1
cd "$place"
mkdir slurm
cat > slurm/sinfo <<'SINFO'
#!/bin/sh
# Answers as Slurm's sinfo would for one partition: "nodes|gres" without --partition=, "gres,cpus" with it.
for argument; do
    case $argument in --partition=*) echo "$GRES,64"; exit ;; esac
done
echo "node1|$GRES"
SINFO
chmod +x slurm/sinfo
cat > seen.py <<'PYTHON'
import os

from clusterscope.slurm.partition import get_partition_resources
from nodetop.backends.slurm import SlurmBackend
from sgpustat.core import parse_gres_gpu
from slurm_gpustat.slurm_gpustat import get_node2gpus_mapping

os.environ["PATH"] = os.path.abspath("slurm") + ":" + os.environ["PATH"]
print("what a node has           sgpustat  clusterscope  slurm_gpustat")
for gres in ("gpu:8", "gpu:a100:8", "gpu:2080ti:8", "gpu:1g.10gb:7", "gpu:3g.40gb:2", "gpu:a100-80gb:8",
             "gpu:nvidia_a100_1g.10gb:7"):
    os.environ["GRES"] = gres
    other = get_node2gpus_mapping()["node1"][0]
    print(f"{gres:25} {parse_gres_gpu(gres)[1]:8}  {get_partition_resources('main')['max_gpus']:12}"
          f"  {other['count']:2} of {other['type']}")
print("what a job has            sgpustat  nodetop")
for gres in ("gres/gpu:4", "gres/gpu:a100:4", "gres/gpu:2080ti:4", "gres/gpu:1g.10gb:3"):
    job, = SlurmBackend().parse_jobs(f"7|user|account|main|node1|16|{gres}|1:00:00|1:00:00|RUNNING|name\n")
    print(f"{gres:25} {parse_gres_gpu(gres)[1]:8}  {job.gpus:7}")
PYTHON
HOME=$place venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
what a node has           sgpustat  clusterscope  slurm_gpustat
gpu:8                            8             8   8 of NONAME_GPU
gpu:a100:8                       8             8   8 of a100
gpu:2080ti:8                     8             8   8 of 2080ti
gpu:1g.10gb:7                    7             1   1 of NONAME_GPU
gpu:3g.40gb:2                    2             3   3 of NONAME_GPU
gpu:a100-80gb:8                  8             0   4 of NONAME_GPU
gpu:nvidia_a100_1g.10gb:7        7             0   4 of NONAME_GPU
what a job has            sgpustat  nodetop
gres/gpu:4                       4        4
gres/gpu:a100:4                  4        4
gres/gpu:2080ti:4                4     2080
gres/gpu:1g.10gb:3               3        1
SEEN
