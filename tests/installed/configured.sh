#!/bin/sh
# Checks that CMake says in one line what is missing for the page or for the Python package, and that it needs neither
# npm nor its packages if the page's scripts are ready, as in the source archive.
#   configured.sh
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d "${TMPDIR:-/tmp}/berth-configured.XXXXXX")
trap 'rm -rf "$work"' EXIT
fail() { echo "configured.sh: $*" >&2; exit 1; }

# The project without the packages that npm installed.
mkdir "$work/berth"
tar -c --exclude=node_modules core sim schedulers topologies workloads experiments CMakeLists.txt LICENSE README.md | tar -x -C "$work/berth"
configure() { cmake -S "$work/berth" -B "$work/build" -DBERTH_TESTS=OFF -DBERTH_NPM=/nowhere/npm "$@" >"$work/said" 2>&1; }
says() { grep -qx "  *$1" "$work/said" || { cat "$work/said"; fail "CMake does not say: $1"; }; }

configure && fail "it configures without npm"
says "npm is missing: install it (Debian: npm), or build from the source archive"

touch "$work/berth/experiments/program/report/page.js" "$work/berth/experiments/program/report/paper.js"
configure || { cat "$work/said"; fail "it does not configure where the page's scripts are ready"; }

configure -DBERTH_PYTHON=ON -DPython_INCLUDE_DIR=/nowhere && fail "it configures without Python's headers"
says "Python 3.9 or later has no headers: install them (Debian: python3-dev)"
