#!/bin/sh
# The comparison with real GPUs on its invented tables: make.py makes the same tables again, berth's tables of errors
# are those of the plain model, and wrong speeds change them.
set -eu
berth=$1 python=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$(dirname "$0")/../experiments/hardware"
"$python" -B invented/make.py "$folder/invented"
diff -r -x make.py -x README.md -x __pycache__ "$folder/invented" invented
compare() {
    "$python" -B compare.py invented "$2" --sensitivity --out "$folder/$1" > "$folder/$1.txt"
    grep -q '</svg>' "$folder/$1/speeds-1/errors.svg"
    sed -i '/^figure: /d' "$folder/$1.txt"
}
compare model --model
compare berth "--berth=$berth"
cat "$folder/model.txt"
[ "$(grep '^mean of all' "$folder/model.txt" | sort -u | wc -l)" -eq 10 ]
diff "$folder/model.txt" "$folder/berth.txt"
