#!/usr/bin/env bash
# Compares which devices a job gets by allocator: the same jobs under first-fit, the group allocator and the joint
# allocator, greedy and exact, at three loads; then jobs that demand an NVLink island, and jobs that demand a NIC beside
# each GPU. Prints a table, and makes a report with the runs side by side.
# usage: compare.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/../.."
berth=build/release/berth
out=${1:-out/devices}
mkdir -p "$out"

reserve=spec.scheduler.profile.reserve
header="replication-means,pods_finished,pods_dropped,same_pcie,same_nvlink,same_nvlink_attainable,\
nic_beside,free_gpus_broken"

# Prints the means over the replications of some metrics of a run, as one line of the table.
line() { # FOLDER
    awk -F, -v wanted="$header" -v name="$(basename "$1")" '
        NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; n = split(wanted, metric, ","); next }
        { for (i = 2; i <= n; ++i) if ($column[metric[i]] != "") {
              sum[i] += $column[metric[i]]; count[i] += 1 } }
        END { printf "%-34s", name
              for (i = 2; i <= n; ++i)
                  if (count[i]) printf "%11.3f", sum[i] / count[i]; else printf "%11s", "-"
              print "" }' "$1/replications.csv"
}

runs=()
run() { # NAME EXPERIMENT ALLOCATOR [OPTION...]
    local name=$1 experiment=$2 allocator=$3
    shift 3
    "$berth" run "experiments/devices/$experiment.yaml" -o "$out/$name" --quiet \
        --set "metadata.name=$name" --set "$reserve=[$allocator]" "$@" > "$out/$name.log"
    rm "$out/$name.log"
    line "$out/$name"
    runs+=("$out/$name")
}

printf '%-34s%11s%11s%11s%11s%11s%11s%11s\n' run finished dropped same-pcie same-nvl. \
    attainable nic-beside broken
for mean in 240s 180s 150s; do
    arrivals=(--set "spec.workload[0].generate.arrivals.mean=$mean")
    run "first-fit-every-$mean" jobs first-fit "${arrivals[@]}"
    run "group-greedy-every-$mean" jobs group-allocator "${arrivals[@]}"
    run "group-exact-every-$mean" jobs "{name: group-allocator, solver: exact}" "${arrivals[@]}"
    run "joint-greedy-every-$mean" jobs device-allocator "${arrivals[@]}"
    run "joint-exact-every-$mean" jobs "{name: device-allocator, solver: exact}" "${arrivals[@]}"
done
for solver in greedy exact; do
    run "islands-group-$solver" islands \
        "{name: group-allocator, rules: published, solver: $solver}"
done
for solver in greedy exact; do
    run "nics-joint-$solver" nics "{name: device-allocator, rules: published, solver: $solver}"
done

"$berth" report "${runs[@]}" -o "$out/report.html"
echo
echo "The report: $(cd "$out" && pwd)/report.html"
