#!/usr/bin/env bash
# A second assignment of an array to a job of slurmpie runs the tasks of the first one again, a second one of GPUs asks
# for both numbers, and 1.2T of memory are two terabytes.
#
# Seen with slurmpie 0.9.0, which submits jobs to Slurm from Python, with an sbatch that only writes down what it is
# asked for:
# - array, gres and gpus are attributes. What one assigns to them is put behind what they have, with a comma, so one
#   job that is submitted in a loop, with array = [0, 1], [2, 3] and [4, 5], runs tasks 0 and 1 three times. With gres
#   of one, two and four GPUs the last job asks for gpu:1,gpu:2,gpu:4. memory_size, exclude and the plain attributes,
#   such as time and partition, are replaced, and so there is no way to take a gres back.
# - An amount of memory with a fraction is rounded up to a whole unit, of whatever size: 0.1T is 1T, ten times as much,
#   1.2T is 2T, and 2.5G 3G. 1200G is right. The comment of the attribute says that units may be given, with 15GB as the
#   example, and that a number may be a float.
# - System().get_job_memory() is documented as "the memory size in kilobytes". It is SLURM_MEM_PER_NODE as it is, which
#   Slurm has in megabytes: 64 GiB are 65536, so a program that adapts to it uses a thousandth.
# The documentation of array says "Set the array either as a list of values or as a string", and says nothing of adding.
# Nothing is said when it runs. Expected was what an assignment is in Python, and 1229G or an error for 1.2T.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check slurmpie==0.9.0
cd "$place"
mkdir bin
cat > bin/sbatch <<SBATCH
#!/bin/sh
echo "sbatch \$*" >> $place/asked
echo 101
SBATCH
chmod +x bin/sbatch
cat > seen.py <<'PYTHON'
import os

from slurmpie import slurmpie

job = slurmpie.Job("train.sh", partition="gpu")
for first in (0, 2, 4):
    job.array = [first, first + 1]
    job.submit()
job = slurmpie.Job("train.sh", partition="gpu")
for gpus in (1, 2, 4):
    job.gres = {"gpu": gpus}
    job.exclude = [f"gpu0{gpus}"]
    job.partition = f"gpu{gpus}"
    job.submit()
for memory in ("0.1T", "1.2T", "2.5G", "1200G"):
    slurmpie.Job("train.sh", memory_size=memory).submit()
with open("asked") as file:
    print(file.read(), end="")
os.environ["SLURM_MEM_PER_NODE"] = str(64 * 1024)
print("64 GiB are, in what is documented as kilobytes,", slurmpie.System().get_job_memory())
PYTHON
PATH="$place/bin:$PATH" venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
sbatch --parsable --array=0,1 --partition=gpu train.sh
sbatch --parsable --array=0,1,2,3 --partition=gpu train.sh
sbatch --parsable --array=0,1,2,3,4,5 --partition=gpu train.sh
sbatch --parsable --exclude=gpu01 --gres=gpu:1 --partition=gpu1 train.sh
sbatch --parsable --exclude=gpu02 --gres=gpu:1,gpu:2 --partition=gpu2 train.sh
sbatch --parsable --exclude=gpu04 --gres=gpu:1,gpu:2,gpu:4 --partition=gpu4 train.sh
sbatch --parsable --mem=1T train.sh
sbatch --parsable --mem=2T train.sh
sbatch --parsable --mem=3G train.sh
sbatch --parsable --mem=1200G train.sh
64 GiB are, in what is documented as kilobytes, 65536
SEEN
