#!/bin/sh
# Runs the tests of the command line again, keeps every run directory that they make, and recomputes
# them. Whether they pass is not asked here. Without BERTH_LONG it leaves out tests whose runs
# are many and alike: ready.sh has the experiments of two with fewer replications, and those of
# closed forms, twenty replications of a long run each, are held to their formulas.
#   runs_of_tests.sh PYTHON CLI_TESTS
set -eu
python=$1 tests=$2
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

which='~"random backgrounds*" ~"*SIGKILL*" ~[closed-forms]'
[ -z "${BERTH_LONG:-}" ] || which='*'
BERTH_KEEP_RUNS="$folder/runs" "$tests" "$which" >"$folder/out" || tail -n 3 "$folder/out"
"$python" "$here/recompute.py" --intact --least 250 "$folder/runs"
