#!/bin/sh
# Runs the ready experiments and the examples of the documentation, with two replications each, and recomputes their
# results from the files. Experiments about the cost of a million pods have fewer pods: recomputing that many similar
# pods would take longer than everything else. Two replications are too few for what some experiments expect: then berth
# ends with 1, and the run is complete nevertheless.
#   ready.sh PYTHON BERTH
set -eu
python=$1 berth=$2
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for file in "$root"/docs/examples/*.yaml "$root"/experiments/*/*.yaml; do
    grep -q '^kind: Experiment' "$file" || continue
    # Two folders may have experiments with the same name.
    name=$(basename "$(dirname "$file")")-$(basename "$file" .yaml)
    set --
    case "$file" in
        */experiments/scale/*) set -- --set 'spec.workload[0].generate.count=50000' ;;
    esac
    "$berth" run "$file" --set spec.replications=2 "$@" --quiet -o "$folder/$name" >"$folder/out" ||
        [ -e "$folder/$name/manifest.json" ] || { echo "$file: berth run left no results"; exit 1; }
done
"$python" "$here/recompute.py" "$folder"
