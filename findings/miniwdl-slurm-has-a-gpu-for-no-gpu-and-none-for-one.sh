#!/usr/bin/env bash
# A WDL task that wants no GPU gets one from miniwdl-slurm, in the partition for GPUs, and one that says that it needs a
# GPU gets none.
#
# Seen with miniwdl-slurm 0.4.0 and miniwdl 1.16.0, which runs workflows on Slurm, by what its backend asks sbatch for:
# - gpuCount: 0 is --gres gpu:1. Workflows have one task for both, with gpuCount: if use_gpu then 1 else 0, or a number
#   that is an input: without GPUs such a task waits for one, holds it idle, and is charged for it. With gpuType,
#   slurm_partition_gpu and slurm_account_gpu it is that type, that partition and that account.
# - gpu: true asks for nothing. Its list of changes says that gpu "indicates whether the task requires a GPU", and
#   gpuCount is the number. gpu: false with gpuCount: 2 asks for two. Only gpuCount is looked at.
# - By the same list the partition for tasks with GPUs is slurm_gpu_partition, with which the task goes to where Slurm
#   sends all others. What is looked for is slurm_partition_gpu.
# - Memory is rounded to whole mebibytes, to the even one where it is in the middle: 2.5 MiB are 2M, and 1.5 MiB 2M. Up
#   to half a mebibyte is 0M, which asks Slurm for all memory of a node.
# Nothing is said, neither by miniwdl nor by the plugin. Expected was that none is none, and that a GPU is one.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check miniwdl-slurm==0.4.0 miniwdl==1.16.0
cd "$place"
cat > seen.py <<'PYTHON'
import logging
import sys

from miniwdl_slurm import SlurmSingularity
from WDL import Value
from WDL.runtime import config

kinds = {bool: Value.Boolean, int: Value.Int, float: Value.Float, str: Value.String}
logger = logging.getLogger("seen")
logging.basicConfig(stream=sys.stdout)
loader = config.Loader(logger)
SlurmSingularity._resource_limits = {"cpu": sys.maxsize, "mem_bytes": sys.maxsize, "time": sys.maxsize}
for number, runtime in enumerate((
    {"gpuCount": 1},
    {"gpuCount": 0},
    {"gpuCount": 0, "gpuType": "a100", "slurm_partition": "cpus", "slurm_partition_gpu": "gpus"},
    {"gpuCount": 0, "slurm_account": "theory", "slurm_account_gpu": "learning"},
    {"gpu": False, "gpuCount": 0},
    {"gpu": False, "gpuCount": 2},
    {"gpu": True},
    {"gpu": True, "slurm_partition": "cpus", "slurm_partition_gpu": "gpus"},
    {"gpu": True, "gpuCount": 1, "slurm_gpu_partition": "gpus"},
    {"memory": "2.5 MiB"},
    {"memory": "1.5 MiB"},
    {"memory": "512 KiB"},
)):
    task = SlurmSingularity(loader, "task", f"task-{number}")
    task.process_runtime(logger, {name: kinds[type(value)](value) for name, value in runtime.items()})
    asked = task._slurm_invocation()
    asked = asked[asked.index("--ntasks") + 2 : -1]
    print(", ".join(f"{name}: {value}" for name, value in runtime.items()), "->", " ".join(asked) or "nothing")
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
gpuCount: 1 -> --gres gpu:1
gpuCount: 0 -> --gres gpu:1
gpuCount: 0, gpuType: a100, slurm_partition: cpus, slurm_partition_gpu: gpus -> --gres gpu:a100:1 --partition gpus
gpuCount: 0, slurm_account: theory, slurm_account_gpu: learning -> --gres gpu:1 --account learning
gpu: False, gpuCount: 0 -> --gres gpu:1
gpu: False, gpuCount: 2 -> --gres gpu:2
gpu: True -> nothing
gpu: True, slurm_partition: cpus, slurm_partition_gpu: gpus -> --partition cpus
gpu: True, gpuCount: 1, slurm_gpu_partition: gpus -> --gres gpu:1
memory: 2.5 MiB -> --mem 2M
memory: 1.5 MiB -> --mem 2M
memory: 512 KiB -> --mem 0M
SEEN
