#!/bin/sh
# Runs the tests of the command line again, keeps every run directory that they make, and recomputes them. It does not
# matter here whether the tests pass. Without BERTH_LONG it leaves out tests with many similar runs: ready.sh covers the
# experiments of two of them with fewer replications, and those of closed forms, with twenty replications of a long run
# each, are compared with their formulas. Tests of strange files run hundreds of commands that make no run. Of a job
# that holds places before it works, with kube-scheduler, the files do not tell since when it works, and of a job that
# trains in several leases, they tell where it was last, and not where it was before.
#   runs_of_tests.sh PYTHON CLI_TESTS
set -eu
python=$1 tests=$2
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

which='~"random backgrounds*" ~"*SIGKILL*" ~[closed-forms] ~"strange files*" ~"endless*" ~[holds-places]'
[ -z "${BERTH_LONG:-}" ] || which='~[holds-places]'
which="$which ~[leases]"
BERTH_KEEP_RUNS="$folder/runs" "$tests" "$which" >"$folder/out" || tail -n 3 "$folder/out"
"$python" "$here/recompute.py" --intact --least 250 "$folder/runs"
