#!/usr/bin/env bash
# Servers that are drained, or reserved for maintenance, are IDLE for slmtop, with all their GPUs free, and a job with
# 32 GPUs on four servers has eight of them. slurmfrag counts the same GPUs as free, and 62.50G of memory as none.
#
# Seen with slmtop 0.1.0 and slurmfrag 0.1.1, with Slurm's commands printing what is given here, of six servers with
# eight GPUs each:
# - scontrol says State=IDLE+DRAIN of a server that gets no jobs any more. slmtop keeps what is before the first plus,
#   IDLE or MIXED, for RESERVED and MAINTENANCE as well, and shows the server as an empty one. Of 48 GPUs it has 34 free
#   ones, of which jobs can have four. With --free, for "nodes with at least one free GPU", it lists each server but the
#   full one, even the one that is DOWN.
# - squeue's %b is what a job asks for on each server, and %C its CPUs on all of them. Both are shown in a row, so a job
#   has 256 CPUs and 8 GPUs, of 32. %m is the memory on each server, or for each CPU, shown as the memory of the job.
# - slurmfrag, which reports fragmentation, has the same 34 GPUs as free, and a use of 29 per cent. Of jobs that wait it
#   adds up memory as far as the point: 62.50G, for 16 CPUs with 4000M each, is read as 62, without its unit, which so
#   is M, and divided by 1024. Four such jobs and one with 100G wait for 100 GiB, not for 350.
# Expected were free GPUs that Slurm would give to a job, as slmtop is for what people need to see before they submit
# one. Who looks for eight GPUs finds two IDLE servers, and waits; and logs of a cluster, which slurmfrag writes for
# trends, have free GPUs for years that nobody could use.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check slmtop==0.1.0 slurmfrag==0.1.1 PyYAML==6.0.4
cd "$place"
export TZ=UTC
mkdir bin
cat > bin/nodes <<'NODES'
gpu1 ALLOCATED allocated 8
gpu2 MIXED mixed 4
gpu3 IDLE+DRAIN drained 0
gpu4 MIXED+DRAIN draining 2
gpu5 IDLE+MAINTENANCE+RESERVED maint 0
gpu6 DOWN+DRAIN+NOT_RESPONDING down* 0
NODES
cat > bin/scontrol <<'SCONTROL'
#!/usr/bin/env bash
while read -r name state _ used; do
  echo "NodeName=$name Arch=x86_64 CoresPerSocket=32"
  echo "   CPUAlloc=$((used * 8)) CPUEfctv=64 CPUTot=64 CPULoad=0.10"
  echo "   Gres=gpu:h100:8(S:0-1)"
  echo "   RealMemory=1024000 AllocMem=$((used * 64000)) FreeMem=900000 Sockets=2 Boards=1"
  echo "   State=$state ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A"
  echo "   Partitions=gpu"
  echo "   CfgTRES=cpu=64,mem=1000G,billing=64,gres/gpu=8,gres/gpu:h100=8"
  [ "$used" = 0 ] && echo "   AllocTRES=" ||
    echo "   AllocTRES=cpu=$((used * 8)),mem=$((used * 125 / 2))G,gres/gpu=$used,gres/gpu:h100=$used"
  echo
done < "$(dirname "$0")/nodes"
SCONTROL
cat > bin/sinfo <<'SINFO'
#!/usr/bin/env bash
while read -r name _ state used; do
  printf '%-40s%-20s%-25s%-20s%-20s%-80s%-80s\n' "$name" "$state" "$((used * 8))/$((64 - used * 8))/0/64" 1024000 \
    "$((used * 64000))" "gpu:h100:8(S:0-1)" "gpu:h100:$used(IDX:$([ "$used" = 0 ] && echo N/A || echo 0-$((used - 1))))"
done < "$(dirname "$0")/nodes"
SINFO
cat > bin/squeue <<'SQUEUE'
#!/usr/bin/env bash
case "$*" in
*"tres:100"*)
  for wait in 62.50G 62.50G 62.50G 62.50G 100G; do
    printf '%-100s%-30s\n' "cpu=16,mem=$wait,node=1,billing=16,gres/gpu=2" Resources
  done
  ;;
*"-t R"*) echo 7 ;;
*) echo '8|ann|PD|gpu|train||4|256|500G|gres/gpu:8|0:00|1-00:00:00|(Resources)' ;;
esac
SQUEUE
chmod +x bin/scontrol bin/sinfo bin/squeue
export PATH="$place/bin:$PATH"
{
  venv/bin/slmtop --free | sed 's/ *$//'
  venv/bin/python - <<'PYTHON'
from slurmfrag.collectors import SlurmCollector

found = SlurmCollector().collect_partition("gpu").to_dict()
print("slurmfrag:", found["summary"]["gpu"])
print("slurmfrag, servers:", found["summary"]["nodes_by_state"])
print("slurmfrag, waiting:", found["queue"]["pending_jobs"], "jobs,", found["queue"]["pending_resources"])
PYTHON
} | tee seen
diff - seen <<'SEEN'
slmtop  nodes 5  |  gpu free 34/40  |  cpu free 272/320

NODE  PARTITION  GPU_USE               CPU_FREE  CPU_USE           STATE
----  ---------  --------------------  --------  ----------------  -----
gpu2  gpu        [#####.....] 4/8 50%  32/64     [#####.....] 50%  MIXED
gpu3  gpu        [..........] 0/8 0%   64/64     [..........] 0%   IDLE
gpu4  gpu        [##........] 2/8 25%  48/64     [##........] 25%  MIXED
gpu5  gpu        [..........] 0/8 0%   64/64     [..........] 0%   IDLE
gpu6  gpu        [..........] 0/8 0%   64/64     [..........] 0%   DOWN

------------------------------------------------------------------------

JOBID  USER  STATE    GPU  MEM   CPU  NODE  PARTITION  TIME  NAME
-----  ----  -------  ---  ----  ---  ----  ---------  ----  -----
8      ann   PENDING  8    500G  256  -     gpu        0:00  train
slurmfrag: {'total': 48, 'used': 14, 'free': 34, 'utilization_pct': 29.2}
slurmfrag, servers: {'allocated': 1, 'mixed': 1, 'drain': 2, 'maint': 1, 'down': 1}
slurmfrag, waiting: 5 jobs, {'gpus': 10, 'cpus': 80, 'memory_gb': 100}
SEEN
