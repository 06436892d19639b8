#!/bin/sh
# short.sh BERTH_FUZZ TARGET RUNS: the target on its corpus and mutations of it, so many inputs in all, by a
# fixed seed: what one machine finds, another finds too. Time only ends it, where a machine is slow.
# What is found lies in the folder findings beside the program.
set -eu
program=$1 target=$2 runs=$3
findings=$(dirname "$program")/findings
mkdir -p "$findings"
found=$(mktemp -d)  # or libFuzzer would write what it finds worth keeping into the corpus
trap 'rm -rf "$found"' EXIT
"$program" "$target" -seed=1 -runs="$runs" -max_total_time=60 -artifact_prefix="$findings/$target-" \
    -dict="$(dirname "$0")/words.dict" -print_final_stats=1 "$found" "$(dirname "$0")/corpus/$target"
