#!/usr/bin/env bash
# Who asks Gacct for the jobs of the last month gets those of the last seven, and of the last year those of seven years;
# and who asks for a group gets the jobs of a user with that name.
#
# Seen with gooseslurm 0.13.4 and numpy 2.4.6. Its Gacct prints what Slurm's sacct says of jobs, which is a small script
# here that also writes down what it is asked for:
# - Gacct takes times back from now, such as -S="-1h", by its own help. The letters are s, m, h, d, w, M and y. A month
#   is 31 weeks and a year 365 weeks, since both are the days of a month or of a year times those of a week. So -1M is
#   217 days, and -1y is 2555. Up to a week all are right. A sum of CPU hours over the last month is one over seven.
# - The same function reads the limits of Gsub for sbatch, and of Gacct for sacct -k and -K.
# - -g and --gid, which are for groups, go to sacct as -u, which is for users. --gid=500 are the jobs of user 500.
# - -L, for all clusters, becomes -A, which is for accounts and takes the word that follows it: here -S, so that the
#   account is called -S, and the time is lost.
# - --sort sorts the texts of sacct: 2 hours, 30 hours as 1-06:00:00, and 10 hours are in order by Elapsed, and 16G,
#   2G and 900M by MaxVMSize. The table then shows them as 2.0h, 1.2d and 10h.
# Nothing is said of any. Expected were about thirty days, and what sacct has -g, -L and a number for.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check gooseslurm==0.13.4 numpy==2.4.6
cd "$place"
mkdir bin
cat > bin/sacct <<SACCT
#!/bin/sh
echo "sacct \$*" > $place/asked
cat <<'JOBS'
JobID|User|Account|JobName|State|Partition|Elapsed|CPUTime|MaxVMSize|
101|u1|a|train|COMPLETED|gpu|10:00:00|10:00:00|900M|
102|u2|a|train|COMPLETED|gpu|1-06:00:00|1-06:00:00|2G|
103|u1|a|train|COMPLETED|gpu|02:00:00|02:00:00|16G|
JOBS
SACCT
chmod +x bin/sacct
cat > seen.py <<'PYTHON'
import re
import subprocess
from datetime import datetime

from GooseSLURM import duration


def ask(*arguments):
    said = subprocess.run(["Gacct", *arguments], check=True, capture_output=True, text=True).stdout
    with open("asked") as file:
        return file.read().strip(), said


for back in ("-24h", "-1d", "-1w", "-1M", "-3M", "-1y"):
    asked, _ = ask("-a", f"-S={back}")
    since = datetime.fromisoformat(re.search(r"-S (\S+)", asked)[1])
    days = (datetime.now() - since).total_seconds() / 86400
    print(f"Gacct -a -S={back}: jobs since {days:.0f} days")
print("A limit of 1M for sbatch is", duration.asSlurm("1M"), "and one of 1w is", duration.asSlurm("1w"))
for arguments in (["-a", "-g", "physics"], ["-a", "--gid", "500"], ["-a", "-k", "1d", "-K", "1M"],
                  ["-a", "-L", "-S", "2026-11-01"]):
    print("Gacct", *arguments, "asks for", ask(*arguments)[0])
for key in ("Elapsed", "MaxVMSize"):
    rows = ask("--sort", key, "-o", key, "--no-header", "--no-truncate", "--width", "80")[1].split()
    print(f"Gacct --sort {key}:", *rows)
PYTHON
PATH="$place/bin:$place/venv/bin:$PATH" venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
Gacct -a -S=-24h: jobs since 1 days
Gacct -a -S=-1d: jobs since 1 days
Gacct -a -S=-1w: jobs since 7 days
Gacct -a -S=-1M: jobs since 217 days
Gacct -a -S=-3M: jobs since 651 days
Gacct -a -S=-1y: jobs since 2555 days
A limit of 1M for sbatch is 217-00:00:00 and one of 1w is 7-00:00:00
Gacct -a -g physics asks for sacct -p -l -a -u physics
Gacct -a --gid 500 asks for sacct -p -l -a -u 500
Gacct -a -k 1d -K 1M asks for sacct -p -l -a -k 1-00:00:00 -K 217-00:00:00
Gacct -a -L -S 2026-11-01 asks for sacct -p -l -a -A -S 2026-11-01
Gacct --sort Elapsed: 2.0h 1.2d 10h
Gacct --sort MaxVMSize: 16G 2.0G 900M
SEEN
