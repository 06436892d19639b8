#!/bin/sh
# Runs experiments/fgd/run.sh and paper.sh on the invented trace, and checks the results: one row for each policy,
# figures that are not empty, no policy that allocates more than there is, and the same numbers from both scripts.
set -eu
berth=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$(dirname "$0")/.."
BERTH="$berth" experiments/fgd/run.sh experiments/fgd/invented "$folder/out" > "$folder/table"
cat "$folder/table"
[ "$(grep -c ' (sd ' "$folder/table")" -eq 6 ]
awk '/ \(sd / { if ($2 < 50 || $2 > 100) exit 1 }' "$folder/table"
for figure in figure-7 figure-9a; do
    [ "$(grep -c '<path' "$folder/out/$figure.svg")" -gt 20 ]
done

# The list of the trace stands in for four of the paper's lists, so that one of its figures over several lists is drawn.
mkdir "$folder/trace"
cp experiments/fgd/invented/*.csv "$folder/trace"
for list in cpu050 cpu100 cpu200 cpu250; do
    cp experiments/fgd/invented/openb_pod_list_default.csv "$folder/trace/openb_pod_list_$list.csv"
done
BERTH="$berth" experiments/fgd/paper.sh "$folder/trace" "$folder/paper" > "$folder/paper.txt"
[ "$(wc -l < "$folder/paper/results.csv")" -eq $((1 + 5 * 6 * 10)) ]
for figure in figure-7 figure-9a figure-14; do
    [ "$(grep -c '<path' "$folder/paper/$figure.svg")" -gt 20 ]
done
[ ! -e "$folder/paper/figure-11.svg" ]
allocated_in() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "gpu_allocated_pct_at_100_arrived") column = i; next } { print $column }' "$1"
}
"$berth" sweep experiments/fgd/paper.yaml --quiet -o "$folder/alone"
for policy in random fragmentation-gradient-descent; do
    allocated_in "$folder/out/$policy/replications.csv" > "$folder/of_run"
    for sweep in paper alone; do
        grep -E "^list|^default,$policy," "$folder/$sweep/results.csv" > "$folder/rows.csv"
        allocated_in "$folder/rows.csv" | cmp - "$folder/of_run"
    done
done
for experiment in departures gangs; do
    "$berth" run "experiments/fgd/$experiment.yaml" --quiet -o "$folder/$experiment"
    grep -q '"frag_ratio_pct_of_idle"' "$folder/$experiment/summary.json"
done
grep -q ',finished,' "$folder/departures/pods.csv"
grep -q '^0,group-.*,true,1,' "$folder/gangs/groups.csv"
