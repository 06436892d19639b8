#!/usr/bin/env bash
# pbsparse, which reads the accounting of PBS, finds one node of each chunk of a job and loses the others, and finds job
# 1234 where one asks it for job 123.
#
# Seen with pbsparse 0.2.6, by which qhist searches the accounts too, on lines as PBS Professional writes them:
# - In exec_vnode, parentheses are around a chunk, and a plus inside of them parts the nodes that have it together, as
#   where a chunk needs more than one socket of a server. get_nodes() takes what follows each parenthesis only: of
#   (g1[0]:ngpus=2+g1[1]:ngpus=2)+(g2[0]:ngpus=2+g2[1]:ngpus=2) there are two of four nodes. A search for the jobs of
#   node g1[1], with host_filter, does not find it, and the node looks as if it had been free.
# - id_filter=["123"] finds 123, 1234 and 1239: it asks whether an id begins so, which was to find the parts of array
#   123, 123[1] and so on. The shorter the number the more strangers there are, and a sum over a job's records is a sum
#   over all of them.
# - A request for memory that is written in bytes, 8589934592b, is 0: units are two letters. With kb to tb it is right,
#   and so is what was used, which PBS writes in kb.
# get_nodes() is documented to give all nodes. Nothing is said.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check pbsparse==0.2.6
cd "$place"
export TZ=UTC
cat > seen.py <<'PYTHON'
from pbsparse import get_pbs_records

TWO = "(g1[0]:ncpus=8:ngpus=2+g1[1]:ncpus=8:ngpus=2)+(g2[0]:ncpus=8:ngpus=2+g2[1]:ncpus=8:ngpus=2)"
JOBS = (("123", TWO, 32, 8, "64gb"), ("1234", "(g3[0]:ncpus=4:ngpus=1)", 4, 1, "8589934592b"),
        ("1239", "(g3[1]:ncpus=4:ngpus=1)", 4, 1, "8388608kb"), ("123[1]", "(g4[0]:ncpus=4:ngpus=1)", 4, 1, "8gb"),
        ("456", "(g1[1]:ncpus=4:ngpus=1)", 4, 1, "8gb"))
with open("20260302", "w") as file:
    for job, nodes, cpus, gpus, memory in JOBS:
        file.write(f"03/02/2026 11:00:00;E;{job}.pbs;user=u7 group=g7 project=p jobname=j queue=q ctime=1772442000 "
                   f"qtime=1772442000 etime=1772442000 start=1772445600 exec_host={nodes.split(':')[0].strip('(')}/0 "
                   f"exec_vnode={nodes} Resource_List.mem={memory} Resource_List.ncpus={cpus} "
                   f"Resource_List.ngpus={gpus} Resource_List.walltime=02:00:00 session=1 end=1772449200 Exit_status=0 "
                   "resources_used.cpupercent=90 resources_used.cput=00:54:00 resources_used.mem=1024kb "
                   f"resources_used.ncpus={cpus} resources_used.vmem=1024kb resources_used.walltime=01:00:00 "
                   "run_count=1\n")
for job in get_pbs_records("20260302", process=True):
    print(job.short_id, "ran on", ", ".join(job.get_nodes()), "and asked for", job.Resource_List["mem"], "GB")
for node in ("g1[0]", "g1[1]"):
    print("on", node, "ran", ", ".join(job.short_id for job in get_pbs_records("20260302", host_filter=[node])))
found = list(get_pbs_records("20260302", process=True, id_filter=["123"]))
gpus = sum(job.Resource_List["ngpus"] for job in found)
print("as 123 there are", ", ".join(job.short_id for job in found), "with", gpus, "GPUs")
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
123 ran on g1[0], g2[0] and asked for 64.0 GB
1234 ran on g3[0] and asked for 0 GB
1239 ran on g3[1] and asked for 8.0 GB
123[1] ran on g4[0] and asked for 8.0 GB
456 ran on g1[1] and asked for 8.0 GB
on g1[0] ran 123
on g1[1] ran 456
as 123 there are 123, 1234, 1239, 123[1] with 11 GPUs
SEEN
