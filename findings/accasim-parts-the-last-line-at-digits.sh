#!/usr/bin/env bash
# AccaSim, a simulator of HPC schedulers, reads the last job of an SWF file whose last line has no line feed as another
# job, and ends a job whose run time is not known before it began.
#
# Seen with accasim 1.1.3 and numpy 2.4.6; accasim takes Mapping from where older Pythons had it, so it is put there:
# - The reader cuts one character off each line, also where that is not a line feed, so -1 becomes a mere -. Between
#   fields its pattern asks for no space, so it still finds 18 numbers in the 17 that are left, and parts the requested
#   time of 50 seconds into a time of 5 and a memory of 0; all later fields are those of their left neighbours.
#   Schedulers that plan by requested times then plan with a tenth. Nothing is said, and all jobs are counted.
# - A run time of -1, which is SWF's sign for unknown, is taken for a length. The job ends a second before it starts.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check accasim==1.1.3 numpy==2.4.6
cd "$place"
export TZ=UTC
cat > seen.py <<'PYTHON'
import collections
import collections.abc
import json
import logging

collections.Mapping = collections.abc.Mapping
from accasim.base.allocator_class import FirstFit
from accasim.base.scheduler_class import FirstInFirstOut
from accasim.base.simulator_class import Simulator
from accasim.utils.reader_class import DefaultWorkloadParser

logging.disable(logging.CRITICAL)
with open("cluster.json", "w") as file:
    json.dump({"groups": {"g": {"core": 4, "mem": 1000}}, "resources": {"g": 2},
               "equivalence": {"processor": {"core": 1}}, "start_time": 0}, file)
SWF = "; Version: 2.2\n1 0 0 {first} 4 -1 -1 4 100 -1 1 7 8 9 1 -1 -1 -1\n2 5 0 50 2 -1 -1 2 50 -1 1 7 8 9 1 -1 -1 -1"
for name, first, end in (("with a line feed", 100, "\n"), ("without one", 100, ""), ("unknown run time", -1, "\n")):
    with open("jobs.swf", "w") as file:
        file.write(SWF.format(first=first) + end)
    Simulator("jobs.swf", "cluster.json", FirstInFirstOut(FirstFit())).start_simulation()
    print(name)
    for line in open("results/sched-jobs.swf"):
        job, user, _ = line.split(";", 2)
        start, finish, *_, requested, _ = line.strip().split("__")[2].split(";")
        print(f"  job {job} of user {user}: from {start} to {finish}, requested {requested} s")
PYTHON
venv/bin/python -W ignore seen.py | tee seen
diff - seen <<'SEEN'
with a line feed
  job 2 of user 7: from 1970-01-01 00:00:05 to 1970-01-01 00:00:55, requested 50 s
  job 1 of user 7: from 1970-01-01 00:00:00 to 1970-01-01 00:01:40, requested 100 s
without one
  job 2 of user 1: from 1970-01-01 00:00:05 to 1970-01-01 00:00:55, requested 5 s
  job 1 of user 7: from 1970-01-01 00:00:00 to 1970-01-01 00:01:40, requested 100 s
unknown run time
  job 1 of user 7: from 1970-01-01 00:00:00 to 1969-12-31 23:59:59, requested 100 s
  job 2 of user 7: from 1970-01-01 00:00:05 to 1970-01-01 00:00:55, requested 50 s
SEEN
