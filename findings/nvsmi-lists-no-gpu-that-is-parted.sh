#!/usr/bin/env bash
# A server whose GPUs are parted by MIG has no GPU for `nvsmi ls`, without any filter, while the same program lists what
# runs on them; and of sixteen GPUs, the first four are 0, 1, 10 and 11.
#
# Seen with nvsmi 0.4.2, which reads nvidia-smi's CSV, with an nvidia-smi that only prints what is given here:
# - While MIG is on for a GPU, nvidia-smi says [N/A] for its utilisation. nvsmi reads that as NaN. Its limit for
#   utilisation is 100 per cent where none is asked for, so that all pass, but no NaN is at most 100. GPUs with MIG are
#   left out of `ls` and of get_available_gpus() for any limits, also infinite ones. get_gpus() and `ps` have them.
# - get_available_gpus() has limits of 1.0 where `ls` has 100, for the same shares, which go from 0 to 100. A GPU of
#   which 1.1 per cent of the memory is used, as drivers do where nothing runs, is listed by `ls`, and not available.
# - GPUs are sorted by their indices as texts: 0, 1, 10, 11, 2. --limit takes the first ones of these.
# Expected was what `ls` is described as, "List available GPUs", for each of them that passes the limits given. One who
# counts a cluster's GPUs with it has none on the servers where most jobs fit.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check nvsmi==0.4.2
cd "$place"
mkdir bin
cat > bin/nvidia-smi <<'PYTHON'
#!/usr/bin/env python3
import os
import sys

asked = dict(word[2:].split("=", 1) for word in sys.argv[1:] if "=" in word)
GPUS = {  # the share of use, and the MiB of 81920 that are used
    "mixed": [("0", 0), ("100", 81920), ("[N/A]", 40960), ("[N/A]", 0)],
    "MIG": [("[N/A]", 0)] * 8,
    "idle": [("0", 901)] * 4,
    "sixteen": [("0", 0)] * 16,
}[os.environ["SERVER"]]
if "query-gpu" in asked:
    for at, (use, used) in enumerate(GPUS):
        known = {"index": at, "uuid": f"GPU-{at:02}", "utilization.gpu": use, "memory.total": 81920,
                 "memory.used": used, "memory.free": 81920 - used, "driver_version": "580.65.06",
                 "name": "NVIDIA H100", "gpu_serial": at, "display_active": "Disabled", "display_mode": "Disabled",
                 "temperature.gpu": 40}
        print(*(known[field] for field in asked["query-gpu"].split(",")), sep=", ")
else:
    for at, (use, used) in enumerate(GPUS):
        if used:
            print(4242 + at, "python3", f"GPU-{at:02}", "NVIDIA H100", used, sep=", ")
PYTHON
chmod +x bin/nvidia-smi
export PATH=$place/bin:$PATH
cat > counts.py <<'PYTHON'
import math
import os

import nvsmi

limits = {"gpu_util_max": math.inf, "mem_util_max": math.inf}
print(f"{os.environ['SERVER']}: get_gpus() {len(list(nvsmi.get_gpus()))}, get_available_gpus() "
      f"{len(list(nvsmi.get_available_gpus()))}, without limits {len(list(nvsmi.get_available_gpus(**limits)))}")
PYTHON
listed() {
    venv/bin/python -m nvsmi "$@" --json | venv/bin/python -c '
import json, sys
print(*[gpu.get("id", gpu.get("gpu_id")) for gpu in map(json.loads, sys.stdin)] or ["none"])'
}
for server in mixed MIG idle sixteen; do
    export SERVER=$server
    venv/bin/python counts.py
    echo "  ls: $(listed ls)"
    echo "  ls --limit 4: $(listed ls --limit 4)"
    echo "  ps: $(listed ps)"
done | tee seen
diff - seen <<'SEEN'
mixed: get_gpus() 4, get_available_gpus() 1, without limits 2
  ls: 0 1
  ls --limit 4: 0 1
  ps: 1 2
MIG: get_gpus() 8, get_available_gpus() 0, without limits 0
  ls: none
  ls --limit 4: none
  ps: none
idle: get_gpus() 4, get_available_gpus() 0, without limits 4
  ls: 0 1 2 3
  ls --limit 4: 0 1 2 3
  ps: 0 1 2 3
sixteen: get_gpus() 16, get_available_gpus() 16, without limits 16
  ls: 0 1 10 11 12 13 14 15 2 3 4 5 6 7 8 9
  ls --limit 4: 0 1 10 11
  ps: none
SEEN
