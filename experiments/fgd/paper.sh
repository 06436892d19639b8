#!/usr/bin/env bash
# All runs of the FGD paper as one sweep (six policies, its 17 pod lists, ten seeds), and its figures 7, 9(a), 11 to 14.
#   experiments/fgd/paper.sh FOLDER [OUT]               FOLDER has openb_node_list_gpu_node.csv and openb_pod_list_*.csv
#   experiments/fgd/paper.sh experiments/fgd/invented   the same on a small trace that is made up
# Of the paper's lists, those that FOLDER has are run.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
berth=${BERTH:-$here/../../build/release/berth}
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "paper.sh: $# folders: expected that of the trace, and that of the results" >&2
    exit 2
fi
folder=$(cd "$1" && pwd)
out=${2:-out/fgd-paper}
policies=(random dot-product gpu-clustering gpu-packing best-fit fragmentation-gradient-descent)
families=("11 gpushare40 gpushare60 gpushare80 gpushare100" "12 multigpu20 multigpu30 multigpu40 multigpu50"
    "13 gpuspec10 gpuspec20 gpuspec25 gpuspec33" "14 cpu050 cpu100 cpu200 cpu250")
for file in openb_node_list_gpu_node.csv openb_pod_list_default.csv; do
    [ -r "$folder/$file" ] || { echo "paper.sh: $folder/$file is missing: expected a file of the trace" >&2; exit 2; }
done

# Prints the variant of the sweep for a list, if FOLDER has that list.
variant() {
    local pods=$folder/openb_pod_list_$1.csv
    [ -r "$pods" ] || return 0
    printf '        %s:\n          spec.workload[0].trace.file: "%s"\n          spec.scheduler.typicalPods.file: "%s"\n' \
        "$1" "$pods" "$pods"
}
sweep=$(mktemp --suffix=.yaml)
trap 'rm -f "$sweep"' EXIT
{
    sed -n '1,/^      variants:/p' "$here/paper.yaml"
    variant default
    for family in "${families[@]}"; do
        for list in ${family#* }; do variant "$list"; done
    done
    sed '1,/^      variants:/d; /^        default:/d' "$here/paper.yaml"
} | sed "s|{file: fgd.yaml}|{file: \"$here/fgd.yaml\"}|" > "$sweep"
"$berth" sweep "$sweep" -o "$out" --set "spec.topology.nodes.file=$folder/openb_node_list_gpu_node.csv"

# Figures 11 to 14 show how much is allocated when 100 % have arrived, each for the lists of one kind.
points=()
for policy in "${policies[@]}"; do
    points+=("$out:list=default,policy=$policy")
done
"$berth" plot "${points[@]}" --figure fragmentation -o "$out/figure-7.svg"
"$berth" plot "${points[@]}" --figure unallocated:75,120 -o "$out/figure-9a.svg"
for family in "${families[@]}"; do
    lists=()
    for list in ${family#* }; do
        [ ! -r "$folder/openb_pod_list_$list.csv" ] || lists+=(--where "list=$list")
    done
    if [ "${#lists[@]}" -ge 4 ]; then
        "$berth" plot "$out" --figure sweep-distributions --metric gpu_allocated_pct_at_100_arrived \
            --x list --by policy "${lists[@]}" -o "$out/figure-${family%% *}.svg"
    fi
done
