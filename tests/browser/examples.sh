#!/bin/sh
# Runs experiments with BERTH, and drives their reports in Chromium: examples.sh BERTH
# One experiment is the paper's; one is the README's example, with a time axis, several replications and a measuring
# window; one has pods that share GPUs; in one, nearly all pods still wait at its end. A comparison has its own page.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../.." && pwd)
berth=$1
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
"$berth" run "$project/experiments/paper/pack-rack-soft.yaml" -o "$runs/paper" --quiet
"$berth" run "$project/docs/examples/training.yaml" -o "$runs/training" --quiet \
    --set spec.replications=3 --set 'spec.record={sampleEvery: 10m, from: 12h, to: 3d}'
"$berth" run "$project/docs/examples/training.yaml" -o "$runs/fcfs" --quiet \
    --set spec.replications=3 --set 'spec.record={sampleEvery: 10m, from: 12h, to: 3d}' \
    --set spec.scheduler.profile.queueSort=fcfs
"$berth" run "$project/experiments/fgd/fgd.yaml" -o "$runs/fgd" --quiet --set spec.replications=3
"$berth" run "$here/data/crowd.yaml" -o "$runs/crowd" --quiet 2> "$runs/said" || grep -q 'never started' "$runs/said"
"$berth" compare "$runs/training" "$runs/fcfs" -o "$runs/comparison.html"
node "$here/report_test.mjs" "$runs/comparison.html"
sh "$here/run.sh" "$berth" "$runs/paper" "$runs/training" "$runs/fgd" "$runs/crowd"
