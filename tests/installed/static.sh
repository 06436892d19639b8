#!/bin/sh
# Checks that the statically linked program needs no other file, writes the same bytes as the other program, and says in
# one line that it loads no library.
#   static.sh BERTH STATIC LIBRARY    LIBRARY: a shared library with a scheduler for Batsim
set -eu
cd "$(dirname "$0")/../.."
berth=$1
static=$2
library=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/berth-static.XXXXXX")
trap 'rm -rf "$work"' EXIT
fail() { echo "static.sh: $*" >&2; exit 1; }

! readelf --wide --program-headers --dynamic "$static" | grep -E 'INTERP|NEEDED' || fail "$static needs a loader or a library"

for program in "$berth" "$static"; do
    "$program" run docs/examples/training.yaml --quiet -o "$work/$(basename "$program")"
done
cmp "$work/$(basename "$berth")/manifest.json" "$work/$(basename "$static")/manifest.json" ||
    fail "the two programs write other bytes"

set -- run docs/examples/training.yaml --quiet --allow-code --set "spec.scheduler={batsim: $library}" -o "$work/loaded"
said=$("$static" "$@" 2>&1) && fail "it loaded $library"
[ "$said" = "$library: error: it cannot be loaded, because this program is linked statically: expected the program berth that \
is linked with shared libraries, or the Python package" ] || fail "it says: $said"
said=$("$berth" "$@" 2>&1) || case $said in *"linked statically"*) fail "$berth: $said" ;; esac
