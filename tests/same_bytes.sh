#!/usr/bin/env bash
# Runs the ready experiments with two binaries, with other numbers of threads, and compares
# the run directories byte by byte. usage: same_bytes.sh BERTH OTHER-BERTH
set -euo pipefail
one=$(realpath "$1")
other=$(realpath "$2")
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for experiment in experiments/{paper,quota,devices,providers,fgd}/*.yaml; do
    grep -q '^kind: Experiment' "$experiment" || continue
    name=$(basename "$experiment" .yaml)
    "$one" run "$experiment" -j 1 --quiet -o "$work/one/$name" &
    "$other" run "$experiment" -j 3 --quiet -o "$work/other/$name"
    wait "$!"
    diff -rq -x run.json "$work/one/$name" "$work/other/$name"
    echo "  $name: the same"
done
"$one" sweep experiments/sweeps/pack-and-spread.yaml -j 1 --quiet -o "$work/one/sweep" &
"$other" sweep experiments/sweeps/pack-and-spread.yaml -j 3 --quiet -o "$work/other/sweep"
wait "$!"
diff -rq -x run.json -x results.sqlite "$work/one/sweep" "$work/other/sweep"
echo "  pack-and-spread, a sweep: the same"
