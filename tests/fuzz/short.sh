#!/bin/sh
# short.sh BERTH_FUZZ TARGET RUNS: runs the target on RUNS inputs, its corpus and mutations of it, by a fixed seed, so
# that all machines find the same. The time limit only matters if a machine is slow. Findings lie in the folder findings
# beside the program.
set -eu
program=$1 target=$2 runs=$3
findings=$(dirname "$program")/findings
mkdir -p "$findings"
found=$(mktemp -d)  # otherwise libFuzzer would write new inputs into the corpus
trap 'rm -rf "$found"' EXIT
"$program" "$target" -seed=1 -runs="$runs" -max_total_time=60 -artifact_prefix="$findings/$target-" \
    -dict="$(dirname "$0")/words.dict" -print_final_stats=1 "$found" "$(dirname "$0")/corpus/$target"
