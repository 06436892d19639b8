#!/bin/sh
# Drives the report of two invented runs with devices in Chromium: devices.sh BERTH DEVICE_RUN
# DEVICE_RUN is the program that invents these runs (device_run.cpp).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
berth=$1
invent=$2
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
"$invent" "$runs/greedy" greedy
"$invent" "$runs/exact" exact
"$berth" report "$runs/greedy" "$runs/exact" -o "$runs/both.html"
node "$here/report_test.mjs" "$runs/both.html"
