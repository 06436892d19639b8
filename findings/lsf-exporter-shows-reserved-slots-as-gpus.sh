#!/usr/bin/env bash
# The exporter of LSF for Prometheus shows as a server's available GPUs how many of its slots are reserved: none on a
# server with eight GPUs, and sixteen on one that has no GPU.
#
# Seen with lsf-prometheus-exporter 1.0.2 and prometheus-client 0.25.0, on what bhosts and bqueues say as JSON:
# - ibm_lsf_host_gpu, described as "Available GPUs (bhosts)", is made of the column RSV, as ibm_lsf_host_rsv is. NGPUS
#   is asked for, made 0 where it is empty, and printed for debugging, but no metric has it.
# - ibm_lsf_host_gpu_rsv, the reserved GPUs, is NGPUS_EXCL_ALLOC: GPUs that jobs share, of NGPUS_SHARED_ALLOC, are not
#   in it, nor are they in another metric. NGPUS_ALLOC, which LSF has for both, is not used.
# - A queue with the status Closed:Active, which takes no new jobs and runs those that it has, has no metric at all,
#   while Closed:Inact has. When administrators close a queue before a maintenance, its running and pending jobs are
#   gone.
# Names and descriptions are as one would want them, and the numbers are small, so a chart of them looks plausible.
# bhosts and bqueues are small scripts here.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check lsf-prometheus-exporter==1.0.2 \
  prometheus-client==0.25.0 psutil==7.2.2
cd "$place"
mkdir bin
cat > said.py <<'PYTHON'
import json
import sys

HOST = ("HOST_NAME", "STATUS", "MAX", "NJOBS", "RUN", "SSUSP", "USUSP", "RSV", "AVAILABLE_MEM", "RESERVED_MEM", "NGPUS",
        "NGPUS_ALLOC", "NGPUS_EXCL_ALLOC", "NGPUS_SHARED_ALLOC", "NGPUS_SHARED_JEXCL_ALLOC", "NGPUS_EXCL_AVAIL",
        "NGPUS_SHARED_AVAIL")
HOSTS = (("gpu01", "ok", 64, 5, 5, 0, 0, 0, "900000M", "100000M", 8, 5, 2, 3, 0, 3, 3),
         ("gpu02", "ok", 64, 4, 4, 0, 0, 0, "900000M", "100000M", 4, 4, 0, 4, 0, 0, 0),
         ("cpu01", "ok", 64, 16, 0, 0, 0, 16, "900000M", "100000M") + ("",) * 7)
QUEUE = ("QUEUE_NAME", "NJOBS", "PEND", "RUN", "SUSP", "RSV", "USUSP", "SSUSP", "STATUS")
QUEUES = (("short", 30, 10, 20, 0, 0, 0, 0, "Open:Active"), ("long", 300, 100, 200, 0, 0, 0, 0, "Closed:Active"),
          ("idle", 7, 7, 0, 0, 0, 0, 0, "Closed:Inact"))
if sys.argv[1] == "bhosts":
    names, rows = HOST, () if "select[mg]" in sys.argv else HOSTS
else:
    names, rows = QUEUE, QUEUES
records = [dict(zip(names, map(str, row))) for row in rows]
print(json.dumps({"COMMAND": sys.argv[1], "HOSTS": len(rows), "QUEUES": len(rows), "RECORDS": records}))
PYTHON
for name in bhosts bqueues; do
  printf '#!/bin/sh\nexec python3 "%s" %s "$@"\n' "$place/said.py" "$name" > "bin/$name"
  chmod +x "bin/$name"
done
cat > seen.py <<'PYTHON'
import prometheus_client
from lsf_prometheus_exporter.cmdline_collectors import BhostsCollector, BqueuesCollector
from lsf_prometheus_exporter.metrics_utils import Utils

utils = Utils(False, "bin", False, False, False)
for collector in (BhostsCollector(utils), BqueuesCollector(utils)):
    collector.fetch({"cluster_name": "c"})
for line in prometheus_client.generate_latest().decode().splitlines():
    if line.startswith(("ibm_lsf_host_gpu", "# HELP ibm_lsf_host_gpu", "ibm_lsf_host_rsv")) or "RUN" in line:
        print(line)
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
# HELP ibm_lsf_host_run Slots occupied by RUN jobs
ibm_lsf_host_rsv{cluster_name="c",host_name="gpu01",host_type="compute"} 0.0
ibm_lsf_host_rsv{cluster_name="c",host_name="gpu02",host_type="compute"} 0.0
ibm_lsf_host_rsv{cluster_name="c",host_name="cpu01",host_type="compute"} 16.0
# HELP ibm_lsf_host_gpu Available GPUs (bhosts)
ibm_lsf_host_gpu{cluster_name="c",host_name="gpu01",host_type="compute"} 0.0
ibm_lsf_host_gpu{cluster_name="c",host_name="gpu02",host_type="compute"} 0.0
ibm_lsf_host_gpu{cluster_name="c",host_name="cpu01",host_type="compute"} 16.0
# HELP ibm_lsf_host_gpu_rsv Reserved GPUs (bhosts)
ibm_lsf_host_gpu_rsv{cluster_name="c",host_name="gpu01",host_type="compute"} 2.0
ibm_lsf_host_gpu_rsv{cluster_name="c",host_name="gpu02",host_type="compute"} 0.0
ibm_lsf_host_gpu_rsv{cluster_name="c",host_name="cpu01",host_type="compute"} 0.0
ibm_lsf_queue{cluster_name="c",queue="short",state="RUN"} 20.0
ibm_lsf_queue{cluster_name="c",queue="idle",state="RUN"} 0.0
SEEN
