#!/usr/bin/env bash
# What hwloc's lstopo says of a machine's memory is another amount for hwloc's own descriptions of machines.
#
# Seen with hwloc 2.9.0 of Debian 12:
# - lstopo writes 80GB for 80 GiB: its GB are 2^30 bytes.
# - In a synthetic description, which lstopo -i and many tests and simulators take, memory=80GB is 80 * 10^9 bytes, of
#   which lstopo then says 75GB. Who describes a machine by what lstopo says of it has one with 7 % less memory.
# - memory=17179869184GiB, 2^64 bytes, is taken without an error, and is a machine without any memory.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
apt-get download hwloc-nox=2.9.0-1 libhwloc15=2.9.0-1 > /dev/null 2>&1
for package in *.deb; do dpkg -x "$package" .; done
lstopo=$place/usr/bin/lstopo-no-graphics
export LD_LIBRARY_PATH
LD_LIBRARY_PATH=$(dirname "$(find "$place" -name 'libhwloc.so.15')")
for memory in 80GiB 80GB 75GB 17179869184GiB; do
    machine="pack:1 [numa(memory=$memory)] core:1 pu:1"
    echo "$memory is $("$lstopo" -i "$machine" --of synthetic | grep -o 'NUMANode[^]]*')" \
        "and written $("$lstopo" -i "$machine" --of console --no-legend | grep -o 'NUMANode.*')"
done | tee seen
diff - seen <<'SEEN'
80GiB is NUMANode(memory=85899345920) and written NUMANode L#0 (P#0 80GB)
80GB is NUMANode(memory=80000000000) and written NUMANode L#0 (P#0 75GB)
75GB is NUMANode(memory=75000000000) and written NUMANode L#0 (P#0 70GB)
17179869184GiB is NUMANode and written NUMANode L#0 (P#0)
SEEN
