#!/usr/bin/env bash
# A job that is to wait for job 101 waits for nothing once uge2slurm has made an sbatch of its qsub, has no limit of
# time, and asks for more priority where it asked for less.
#
# Seen on 2026-11-30 with uge2slurm 0.1.3, which stands in for Grid Engine's qsub on clusters that moved to Slurm, by
# the commands that its --dry-run prints; squeue says that jobs 101 and 102 run, and is a small script here:
# - -hold_jid takes numbers and names. Names are looked up. If there are numbers only, which is what scripts take from
#   qsub -terse, it looks for names, finds none, and stops: there is no --dependency at all. Beside a name, a number is
#   compared as a text with the numbers that squeue had, which are integers, so it is taken for a job that does not run:
#   of 102,prepare there is 101, which is prepare, and 102 is lost. -hold_jid_ad loses numbers, too.
# - A job that waits for a name gets afterok, and never starts if the other one fails. Grid Engine's -hold_jid waits for
#   the end, whatever it was, which is afterany.
# - -l h_rt, the limit of time, is dropped, and so is -l gpu=2. Memory in the same list is kept.
# - Grid Engine's -p is a priority: users may go down to -1023. It becomes --nice with the same sign, and in Slurm a
#   negative nice raises the priority, which sbatch lets only privileged users do. So the most modest job claims most.
# Other options that are not translated, such as -ckpt, have a warning. These have none, and the job is submitted.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check uge2slurm==0.1.3
cd "$place"
mkdir bin
for program in sbatch sinfo; do
    printf '#!/bin/sh\n' > "bin/$program"
done
printf '#!/bin/sh\necho 101 prepare\necho 102 other\n' > bin/squeue
chmod +x bin/*
printf '#!/bin/sh\ntrue\n' > job.sh
export PATH=$place/bin:$PATH
{
    venv/bin/uge2slurm --version
    for options in "-hold_jid prepare" "-hold_jid 101" "-hold_jid 101,102" "-hold_jid 102,prepare" "-hold_jid_ad 101" \
        "-l mem_req=4G,h_rt=36000" "-l h_rt=10:00:00" "-l gpu=2" "-p -1023" "-p -10" "-ckpt x"; do
        # shellcheck disable=SC2086
        venv/bin/uge2slurm qsub --dry-run -cwd -S /bin/sh -o out -e err $options job.sh > command 2> said
        made=$(grep -o -E -- '--(dependency|time|gres|gpus|mem|nice)[a-z-]* [^ ]+' command || true)
        echo "qsub $options: sbatch $made said: $(grep -c -E 'WARNING|ERROR' said || true)"
    done
} 2>&1 | tee seen
diff - seen <<'SEEN'
This is uge2slurm 0.1.3
0.1.3
qsub -hold_jid prepare: sbatch --dependency afterok:101 said: 0
qsub -hold_jid 101: sbatch  said: 0
qsub -hold_jid 101,102: sbatch  said: 0
qsub -hold_jid 102,prepare: sbatch --dependency afterok:101 said: 0
qsub -hold_jid_ad 101: sbatch  said: 0
qsub -l mem_req=4G,h_rt=36000: sbatch --mem-per-cpu 4G said: 0
qsub -l h_rt=10:00:00: sbatch  said: 0
qsub -l gpu=2: sbatch  said: 0
qsub -p -1023: sbatch --nice -1023 said: 0
qsub -p -10: sbatch --nice -10 said: 0
qsub -ckpt x: sbatch  said: 1
SEEN
