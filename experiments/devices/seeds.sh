#!/usr/bin/env bash
# Answers the examples of the two documents about the inside of a server. seed-1.jsonl has those of "Group Allocator"
# and one that its greedy search misses, seed-4.jsonl those of "Device Allocate Hint APIs" and one that the published
# program refuses. The last two of each file are greedy and exact.
# usage: seeds.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
for seed in seed-1 seed-4; do
    echo "== $seed"
    build/release/berth allocate --jsonl < "experiments/devices/$seed.jsonl"
done
