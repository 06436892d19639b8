#!/bin/sh
# Drives the reports of runs whose jobs Kueue admits in Chromium: queues.sh BERTH
# One run has fair sharing and preemptions, two have gangs that are placed by topology, and in one jobs wait at its end.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../.." && pwd)
berth=$1
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
days() {
    "$berth" run "$project/experiments/kueue/$1.yaml" -o "$runs/$2" --quiet --set spec.replications=2 \
        --set spec.until=3d --set 'spec.record={from: 1d, to: 3d}' ${3:+--set "$3"} 2> "$runs/said" || { cat "$runs/said"; exit 1; }
}
days fair-sharing fair
days gangs-and-singles required
days gangs-and-singles preferred 'spec.workload[1].generate.group.spec.constraints[0].soft=true'
days wrong-racks vain
"$berth" report "$runs/required" "$runs/preferred" -o "$runs/gangs.html"
"$berth" report "$runs/fair" -o "$runs/fair.html"
"$berth" report "$runs/vain" -o "$runs/vain.html"
node "$here/report_test.mjs" "$runs/gangs.html" "$runs/fair.html" "$runs/vain.html"
