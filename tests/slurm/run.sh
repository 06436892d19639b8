#!/usr/bin/env bash
# A sweep through a real Slurm, which this test starts on 127.0.0.1 and ends: run.sh BERTH
#   - berth is interrupted and resumed: the array is submitted once
#   - the controller is away for a while
#   - a node dies while it computes a point
#   - a task is killed: its point is submitted again; a job is cancelled: it is not
#   - the results are those of an undisturbed run on this machine, byte for byte
#   - a Slurm that refuses, that does not answer, or that is missing leads to one line each
# With BERTH_LONG=1 the sweep has 200 points, and the node comes back. Ends with status 77 if it cannot run.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
berth=$(realpath "$1")
points=24
[ "${BERTH_LONG:-}" != 1 ] || points=200

# shellcheck source=tests/slurm/loopback.sh
. "$here/loopback.sh"

for needed in slurmctld slurmd sbatch munged setpriv; do
    if [ "$(id -u)" -ne 0 ] || ! command -v "$needed" >/dev/null || ! getent passwd munge >/dev/null; then
        echo "skipped: this test needs root and Debian's packages slurm-wlm and munge"
        exit 77
    fi
done

folder=$(mktemp -d)
chmod 711 "$folder" # munged, which runs as another user, goes through it
trap 'status=$?; [ $status -eq 0 ] || tail -n 30 "$folder"/*.err "$folder"/slurm/*.log || true; stop_slurm; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder"
fail() { echo "FAILED: $*" >&2; exit 1; }

cat >sweep.yaml <<END
apiVersion: berth/v1
kind: Sweep
metadata: {name: loopback}
spec:
  experiment:
    apiVersion: berth/v1
    kind: Experiment
    metadata: {name: small}
    spec:
      topology: {spec: {levels: [{name: rack, count: 4}, {name: server, count: 8}], machines: [{type: m}],
        machineTypes: {m: {capacity: {cpu: 16}}}}}
      types: {worker: {cpu: 2}}
      workload: [{generate: {arrivals: {distribution: exponential, mean: 4s}, service: {distribution: exponential, mean: 4m},
        until: 12h, group: {spec: {group: {size: 4, type: worker}, constraints: [{level: rack, affinity: pack, soft: true}]}}}}]
      record: {placements: false}
  axes:
    - {name: until, path: 'spec.workload[0].generate.until', values: [3000m, $(seq -s m, 60 $((points / 2 + 58)))m]}
    - {name: affinity, path: 'spec.workload[0].generate.group.spec.constraints[0].affinity', values: [pack, spread]}
  replications: 2
  slurm: {partition: debug, time: 10m, width: 50}
END

points_done() { # AT-LEAST
    [ "$(find out/points -mindepth 1 -maxdepth 1 -type d ! -name '*.*' | wc -l)" -ge "$1" ]
}

jobs_submitted() {
    squeue --noheader --states=all --format=%F | sort -u | wc -l
}

signal_tasks() { # SIGNAL [NODE]: whether there were tasks
    local process found=1
    for process in $(slurm_processes "${@:2}"); do
        if tr '\0' ' ' <"/proc/$process/cmdline" 2>/dev/null | grep -q -- '--shard' && kill "-$1" "$process"; then
            found=0
        fi
    done
    return "$found"
}

# Slurm delays the restart of a dead node's tasks by two minutes; this test does not wait for that.
hurry_requeued_tasks() {
    local task
    for task in $(squeue --noheader --array --format='%i %r' | awk '$2 == "BeginTime" { print $1 }'); do
        scontrol update "JobId=$task" StartTime=now || true
    done
}

is_one_line() { # FILE PATTERN
    [ "$(wc -l <"$1")" -eq 1 ] && grep -q -- "$2" "$1" || fail "expected one line with '$2', found: $(cat "$1")"
}

echo "== undisturbed, on this machine"
"$berth" sweep sweep.yaml -o local --quiet

echo "== what is not there, refuses, or does not answer"
status=0
PATH=/nowhere "$berth" sweep sweep.yaml -o out --slurm 2>absent.err || status=$?
[ "$status" -eq 2 ] || fail "status $status without Slurm"
is_one_line absent.err "on this machine"

mkdir slurm
start_slurm "$folder/slurm"
status=0
sed 's/partition: debug/partition: nowhere/' sweep.yaml >refused.yaml
"$berth" sweep refused.yaml -o out --slurm 2>refused.err || status=$?
[ "$status" -eq 2 ] || fail "status $status of a partition that is not there"
is_one_line refused.err "invalid partition specified: nowhere"

