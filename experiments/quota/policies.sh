#!/usr/bin/env bash
# One day of the company under five policies, side by side in one report: no quota, fixed quotas (each may use its min
# and no more), elastic quotas, elastic quotas with the recycler, and dominant resource fairness.
# usage: policies.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/../.."
berth=build/release/berth
out=${1:-out/policies}
mkdir -p "$out"

profile=spec.scheduler.profile
run() { # NAME [OPTION...]
    local name=$1
    shift
    "$berth" run experiments/quota/company.yaml -o "$out/$name" --set "metadata.name=$name" \
        --set "$profile.postFilter=[]" "$@"
}
without_recycler=(--set "spec.recycler=")

run no-quota "${without_recycler[@]}" --set "$profile.preFilter=[]"
run fixed-quota "${without_recycler[@]}" --set "$profile.preFilter=[{name: elastic-quota, limit: min}]"
run elastic-quota "${without_recycler[@]}"
run elastic-quota-recycler
run drf "${without_recycler[@]}" --set "$profile.preFilter=[]" --set "$profile.queueSort=drf"

"$berth" report "$out"/{no-quota,fixed-quota,elastic-quota,elastic-quota-recycler,drf} \
    -o "$out/report.html"
echo
echo "The report: $(cd "$out" && pwd)/report.html"
