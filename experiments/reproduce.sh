#!/usr/bin/env bash
# Installs berth's needs, builds it, runs every experiment of the paper, and makes one report of all of them.
set -euo pipefail
cd "$(dirname "$0")/.."

experiments/setup.sh --program-only
berth=build/release/berth
out=out/paper
mkdir -p "$out"

runs=()
run() { # NAME EXPERIMENT [OPTION...]
    local name=$1 experiment=$2
    shift 2
    "$berth" run "experiments/paper/$experiment.yaml" -o "$out/$name" "$@"
    runs+=("$out/$name")
}

echo "== The worked example and the paper's three figures, on their own background"
for experiment in worked-example pack-rack-soft spread-rack-soft spread-rack-server-soft; do
    run "$experiment" "$experiment"
done

echo "== The same three over 1000 random backgrounds, under both rules for numFit"
for experiment in pack-rack-soft spread-rack-soft spread-rack-server-soft; do
    run "random-$experiment" "random-$experiment"
    run "random-$experiment-percolated" "random-$experiment-percolated"
done

echo "== How large a group can be: published shares of full placements over 200 backgrounds"
# The size, then the published share plus or minus three standard errors of the difference of two shares.
while read -r size least most; do
    run "group-size-$size" group-size --set "metadata.name=group-size-$size" \
        --set "spec.workload[1].groups[0].size=$size" \
        --set "spec.claims[0].expected=[$least, $most]"
done <<TABLE
480  1.00 1.00
960  1.00 1.00
1440 1.00 1.00
1920 0.93 1.00
2040 0.74 0.97
2100 0.46 0.76
2160 0.18 0.48
2220 0.02 0.22
2300 0.00 0.05
TABLE

echo "== Five levels: the largest demonstration over 500 random backgrounds"
run mega mega

said=$("$berth" report "${runs[@]}" -o "$out/report.html" \
    --title "Asser N. Tantawi, Placement Group Scheduling on Hierarchical Topology, 2021")
echo
echo "${said%wrote *}The page: $PWD/$out/report.html"
# The text is such as `70 of 70 claims hold`; if one does not hold, this script fails.
read -r held _ claims _ <<<"$said"
[[ $held == "$claims" ]]
