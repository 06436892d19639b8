#!/bin/sh
# Runs what the README of experiments/kube/ reports: the experiments, whose fingerprints must not change, and the sweeps,
# in which each point expects what the README says about it. BERTH_UPDATE_GOLDEN=1 writes the fingerprints anew.
#   kube_experiments.sh BERTH
set -eu
berth=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
golden=$(cd "$(dirname "$0")" && pwd)/golden/kube-fingerprints.csv
cd "$(dirname "$0")/../experiments/kube"

fingerprint() { # NAME EXPERIMENT [OPTION...]
    name=$1 file=$2
    shift 2
    "$berth" run "$file" "$@" --quiet -o "$folder/$name" >"$folder/out"
    sed -n "s/^ *\"fingerprint\": \"\(.*\)\",*/$name,\1/p" "$folder/$name/manifest.json" >>"$folder/fingerprints"
}

echo experiment,fingerprint >"$folder/fingerprints"
fingerprint zone-loss zone-loss.yaml
fingerprint zone-loss-1.37 zone-loss.yaml --set 'spec.scheduler.kube.version="1.37"'
fingerprint mixed-jobs mixed-jobs.yaml --set spec.replications=2
fingerprint mixed-jobs-packed mixed-jobs.yaml --set spec.replications=2 --set spec.scheduler.kube.config=most-allocated.yaml
[ -z "${BERTH_UPDATE_GOLDEN:-}" ] || cp "$folder/fingerprints" "$golden"
diff "$golden" "$folder/fingerprints"

for sweep in zone-loss-sweep one-server-stays-sweep; do
    "$berth" sweep $sweep.yaml -j 1 --quiet -o "$folder/$sweep"
done
"$berth" sweep mixed-jobs-sweep.yaml -j 1 --quiet --set spec.replications=3 --set spec.seed=2 \
    --set spec.record.placements=false -o "$folder/mixed-jobs-sweep"
