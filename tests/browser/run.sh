#!/bin/sh
# Makes report pages with BERTH and drives them in Chromium: run.sh BERTH [RUN_DIRECTORY...]
# Without directories, it uses the small run and the small sweep kept here. Each directory has its own page, and all
# together have another one.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
berth=$1
shift
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
if [ $# -eq 0 ]; then
    mkdir "$pages/sweep"
    "$berth" report "$here/data/tiny-sweep" -o "$pages/sweep/report.html"
    "$berth" plot "$here/data/tiny-sweep" --figure lines -o "$pages/sweep/lines.csv"
    node "$here/sweep_check.mjs" "$pages/sweep/report.html" "$pages/sweep/lines.csv"
    set -- "$here/data/tiny-run"
fi
"$berth" report "$@" -o "$pages/all.html"
count=0
for run in "$@"; do
    count=$((count + 1))
    "$berth" report "$run" -o "$pages/$count.html"
done
node "$here/report_test.mjs" "$pages"/*.html
