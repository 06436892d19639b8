#!/usr/bin/env bash
# A job with 56 CPUs has two for pbsacct, which reads the accounting of TORQUE and PBS, if its user asked for GPUs or
# for a kind of server before asking for CPUs.
#
# Seen with pbsacct 3.4.6, on lines as TORQUE writes them, with nodes as users of qsub may write them:
# - num_processors() looks for ppn only directly after the number of servers, and takes one CPU for each server where
#   something else is there. num_gpus(), for the same text, looks everywhere. So nodes=2:ppn=28:gpus=4 is 56 CPUs and 8
#   GPUs, and nodes=2:gpus=4:ppn=28, which is the same request, is 2 CPUs and 8 GPUs. 2:v100:ppn=28:gpus=4 has 2, too.
# - The documentation of TORQUE has the example nodes=2:blue:ppn=2+red:ppn=3+b1014, for two processors on each of two
#   blue servers, three on a red one, and the server b1014. That is 8, and pbsacct says 6, as the name of the red one
#   stands where a number may, and that of the blue ones after it. In 1:ppn=8+1:bigmem:ppn=40, the large server has one
#   CPU, and the small one eight.
# - Where the log says total_execution_slots, as newer versions of TORQUE do, they are taken, and all is right. In logs
#   without it, exec_host still names all the CPUs of each job, and is not asked.
# - A length of time with days, which it reads on purpose, has its minutes once more in place of its seconds.
# CPU hours of a site so lose up to all but one CPU of each server, and only those of users who asked for GPUs or for
# large servers, so that these seem to work with hardly any CPU.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check pbsacct==3.4.6
cd "$place"
export TZ=UTC
cat > seen.py <<'PYTHON'
import pbsacct

REQUESTS = (
    ("2:ppn=28:gpus=4", "a/0-27+b/0-27", ""),
    ("2:gpus=4:ppn=28", "a/0-27+b/0-27", ""),
    ("2:v100:ppn=28:gpus=4", "a/0-27+b/0-27", ""),
    ("2:v100:ppn=28:gpus=4", "a/0-27+b/0-27", "total_execution_slots=56 unique_node_count=2 "),
    ("2:blue:ppn=2+red:ppn=3+b1014", "a/0-1+b/0-1+c/0-2+b1014/0", ""),
    ("1:ppn=8+1:bigmem:ppn=40", "a/0-7+b/0-39", ""),
    ("1:bigmem:ppn=40+1:ppn=8", "b/0-39+a/0-7", ""),
)
with open("20180627", "w") as file:
    for job, (nodes, hosts, counted) in enumerate(REQUESTS, 11):
        file.write(f"06/27/2018 10:00:00;E;{job}.pbs;user=u group=g jobname=j queue=q ctime=1530086400 "
                   f"qtime=1530086400 etime=1530086400 start=1530090000 end=1530093600 owner=u@login exec_host={hosts} "
                   f"Resource_List.nodes={nodes} Resource_List.walltime=24:00:00 {counted}Exit_status=0 "
                   f"resources_used.cput=00:30:00 resources_used.mem=1024kb resources_used.walltime=01:00:00\n")
jobs = pbsacct.jobs_from_file("20180627")
for job, (nodes, hosts, counted) in enumerate(REQUESTS, 11):
    read = jobs[f"{job}.pbs"]
    print(f"nodes={nodes} on {hosts}{' ' + counted.split()[0] if counted else ''}: "
          f"CPUs {read.num_processors()}, GPUs {read.num_gpus()}")
for text in ("36:45:05", "1:12:45:05"):
    print(text, pbsacct.time_to_sec(text))
PYTHON
venv/bin/python -W ignore seen.py | tee seen
diff - seen <<'SEEN'
nodes=2:ppn=28:gpus=4 on a/0-27+b/0-27: CPUs 56, GPUs 8
nodes=2:gpus=4:ppn=28 on a/0-27+b/0-27: CPUs 2, GPUs 8
nodes=2:v100:ppn=28:gpus=4 on a/0-27+b/0-27: CPUs 2, GPUs 8
nodes=2:v100:ppn=28:gpus=4 on a/0-27+b/0-27 total_execution_slots=56: CPUs 56, GPUs 8
nodes=2:blue:ppn=2+red:ppn=3+b1014 on a/0-1+b/0-1+c/0-2+b1014/0: CPUs 6, GPUs 0
nodes=1:ppn=8+1:bigmem:ppn=40 on a/0-7+b/0-39: CPUs 9, GPUs 0
nodes=1:bigmem:ppn=40+1:ppn=8 on b/0-39+a/0-7: CPUs 9, GPUs 0
36:45:05 132305
1:12:45:05 132345
SEEN
