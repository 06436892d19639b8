#!/usr/bin/env bash
# A job that asked for a tebibyte and used a fifth of it has used twenty million per cent of what it asked for, in the
# report that Snakemake makes of a workflow on Slurm.
#
# Seen with snakemake-executor-plugin-slurm 2.8.0, pandas 3.1.1 and numpy 2.4.6, on lines as sacct --parsable2 writes
# them, of which --slurm-efficiency-report makes its table:
# - Slurm writes an amount with the largest unit that leaves no fraction: 1023 GiB are 1023G, and 1024 GiB are 1T. The
#   plugin knows K, M and G, and passes over other letters, so 1T is one mebibyte, and 2T are two.
# - It is the same with what a job used. 1T of 1T is 100 %, as both are wrong, and 1T of 1536G, which is two thirds,
#   is 0.0 %: a job that made good use of its memory looks as if it had asked for far too much.
# - Nothing is said, and one such job decides a mean over all jobs.
# The documentation says that the report is equivalent to that of Slurm's seff, which shows a job's real share.
# slurm2sql 0.9.9 and reportseff 2.10.3 read the same text correctly.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check \
    snakemake-executor-plugin-slurm==2.8.0 pandas==3.1.1 numpy==2.4.6 slurm2sql==0.9.9 reportseff==2.10.3
cd "$place"
cat > seen.py <<'PYTHON'
from logging import getLogger

from reportseff.job import parsemem
from slurm2sql import slurmmem
from snakemake_executor_plugin_slurm.efficiency_report import parse_sacct_data

jobs = (("1023G", "214958080K"), ("1T", "214958080K"), ("2T", "214958080K"), ("1T", "1T"), ("1536G", "1T"))
lines = []
for number, (asked, used) in enumerate(jobs, 1):
    lines += [f"{number}|workflow|rule|02:00:00|16:00:00|1|8||{asked}",
              f"{number}.0|python|rule|02:00:00|16:00:00|1|8|{used}|"]
table = parse_sacct_data(lines, 0, "workflow", getLogger())
for (asked, used), (_, row) in zip(jobs, table.iterrows()):
    print(f"{used:>10} of {asked:>5}: {row['MaxRSS_MB']:8.0f} of {row['RequestedMem_MB']:7.0f} MB,"
          f" {row['Memory Usage (%)']} %")
print("mean over all jobs:", round(table["Memory Usage (%)"].mean(), 2), "%")
print("1T for slurm2sql and reportseff:", slurmmem("1T") / 2**20, "and", parsemem("1T") / 2**20, "MB")
PYTHON
HOME=$place venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
214958080K of 1023G:   209920 of 1047552 MB, 20.04 %
214958080K of    1T:   209920 of       1 MB, 20992000.0 %
214958080K of    2T:   209920 of       2 MB, 10496000.0 %
        1T of    1T:        1 of       1 MB, 100.0 %
        1T of 1536G:        1 of 1572864 MB, 0.0 %
mean over all jobs: 6297624.01 %
1T for slurm2sql and reportseff: 1048576.0 and 1048576.0 MB
SEEN
