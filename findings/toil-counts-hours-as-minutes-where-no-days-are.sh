#!/usr/bin/env bash
# A time limit of Slurm with no days, 0-12, is twelve minutes for Toil, and not twelve hours.
#
# Seen with toil 9.6.0, which runs workflows on Slurm, and reads its own --slurmTime, what users give it for sbatch's
# --time, and the limits of partitions with parse_slurm_time():
# - Slurm reads what follows days as hours, so 0-12 is half a day and 0-12:30 half an hour more; scripts have 0 days so
#   that all of them look alike. Toil looks whether the days are zero, and not whether there are any: 0-12 is 12
#   minutes, and 0-12:30 twelve and a half. 1-12 and 1-12:30 are right, and so is 0-12:30:00.
# - So 0-23 is 23 minutes, and an hour more, 1-00, is a day. Nothing is said, and a job that is submitted so is killed by
#   Slurm when its minutes are over.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check toil==9.6.0
cd "$place"
cat > seen.py <<'PYTHON'
from datetime import timedelta

from toil.batchSystems.slurm import parse_slurm_time

for limit in ("90", "12:30", "12:00:00", "0-12", "0-12:30", "0-12:30:00", "0-23", "1-00", "1-12", "1-12:30"):
    print(f"{limit:10} is", timedelta(seconds=parse_slurm_time(limit)))
PYTHON
HOME=$place venv/bin/python seen.py 2> /dev/null | tee seen
diff - seen <<'SEEN'
90         is 1:30:00
12:30      is 0:12:30
12:00:00   is 12:00:00
0-12       is 0:12:00
0-12:30    is 0:12:30
0-12:30:00 is 12:30:00
0-23       is 0:23:00
1-00       is 1 day, 0:00:00
1-12       is 1 day, 12:00:00
1-12:30    is 1 day, 12:30:00
SEEN
