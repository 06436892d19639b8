#!/usr/bin/env bash
# A task that had a week, and needs more, is started again with two days by MyQueue, which says that it doubles the
# limit.
#
# Seen with myqueue 26.8.1, which runs workflows on Slurm, PBS and LSF, with an sbatch that only writes down what it is
# asked for:
# - `mq submit --restart N` is for tasks that may run into their limit. Its help says: "Time-limit will be doubled for a
#   timed out task". For an hour it is, and for 20 hours.
# - The doubled limit is cut to two days, and nothing is said of that: a task of a day and a half has two days the next
#   time, one of two days again two, and one of three or seven days only two. So a task that did not end within its
#   limit is started anew with the same limit, or with a smaller one, within which it cannot end; with several restarts
#   it burns two days each time. `mq kick` prints the new limit as if it were the larger one.
# - The two days are in no configuration; partitions of a week are common.
# Expected was twice the limit, as the help says, or at least not less than before.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check myqueue==26.8.1
cd "$place"
mkdir -p bin home/.myqueue work
cat > bin/sbatch <<'SBATCH'
#!/bin/sh
cat > /dev/null
for word; do case $word in --time=*) echo "${word#--time=}" >> "$ASKED" ;; esac; done
echo "Submitted batch job $(wc -l < "$ASKED")"
SBATCH
printf '#!/bin/sh\necho JOBID\n' > bin/squeue
printf '#!/bin/sh\n' > bin/sacct
chmod +x bin/*
export HOME="$place/home" USER=me ASKED="$place/asked" PATH="$place/bin:$PATH"
echo 'config = {"scheduler": "slurm", "nodes": [("xeon", {"cores": 24})]}' > home/.myqueue/config.py
cd work
"$place/venv/bin/mq" init > "$place/said"
touch .myqueue/daemon-me.pid  # as if the daemon ran, so that none is started
echo 'print("trains")' > train.py
job=0
for limit in 1h 20h 36h 2d 3d 7d; do
    "$place/venv/bin/mq" submit --restart 1 -R "24:$limit" train.py >> "$place/said"
    job=$((job + 1))
    touch ".myqueue/slurm-$job-0"  # it runs
    "$place/venv/bin/mq" ls >> "$place/said"
    touch ".myqueue/slurm-$job-3"  # its time is over
    "$place/venv/bin/mq" kick > "$place/kicked"
    job=$((job + 1))
    echo "limit $limit: sbatch --time=$(sed -n "$((job - 1))p" "$ASKED"), then --time=$(sed -n "${job}p" "$ASKED")," \
        "said $(sed -n 's/.* 24:/24:/p' "$place/kicked")"
    "$place/venv/bin/mq" remove -s qT . >> "$place/said" 2>&1
done | tee "$place/seen"
cd "$place"
diff - seen <<'SEEN'
limit 1h: sbatch --time=60, then --time=120, said 24:2h
limit 20h: sbatch --time=1200, then --time=2400, said 24:40h
limit 36h: sbatch --time=2160, then --time=2880, said 24:2d
limit 2d: sbatch --time=2880, then --time=2880, said 24:2d
limit 3d: sbatch --time=4320, then --time=2880, said 24:2d
limit 7d: sbatch --time=10080, then --time=2880, said 24:2d
SEEN
