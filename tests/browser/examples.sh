#!/bin/sh
# Runs experiments with BERTH, and drives the reports of them in Chromium: examples.sh BERTH
# One is the paper's, one the README's example, with a time axis and several replications, one has pods that share GPUs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../.." && pwd)
berth=$1
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
"$berth" run "$project/experiments/paper/pack-rack-soft.yaml" -o "$runs/paper" --quiet
"$berth" run "$project/docs/examples/training.yaml" -o "$runs/training" --quiet \
    --set spec.replications=3 --set 'spec.record={sampleEvery: 10m}'
"$berth" run "$project/experiments/fgd/fgd.yaml" -o "$runs/fgd" --quiet --set spec.replications=3
sh "$here/run.sh" "$berth" "$runs/paper" "$runs/training" "$runs/fgd"
