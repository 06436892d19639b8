#!/bin/sh
# Makes report pages with BERTH and drives them in Chromium: run.sh BERTH [RUN_DIRECTORY...]
# Without directories, the small run kept here. Each directory has its page; all have one more.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
berth=$1
shift
[ $# -gt 0 ] || set -- "$here/data/tiny-run"
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
"$berth" report "$@" -o "$pages/all.html"
count=0
for run in "$@"; do
    count=$((count + 1))
    "$berth" report "$run" -o "$pages/$count.html"
done
node "$here/report_test.mjs" "$pages"/*.html
