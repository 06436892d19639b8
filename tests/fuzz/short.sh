#!/bin/sh
# short.sh BERTH_FUZZ TARGET SECONDS: the target on its corpus, then on mutations of it for some seconds,
# by a fixed seed. What is found lies in the folder findings beside the program.
set -eu
program=$1 target=$2 seconds=$3
findings=$(dirname "$program")/findings
mkdir -p "$findings"
found=$(mktemp -d)  # or libFuzzer would write what it finds worth keeping into the corpus
trap 'rm -rf "$found"' EXIT
"$program" "$target" -seed=1 -max_total_time="$seconds" -artifact_prefix="$findings/$target-" \
    -dict="$(dirname "$0")/words.dict" -print_final_stats=1 "$found" "$(dirname "$0")/corpus/$target"
