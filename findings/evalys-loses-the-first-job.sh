#!/usr/bin/env bash
# evalys, by which users of Batsim look at traces and schedules, loses the first job of each SWF file.
#
# Seen with evalys 4.0.7, pandas 2.1.4 and numpy 1.26.4:
# - Workload.from_csv() passes over the comments and takes the first job for a line of column names. Of four jobs three
#   are read; utilisation and queue are those of three, and nothing is said. SWF has no line of names.
# - A file that evalys wrote itself and reads again loses one job more each time.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check evalys==4.0.7 pandas==2.1.4 numpy==1.26.4
cd "$place"
cat > seen.py <<'PYTHON'
from evalys.workload import Workload

jobs = [(1, 0, 10, 100, 4), (2, 5, 20, 100, 4), (3, 7, 30, 50, 2), (4, 9, 40, 60, 1)]
with open("jobs.swf", "w") as file:
    file.write("; Version: 2.2\n; UnixStartTime: 0\n; MaxProcs: 8\n")
    for job, submitted, waited, ran, processors in jobs:
        file.write(f"{job} {submitted} {waited} {ran} {processors} -1 -1 {processors} {ran} -1 1 1 1 -1 1 -1 -1 -1\n")
for name in ("jobs", "again", "and-again"):
    workload = Workload.from_csv(f"{name}.swf")
    print(name, workload.df["jobID"].tolist(), "at most", max(workload.utilisation["load"]), "processors at once")
    workload.to_csv("again.swf" if name == "jobs" else "and-again.swf")
PYTHON
venv/bin/python -W ignore seen.py | tee seen
diff - seen <<'SEEN'
jobs [2, 3, 4] at most 7 processors at once
again [3, 4] at most 3 processors at once
and-again [4] at most 1 processors at once
SEEN
