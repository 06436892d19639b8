#!/usr/bin/env bash
# The sweep fgd-rate on the published trace: FGD's policies at several arrival rates.
#   experiments/sweeps/fgd.sh FOLDER [OUT]    FOLDER has openb_node_list_gpu_node.csv and openb_pod_list_default.csv
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
berth=${BERTH:-$here/../../build/release/berth}
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "fgd.sh: $# folders: expected that of the trace, and that of the results" >&2
    exit 2
fi
folder=$(cd "$1" && pwd)
out=${2:-out/fgd-rate-openb}
nodes=$folder/openb_node_list_gpu_node.csv
pods=$folder/openb_pod_list_default.csv
for file in "$nodes" "$pods"; do
    [ -r "$file" ] || { echo "fgd.sh: $file is missing: expected a file of the trace" >&2; exit 2; }
done
"$berth" sweep "$here/fgd-rate.yaml" -o "$out" \
    --set metadata.name=fgd-rate-openb --set spec.topology.nodes.file="$nodes" \
    --set spec.workload[0].trace.file="$pods" --set spec.scheduler.typicalPods.file="$pods" \
    --set spec.workload[0].bootstrap.count=8000
"$berth" report "$out"