"$berth" sweep sweep.yaml -o out --slurm --dry-run >plan
grep -q -- "--array=0-$((points - 1))%50" plan || fail "the plan: $(cat plan)"
[ "$(jobs_submitted)" -eq 0 ] || fail "a dry run submitted a job"

echo "== interrupted, and taken up again"
# A shell starts what is in its background with interrupts ignored, and berth keeps to that.
env --default-signal=INT "$berth" sweep sweep.yaml -o out --slurm 2>first.err &
first=$!
# Tasks are stopped in the middle of their work, so that the sweep cannot end before the node has died: the first points
# take a second, and Slurm fills n1 first.
wait_until 60 signal_tasks STOP n1
wait_until 60 points_done 2
kill -INT "$first"
status=0
wait "$first" || status=$?
[ "$status" -eq 130 ] || fail "status $status after an interrupt: $(cat first.err)"
grep -q "scancel" first.err || fail "after an interrupt: $(cat first.err)"
"$berth" sweep sweep.yaml -o out --slurm 2>second.err &
second=$!
wait_until 60 grep -q "goes on" second.err
[ "$(jobs_submitted)" -eq 1 ] || fail "the array was submitted twice"

echo "== a node dies, and the controller is away for a while"
kill_node n1
end_controller
wait_until 60 grep -q "does not answer" second.err
start_controller
wait_until 60 grep -q "answers again" second.err
hurried=$SECONDS
while kill -0 "$second" 2>/dev/null; do
    if [ "${BERTH_LONG:-}" != 1 ]; then
        hurry_requeued_tasks
    elif [ "$hurried" -ge 0 ] && [ $((SECONDS - hurried)) -gt 10 ]; then
        start_node n1
        hurried=-1000
    fi
    sleep 0.2
done
wait "$second" || fail "the sweep ended with status $?: $(cat second.err)"
cat first.err second.err

echo "== the same bytes"
cmp local/results.csv out/results.csv
[ "$(wc -l <out/results.csv)" -eq $((2 * points + 1)) ] || fail "not $points points"
[ ! -e out/slurm/job.json ] || fail "a job is remembered that is over"

echo "== a task is killed, and its job submitted again"
first_point=out/points/$(awk -F, 'NR == 2 { print $2 }' out/points.csv)
rm -r "$first_point"
"$berth" sweep sweep.yaml -o out --slurm 2>third.err &
third=$!
wait_until 60 signal_tasks KILL
wait "$third" || fail "status $? after a task was killed: $(cat third.err)"
cat third.err
grep -q "submitted again" third.err || fail "after a task was killed: $(cat third.err)"
cmp local/results.csv out/results.csv

echo "== the points of a plan, one job after the other"
cat >plan.yaml <<'END'
kind: Plan
metadata: {name: servers}
spec:
  experiment:
    kind: Experiment
    spec:
      topology:
        spec:
          levels: [{name: server, count: 1}]
          machines: [{type: host}]
          machineTypes: {host: {capacity: {cpu: 1}}}
      types: {one: {cpu: 1}}
      workload:
        - generate:
            arrivals: {distribution: exponential, mean: 10s}
            service: {distribution: exponential, mean: 40s}
            count: 1000
            type: one
  choose: [{path: 'levels[server].count', range: {from: 6, to: 9, step: 1}}]
  require: ['job_wait_s_mean<=1h']
  slurm: {partition: debug}
END
"$berth" plan plan.yaml -o plan-here --json -q >here.json
before=$(jobs_submitted)
"$berth" plan plan.yaml -o plan-there --json -q --slurm >there.json 2>there.err || fail "status $?: $(cat there.err)"
cmp here.json there.json
cmp plan-here/results.csv plan-there/results.csv
[ "$(jobs_submitted)" -gt "$before" ] || fail "a plan submitted no job"

echo "== a job is cancelled"
rm -r "$first_point"
scontrol update PartitionName=debug State=DOWN
"$berth" sweep sweep.yaml -o out --slurm 2>fourth.err &
fourth=$!
wait_until 60 grep -q "submitted job" fourth.err
scancel "$(sed -n 's/.*submitted job \([0-9]*\):.*/\1/p' fourth.err)"
status=0
wait "$fourth" || status=$?
[ "$status" -eq 1 ] || fail "status $status after the job was cancelled: $(cat fourth.err)"
grep -q "was cancelled" fourth.err || fail "after the job was cancelled: $(cat fourth.err)"

end_controller
status=0
"$berth" sweep sweep.yaml -o out --slurm 2>away.err || status=$?
[ "$status" -eq 1 ] || fail "status $status without a controller"
is_one_line away.err "does not answer"

stop_slurm
[ -z "$(SLURM_CONF=$folder/slurm/slurm.conf slurm_processes)" ] || fail "processes are left"
echo "done in $SECONDS s"
