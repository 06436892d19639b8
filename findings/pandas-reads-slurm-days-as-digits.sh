#!/usr/bin/env bash
# pandas reads the length of a job that ran for a day or more, as Slurm writes it, as a negative length, without an error.
#
# Seen with pandas 3.1.1, whose to_timedelta() is given lengths as sacct's Elapsed and Timelimit have them:
# - 1-02:03:04, a day, two hours, three minutes and four seconds, is read as -102:03:04: the hyphen, wherever it is,
#   makes the whole negative, and the digits on both sides of it are one number of hours. 1-12:00:00 is -112 hours.
# - 7-00:00:00, a week, is read as -700 hours.
# - Below a day, as 23:59:59, lengths are right. So a table of short jobs is read correctly, and the sum over a table
#   with long ones is too small, or negative, and nothing is said; errors="raise" changes nothing.
# - 1-12, by which sbatch takes a day and twelve hours, is -112 nanoseconds.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check pandas==3.1.1
cd "$place"
cat > seen.py <<'PYTHON'
import pandas

for length in ("23:59:59", "1-00:00:00", "1-02:03:04", "1-12:00:00", "7-00:00:00"):
    hours = pandas.to_timedelta([length], errors="raise")[0] / pandas.Timedelta(hours=1)
    print(f"{length} is {hours:.4f} hours")
print("1-12 is", pandas.to_timedelta("1-12").value, "nanoseconds")
jobs = pandas.DataFrame({"Elapsed": ["00:30:00", "12:00:00", "1-12:00:00"]})
print("the three jobs together:", pandas.to_timedelta(jobs["Elapsed"]).sum() / pandas.Timedelta(hours=1), "hours")
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
23:59:59 is 23.9997 hours
1-00:00:00 is -100.0000 hours
1-02:03:04 is -102.0511 hours
1-12:00:00 is -112.0000 hours
7-00:00:00 is -700.0000 hours
1-12 is -112 nanoseconds
the three jobs together: -99.5 hours
SEEN
