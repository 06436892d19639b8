#!/bin/sh
# Runs experiments/fgd/run.sh on the trace that is made up, and looks at what comes out: a row a policy, figures that are not
# empty, and no policy that allocates more than there is.
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
for experiment in departures gangs; do
    "$berth" run "experiments/fgd/$experiment.yaml" --quiet -o "$folder/$experiment"
    grep -q '"frag_ratio_pct_of_idle"' "$folder/$experiment/summary.json"
done
grep -q ',finished,' "$folder/departures/pods.csv"
grep -q '^0,group-.*,true,1,' "$folder/gangs/groups.csv"
