#!/usr/bin/env bash
# Jobs of a few cores without GPUs go to the nodes with GPUs that were set aside for those who name them, and jobs with
# GPUs to nodes without any, where MyQueue chooses the partition.
#
# Seen with myqueue 26.8.1, by `mq submit --dry-run` for Slurm:
# - Nodes with GPUs can be marked as `special`. The documentation says of such a node that it "can only be selected by
#   name". MyQueue takes the first kind of node whose cores divide those of the job. Where there is none, it takes the
#   kind with the fewest cores, and for that looks at all of them, special or not. So beside xeon nodes of 24 cores,
#   jobs of 1, 8, 12 and 36 cores go to special nodes of 16 cores and 4 GPUs, which nobody named. Only 24 and 48 go to
#   the xeon nodes.
# - The last choice does not look at GPUs either. With GPU nodes of 64 cores and 8 GPUs that are not special, 64:8G:1h
#   goes there, but 32:4G:1h, half a node, is sent to two of the smallest nodes, and 8:1G:1h to one, with
#   --gpus-per-node for a partition that has no GPU.
# Nothing is said. For PBS and LSF the number of GPUs is not passed on at all, so such a job runs there without one.
# Expected was that special nodes are for those who name them, and that GPUs are looked for where there are some.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check myqueue==26.8.1
cd "$place"
mkdir work
cd work
echo 'print("trains")' > train.py
mkdir .myqueue
touch .myqueue/daemon-me.pid  # as if the daemon ran, so that none is started
export HOME="$place" USER=me
ask() {
    for resources in "$@"; do
        "$place/venv/bin/mq" submit --dry-run --verbose -R "$resources" train.py > "$place/said"
        echo "  $resources:" $(grep -oE -e '--(nodes|partition|gpus-per-node)=[a-z0-9]+' "$place/said")
    done
}
{
    echo "xeon of 24 cores; a100 of 16 cores and 4 GPUs, special:"
    echo 'config = {"scheduler": "slurm", "nodes": [("xeon", {"cores": 24}),' \
        '("a100", {"cores": 16, "gpus": 4, "special": True})]}' > .myqueue/config.py
    ask 1:1h 8:1h 12:1h 24:1h 36:1h 48:1h 8:xeon:1h 16:4G:a100:1h
    echo "h100 of 64 cores and 8 GPUs; xeon of 24 cores; old of 16 cores:"
    echo 'config = {"scheduler": "slurm", "nodes": [("h100", {"cores": 64, "gpus": 8}),' \
        '("xeon", {"cores": 24}), ("old", {"cores": 16})]}' > .myqueue/config.py
    ask 64:8G:1h 32:4G:1h 8:1G:1h 96:8G:1h 8:1G:h100:1h
} | tee "$place/seen"
cd "$place"
diff - seen <<'SEEN'
xeon of 24 cores; a100 of 16 cores and 4 GPUs, special:
  1:1h: --nodes=1 --partition=a100
  8:1h: --nodes=1 --partition=a100
  12:1h: --nodes=1 --partition=a100
  24:1h: --nodes=1 --partition=xeon
  36:1h: --nodes=3 --partition=a100
  48:1h: --nodes=2 --partition=xeon
  8:xeon:1h: --nodes=1 --partition=xeon
  16:4G:a100:1h: --nodes=1 --partition=a100 --gpus-per-node=4
h100 of 64 cores and 8 GPUs; xeon of 24 cores; old of 16 cores:
  64:8G:1h: --nodes=1 --partition=h100 --gpus-per-node=8
  32:4G:1h: --nodes=2 --partition=old --gpus-per-node=4
  8:1G:1h: --nodes=1 --partition=old --gpus-per-node=1
  96:8G:1h: --nodes=6 --partition=old --gpus-per-node=8
  8:1G:h100:1h: --nodes=1 --partition=h100 --gpus-per-node=1
SEEN
