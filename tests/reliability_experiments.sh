#!/bin/sh
# Runs the sweeps of experiments/reliability/ whose answers stand in its README, and holds them to what is known beforehand:
# how many spares a rack needs to a closed form, over a fourth of the time; packing and spreading, servers that are kept free,
# and a rolling upgrade, to what each point expects.
set -eu
berth=$1 python=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$(dirname "$0")/../experiments/reliability"
"$berth" sweep spares.yaml -j 1 --quiet --set spec.until=250d -o "$folder/spares"
"$python" closed_form.py "$folder/spares" > "$folder/lines"
cat "$folder/lines"
[ "$(wc -l < "$folder/lines")" -eq 12 ]
"$berth" sweep pack-or-spread.yaml -j 1 --quiet --set spec.seed=2 -o "$folder/pack-or-spread"
"$berth" sweep kept-spares.yaml -j 1 --quiet --set spec.seed=2 -o "$folder/kept-spares"
"$berth" sweep rolling-upgrade.yaml -j 1 --quiet --set spec.seed=2 -o "$folder/rolling-upgrade"
