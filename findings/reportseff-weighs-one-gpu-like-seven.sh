#!/usr/bin/env bash
# A job with a busy GPU on one server and seven idle ones on another is half efficient for reportseff, as is a job that
# used 4 of its 64 CPUs, and a step that wrote three pebibytes has written less than one that wrote 600 tebibytes.
#
# Seen with reportseff 2.10.3, which says of jobs on Slurm what they used of what they had, with a sacct that prints
# what is given here:
# - For jobs on several servers it takes what jobstats preserves in the AdminComment, makes a share for each server, and
#   then the plain mean of the shares, however many CPUs, bytes and GPUs the job has on each. Slurm fills one server and
#   puts the rest on the next, so unequal parts are common. 4 of 64 CPUs, 8 of 128 GiB and one of 8 GPUs, or 6.2, 6.2
#   and 12.5 per cent, are 50 per cent each. If the busy GPU is one of the seven, it is 7.2 per cent of the eight. The
#   same job without the comment, of which sacct alone says TotalCPU and MaxRSS, has 6.2: more is known and less right.
# - Its units go from T to E, and leave out P: 1024 TiB, a pebibyte, are written 1E. In Slurm's own unit, as 3P, an
#   amount is not read at all, and left out of sums and comparisons without a word. The Max column of two steps with
#   600T and 3P says 600T, that of 2P and 3P says 2P, and the Total column says the same for both.
# Expected were means that are weighted with what the job had, as its own numbers without the comment are. One looks for
# wasted GPUs with it, and one busy GPU of eight is found as a half or a fourteenth, as Slurm happened to place the job.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check reportseff==2.10.3 click==8.5.1
cd "$place"
export TZ=UTC
mkdir bin
cat > bin/scontrol <<'SCONTROL'
#!/bin/sh
echo "PartitionName=gpu MaxTime=1-00:00:00"
SCONTROL
cat > bin/sacct <<'PYTHON'
#!/usr/bin/env python3
import base64
import gzip
import json
import sys

GIB = 2**30
FIELDS = "JobID JobIDRaw State AdminComment TotalCPU AllocCPUS Elapsed ReqMem NNodes MaxRSS NTasks MaxDiskWrite"


def server(cpus, busy, memory, used, *gpus):
    """What jobstats preserves of a job's hour on one server."""
    return {
        "cpus": cpus, "total_time": busy * 3600, "total_memory": memory * GIB, "used_memory": used * GIB,
        "gpu_utilization": {str(at): use for at, use in enumerate(gpus)},
        "gpu_used_memory": {str(at): use * GIB for at, use in enumerate(gpus)},
        "gpu_total_memory": {str(at): 100 * GIB for at, use in enumerate(gpus)},
    }


def comment(**servers):
    gpus = sum(len(found["gpu_utilization"]) for found in servers.values())
    told = json.dumps({"nodes": servers, "total_time": 3600, "gpus": gpus}).encode()
    return "JS1:" + base64.b64encode(gzip.compress(told, mtime=0)).decode()


def rows(job, said, *steps):
    common = {"JobIDRaw": job, "State": "COMPLETED", "Elapsed": "01:00:00", "AllocCPUS": "64", "NNodes": "2",
              "TotalCPU": "04:00:00", "ReqMem": "128G"}
    yield {**common, "JobID": job, "AdminComment": said}
    for at, written in enumerate(steps):
        yield {**common, "JobID": f"{job}.{at}", "NTasks": "1", "MaxRSS": "8G", "MaxDiskWrite": written}


JOBS = [
    *rows("31", "", "1T"),
    *rows("32", comment(gpu01=server(4, 4, 8, 8, 100), gpu02=server(60, 0, 120, 0, *[0] * 7)), "1T"),
    *rows("33", comment(gpu01=server(60, 0, 120, 0, 100, *[0] * 6), gpu02=server(4, 4, 8, 8, 0)), "1T"),
    *rows("34", "", "500T", "600T"),
    *rows("35", "", "1200T"),
    *rows("36", "", "600T", "3P"),
    *rows("37", "", "2P", "3P"),
]
if "--helpformat" in sys.argv:
    print(FIELDS)
else:
    given = dict(word.split("=", 1) for word in sys.argv if "=" in word)
    for row in JOBS:
        if row["JobID"].split(".")[0] in given["--jobs"].split(","):
            print("^|^".join(row.get(field, "") for field in given["--format"].split(",")) + "^|^")
PYTHON
chmod +x bin/sacct bin/scontrol
PATH=$place/bin:$PATH venv/bin/reportseff --parsable \
    --format JobID,CPUEff,MemEff,GPUEff,GPUMem,MaxDiskWrite,TotalMaxDiskWrite 31 32 33 34 35 36 37 | tee seen
diff - seen <<'SEEN'
JobID|CPUEff|MemEff|GPUEff|GPUMem|MaxDiskWrite|TotalMaxDiskWrite
31|6.2|6.2|---|---|1T|1T
32|50.0|50.0|50.0|50.0|1T|1T
33|50.0|50.0|7.2|7.2|1T|1T
34|6.2|6.2|---|---|600T|1E
35|6.2|6.2|---|---|1E|1E
36|6.2|6.2|---|---|600T|600T
37|6.2|6.2|---|---|2P|2P
SEEN
