#!/bin/sh
# Runs the sweeps of experiments/reliability/ whose answers are in its README, and compares them with what is known
# beforehand: the number of spares that a rack needs with a closed form, over a fourth of the time; packing and
# spreading, reserved servers and a rolling upgrade with what each point expects.
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
