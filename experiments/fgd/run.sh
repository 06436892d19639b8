#!/usr/bin/env bash
# The FGD paper's experiment with six policies and ten seeds: its figures 7 and 9(a) as SVG, a table, and one report.
#   experiments/fgd/run.sh FOLDER [OUT]                 FOLDER has openb_node_list_gpu_node.csv and openb_pod_list_*.csv
#   experiments/fgd/run.sh FOLDER [OUT] --list cpu250   another pod list than the default one
#   experiments/fgd/run.sh experiments/fgd/invented     the same on a small trace that is made up
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
berth=${BERTH:-$here/../../build/release/berth}

list=default
places=()
while [ $# -gt 0 ]; do
    case "$1" in
        --list) list=${2:?run.sh: --list without a name: expected one such as cpu250}; shift 2 ;;
        -*) echo "run.sh: unknown option $1: expected --list" >&2; exit 2 ;;
        *) places+=("$1"); shift ;;
    esac
done
if [ "${#places[@]}" -lt 1 ] || [ "${#places[@]}" -gt 2 ]; then
    echo "run.sh: ${#places[@]} folders: expected that of the trace, and that of the results" >&2
    exit 2
fi
folder=$(cd "${places[0]}" && pwd)
out=${places[1]:-out/fgd-$list}
nodes=$folder/openb_node_list_gpu_node.csv
pods=$folder/openb_pod_list_$list.csv
for file in "$nodes" "$pods"; do
    [ -r "$file" ] || { echo "run.sh: $file is missing: expected a file of the trace" >&2; exit 2; }
done

mkdir -p "$out"
runs=()
printf '%-32s %22s %22s\n' "GPUs allocated, %" "at 100 % arrived" "at 130 % arrived"
for policy in random dot-product gpu-clustering gpu-packing best-fit fragmentation-gradient-descent; do
    "$berth" run "$here/fgd.yaml" --quiet -o "$out/$policy" \
        --set "metadata.name=$policy" --set "spec.scheduler.profile.score=[$policy]" \
        --set "spec.topology.nodes.file=$nodes" --set "spec.workload[0].trace.file=$pods" \
        --set "spec.scheduler.typicalPods.file=$pods"
    runs+=("$out/$policy")
    # Prints the mean and standard deviation over the seeds of a metric in replications.csv.
    figure() {
        awk -F, -v name="gpu_allocated_pct_at_$1_arrived" '
            NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) column = i; next }
            $column != "" { n += 1; sum += $column; squares += $column * $column }
            END { if (n == 0) { print "-"; exit }
                  variance = n > 1 ? (squares - sum * sum / n) / (n - 1) : 0
                  printf "%.2f (sd %.2f)", sum / n, sqrt(variance > 0 ? variance : 0) }' \
            "$out/$policy/replications.csv"
    }
    printf '%-32s %22s %22s\n' "$policy" "$(figure 100)" "$(figure 130)"
done
"$berth" plot "${runs[@]}" --figure fragmentation -o "$out/figure-7.svg"
"$berth" plot "${runs[@]}" --figure unallocated:75,120 -o "$out/figure-9a.svg"
"$berth" report "${runs[@]}" -o "$out/report.html"
echo "figures: $out/figure-7.svg, $out/figure-9a.svg; report: $out/report.html"
