#!/usr/bin/env bash
# A partition whose longest job may run for 12:00:00 takes jobs of thirty days for Snakemake, and one with 08:00:00
# takes jobs of eight hours.
#
# Seen with snakemake-executor-plugin-slurm 2.8.0 and PyYAML 6.0.4. The plugin has a file of partitions in YAML, by
# which it chooses where a job goes; its documentation lists hours:minutes:seconds among what max_runtime may be, and
# says that numbers are minutes:
# - PyYAML reads YAML 1.1, in which 12:00:00 is a number to the base of 60: 43200, which are the seconds. The plugin
#   takes numbers for minutes, so the limit is sixty times as long. 1:30:45 is 90 hours and 45 minutes.
# - In that base no number begins with a zero, so 08:00:00 stays a text and is right, and so is whatever has days,
#   like 1-12:00:00. So of two lines of one file that look alike, one is right and the other is not.
# - 60:30 is right, though it is such a number too: the plugin says that it takes it for hours and minutes.
# - Quotes help. Without them nothing is said, neither when the file is read nor when a job is placed: here a job of
#   ten days goes to the partition of twelve hours, where Slurm rejects it or leaves it pending for ever, and not to
#   the one of a month, since the smaller limit is thought to fit better.
# Expected was that a limit in a documented form is that limit.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check \
    snakemake-executor-plugin-slurm==2.8.0 snakemake-interface-executor-plugins==9.4.0 pyyaml==6.0.4
cd "$place"
cat > partitions.yaml <<'YAML'
partitions:
  short:
    max_runtime: 08:00:00
  day:
    max_runtime: 12:00:00
  day-with-quotes:
    max_runtime: "12:00:00"
  test:
    max_runtime: 1:30:45
  hours-and-minutes:
    max_runtime: 60:30
  days:
    max_runtime: 1-12:00:00
  month:
    max_runtime: 31-00:00:00
YAML
cat > seen.py <<'PYTHON'
from datetime import timedelta
from logging import getLogger
from pathlib import Path
from types import SimpleNamespace

from snakemake_executor_plugin_slurm.partitions import get_best_partition, read_partition_file

partitions = read_partition_file(Path("partitions.yaml"))
for partition in partitions:
    print(f"{partition.name:17} takes jobs of up to", timedelta(minutes=partition.limits.max_runtime))
job = SimpleNamespace(name="ten-days", threads=1, resources={"runtime": 10 * 24 * 60})
for names in (("day", "month"), ("day-with-quotes", "month")):
    choice = get_best_partition([p for p in partitions if p.name in names], job, getLogger())
    print("of", " and ".join(names) + ", a job of ten days gets", choice)
PYTHON
HOME=$place venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
short             takes jobs of up to 8:00:00
day               takes jobs of up to 30 days, 0:00:00
day-with-quotes   takes jobs of up to 12:00:00
test              takes jobs of up to 3 days, 18:45:00
hours-and-minutes takes jobs of up to 2 days, 12:30:00
days              takes jobs of up to 1 day, 12:00:00
month             takes jobs of up to 31 days, 0:00:00
of day and month, a job of ten days gets day
of day-with-quotes and month, a job of ten days gets month
SEEN
