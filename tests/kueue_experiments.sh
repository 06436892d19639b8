#!/bin/sh
# Runs what the README of experiments/kueue/ reports: the experiments, whose fingerprints must not change; the sweeps,
# in which each point expects what the README says about it; and shares.py, which measures whether fair sharing is fair.
# BERTH_UPDATE_GOLDEN=1 writes the fingerprints anew.
#   kueue_experiments.sh BERTH PYTHON
set -eu
berth=$1 python=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
golden=$(cd "$(dirname "$0")" && pwd)/golden/kueue-fingerprints.csv
cd "$(dirname "$0")/../experiments/kueue"

echo experiment,fingerprint >"$folder/fingerprints"
for file in *.yaml; do
    grep -q '^kind: Experiment' "$file" || continue
    name=$(basename "$file" .yaml)
    "$berth" run "$file" --set spec.replications=2 --quiet -o "$folder/$name" >"$folder/out"
    sed -n "s/^ *\"fingerprint\": \"\(.*\)\",*/$name,\1/p" "$folder/$name/manifest.json" >>"$folder/fingerprints"
done
[ "$(wc -l <"$folder/fingerprints")" -eq 6 ]
[ -z "${BERTH_UPDATE_GOLDEN:-}" ] || cp "$folder/fingerprints" "$golden"
diff "$golden" "$folder/fingerprints"

for sweep in departments-sweep gangs-and-singles-sweep kueue-or-elastic wrong-racks-sweep; do
    "$berth" sweep $sweep.yaml -j 1 --quiet --set spec.replications=3 --set spec.seed=2 \
        --set spec.record.placements=false -o "$folder/$sweep"
done
"$berth" sweep fair-sharing-sweep.yaml -j 1 --quiet --set spec.replications=3 --set spec.seed=2 -o "$folder/fair"

# How far apart the shares of waiting and borrowing queues are: at most about one job, which is 15.6 thousandths, if
# sharing is fair.
"$python" shares.py "$folder/fair" >"$folder/shares"
cat "$folder/shares"
apart() {
    awk -v of="sharing=$1" '/^[^ ]/ { name = $0 } /^  shares apart/ && name == of { print int($6) }' "$folder/shares"
}
[ "$(apart classical)" -ge 100 ]
[ "$(apart fair)" -le 15 ]
[ "$(apart equal-weights)" -le 15 ]
