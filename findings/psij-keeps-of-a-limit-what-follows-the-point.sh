#!/usr/bin/env bash
# PSI/J, a portable interface to batch systems, saves a job's limit of an hour and a half as JSON, and reads it back
# as no time at all, with which Slurm lets the job run without a limit.
#
# Seen with psij-python 0.9.11, by its own JSONSerializer in both directions, and by the scripts that it would submit:
# - It writes ninety minutes as "5400.0 s". Its reader looks for whole digits before the unit, anywhere in the text,
#   and finds those behind the point: "0 s". So each limit of whole seconds, an hour as well as two days, is 0
#   afterwards. Only the ten minutes that are PSI/J's default stay, since a default is not written.
# - 90.5 seconds come back as 5, and 59.25 seconds as 25.
# - The script for Slurm then says --time=0:0:0, and sbatch takes a time of zero for a request to have no limit: where
#   the partition has none either, no gap is large enough to backfill the job into, and nothing ends it. For PBS it is
#   walltime=0:0:0, and for LSF -W 0:0.
# - The same search makes an hour of "1h30m" and five hours of "1.5h" in JSON that was written by hand. "90 m" and
#   "1:30:00" are right.
# Expected was what was saved, as the documentation of the serializer says that it reverses the conversion.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check psij-python==0.9.11
cd "$place"
cat > seen.py <<'PYTHON'
import io
from contextlib import redirect_stdout
from datetime import timedelta

from psij import Job, JobAttributes, JobExecutor, JobSpec
from psij.serialize import JSONSerializer

serializer = JSONSerializer()


def read(text):
    with redirect_stdout(io.StringIO()):  # it prints the names of what it reads
        return serializer.loads(text)


for limit in (timedelta(minutes=10), timedelta(minutes=90), timedelta(days=2), timedelta(seconds=90.5),
              timedelta(seconds=59.25)):
    text = serializer.dumps(JobSpec(executable="/bin/true", attributes=JobAttributes(duration=limit)))
    print(f"{limit!s:15} comes back as", read(text).attributes.duration)

before = JobSpec(executable="/bin/true", attributes=JobAttributes(duration=timedelta(minutes=90)))
after = read(serializer.dumps(before))
for system, word in (("slurm", "--time"), ("pbs", "walltime"), ("lsf", "-W")):
    executor = JobExecutor.get_instance(system)
    lines = []
    for spec in (before, after):
        job = Job(spec)
        script = io.StringIO()
        executor.generate_submit_script(job, executor._create_script_context(job), script)
        lines += [line for line in script.getvalue().splitlines() if word in line]
    print(lines[0], "is", lines[1], "afterwards")

for text in ("90 m", "1:30:00", "1h30m", "1.5h"):
    print(f"{text:7} in JSON is", read('{"executable": "/bin/true", "attributes": {"duration": "%s"}}' % text)
          .attributes.duration)
PYTHON
HOME=$place venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
0:10:00         comes back as 0:10:00
1:30:00         comes back as 0:00:00
2 days, 0:00:00 comes back as 0:00:00
0:01:30.500000  comes back as 0:00:05
0:00:59.250000  comes back as 0:00:25
#SBATCH --time=1:30:0 is #SBATCH --time=0:0:0 afterwards
#PBS -l walltime=1:30:0 is #PBS -l walltime=0:0:0 afterwards
#BSUB -W 1:30 is #BSUB -W 0:0 afterwards
90 m    in JSON is 1:30:00
1:30:00 in JSON is 1:30:00
1h30m   in JSON is 1:00:00
1.5h    in JSON is 5:00:00
SEEN
