#!/bin/sh
# Drives the reports of invented runs with quotas in Chromium: quotas.sh BERTH QUOTA_RUN
# QUOTA_RUN is the program that invents these runs (quota_run.cpp).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
berth=$1
invent=$2
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
"$invent" "$runs/day"
"$invent" "$runs/patient" patient
"$invent" "$runs/large" large
sh "$here/run.sh" "$berth" "$runs/day" "$runs/patient" "$runs/large"
