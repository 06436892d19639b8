#!/usr/bin/env bash
# Searches for inputs on which a reader fails: builds the preset fuzz, runs each target for a time on its
# corpus and on the inputs that earlier calls found worth keeping (build/fuzz/corpus), two targets at once,
# and prints a table. Ends with 1 if something was found, and says how to run it again.
#   tests/fuzz/run.sh                          every target for a minute
#   tests/fuzz/run.sh --seconds 3600 yaml      these targets for an hour
#   tests/fuzz/run.sh --keep [TARGET...]       instead puts into tests/fuzz/corpus the least set of small
#                                              inputs that reaches all code that was reached
set -euo pipefail
cd "$(dirname "$0")/../.."

seconds=60 keep=no targets=()
while [ $# -gt 0 ]; do
    case "$1" in
        --seconds) seconds=${2:?expected a number of seconds}; shift 2 ;;
        --keep) keep=yes; shift ;;
        -*) echo "run.sh: unknown option $1: expected --seconds N or --keep" >&2; exit 2 ;;
        *) targets+=("$1"); shift ;;
    esac
done
if [ ${#targets[@]} -eq 0 ]; then
    mapfile -t targets < <(sed -nE 's/^BERTH_FUZZ_TARGET\(([a-z_]+),.*/\1/p' tests/fuzz/targets.def)
fi

cmake --preset fuzz -DBERTH_TESTS=ON >/dev/null
cmake --build --preset fuzz --target berth_fuzz >&2
export program=build/fuzz/berth_fuzz logs=build/fuzz/logs findings=build/fuzz/findings seconds
mkdir -p "$logs" "$findings"

look() { # TARGET
    mkdir -p "build/fuzz/corpus/$1"
    local dictionary=tests/fuzz/words.dict
    "$program" "$1" -max_total_time="$seconds" -artifact_prefix="$findings/$1-" -dict="$dictionary" \
        -print_final_stats=1 "build/fuzz/corpus/$1" "tests/fuzz/corpus/$1" >"$logs/$1" 2>&1
}
export -f look

keep() { # TARGET
    local kept
    kept=$(mktemp -d)
    "$program" "$1" -merge=1 -artifact_prefix="$findings/$1-" "$kept" \
        "tests/fuzz/corpus/$1" "build/fuzz/corpus/$1" >"$logs/$1-merge" 2>&1
    python3 tests/fuzz/keep.py "$kept" "tests/fuzz/corpus/$1"
    rm -r "$kept"
}
export -f keep

if [ "$keep" = yes ]; then
    for target in "${targets[@]}"; do keep "$target"; done
    exit
fi
printf '%s\n' "${targets[@]}" | xargs -P 2 -I{} bash -c 'look {} || true'
python3 tests/fuzz/table.py "$logs" "$findings" "$program" "${targets[@]}"
