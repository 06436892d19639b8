#!/usr/bin/env bash
# A job that QToolKit starts with 4 GiB for each of 32 CPUs has 128 GiB for each of them when QToolKit asks PBS, and
# 4 GiB for all of them together, or for each, when it asks Slurm, as one asks.
#
# Seen with qtoolkit 0.1.7, by which Python programs speak with Slurm, PBS and Grid Engine in the same way; its two
# fields are documented as "Job memory in Kb" and "Job memory per CPU in Kb":
# - On PBS it asks for select=1:ncpus=32:...:mem=131072mb, and PBS then has a Resource_List.mem of 128gb, which is that
#   of the whole job. It is read as memory_per_cpu, and memory stays empty: multiplied by the CPUs, it is 4 TiB.
# - On Slurm it asks for --mem-per-cpu=4096. For one job it reads MinMemoryCPU=4G of scontrol, and has it as memory, so
#   that all 32 CPUs have 4 GiB. A list of jobs is from squeue, whose %m is 4G, too, and has it as memory_per_cpu.
# - For jobs that asked with --mem, %m is that of each server. It is memory_per_cpu as well, 128 GiB for each of 32
#   CPUs, and MinMemoryNode of the same job is not read, so that one query has 4 TiB and the other nothing.
# One job so has a 32nd, the same, or 32 times of its memory, by the scheduler and by whether it is asked for alone. If
# one gives what was read of a job to the next one as memory_per_thread, it asks for more than any server has.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check qtoolkit==0.1.7
cd "$place"
cat > seen.py <<'PYTHON'
from qtoolkit.core.data_objects import ProcessPlacement, QResources
from qtoolkit.io.pbs import PBSIO
from qtoolkit.io.slurm import SlurmIO

pbs, slurm = PBSIO(), SlurmIO()


def shown(name, job):
    read = job.info
    of_all, of_each = (None if kib is None else f"{kib / 2**20:g} GiB" for kib in (read.memory, read.memory_per_cpu))
    print(f"{name}: CPUs {read.cpus}, memory {of_all}, memory_per_cpu {of_each}")


wanted = QResources(memory_per_thread=4096, nodes=1, processes_per_node=32, time_limit=86400,
                    process_placement=ProcessPlacement.EVENLY_DISTRIBUTED)
for name, scheduler in (("PBS", pbs), ("Slurm", slurm)):
    script = scheduler.get_submission_script("true", options=wanted)
    print(f"{name} is asked:", *(line.split(maxsplit=1)[1] for line in script.splitlines() if "mem" in line))

qstat = """Job Id: 7.pbs
    Job_Name = train
    Job_Owner = u@login
    job_state = R
    queue = gpu
    Resource_List.mem = 128gb
    Resource_List.ncpus = 32
    Resource_List.nodect = 1
    Resource_List.select = 1:ncpus=32:mpiprocs=32:mem=131072mb
    Resource_List.walltime = 24:00:00
"""
shown("PBS, qstat -f", pbs.parse_job_output(0, qstat, ""))
for name, amount, told in (("--mem-per-cpu=4G", "4G", "MinMemoryCPU"), ("--mem=128G", "128G", "MinMemoryNode")):
    squeue = {"job_id": "7", "state_raw": "R", "annotation": "None", "job_name": "train", "username": "u",
              "partition": "gpu", "time_limit": "1-00:00:00", "number_nodes": "1", "number_cpus": "32",
              "time_used": "1:00:00", "min_memory": amount}
    line = slurm.split_separator.join(squeue[field] for _, field in slurm.squeue_fields)
    shown(f"Slurm, {name}, squeue", slurm.parse_jobs_list_output(0, line + "\n", "")[0])
    scontrol = ("JobId=7 JobName=train UserId=u(1000) JobState=RUNNING TimeLimit=1-00:00:00 Partition=gpu NumNodes=1 "
                f"NumCPUs=32 NumTasks=32 CPUs/Task=1 {told}={amount} MinTmpDiskNode=0\n")
    shown(f"Slurm, {name}, scontrol", slurm.parse_job_output(0, scontrol, ""))
PYTHON
venv/bin/python -W ignore seen.py | tee seen
diff - seen <<'SEEN'
PBS is asked: -l select=1:ncpus=32:mpiprocs=32:mem=131072mb
Slurm is asked: --mem-per-cpu=4096
PBS, qstat -f: CPUs 32, memory None, memory_per_cpu 128 GiB
Slurm, --mem-per-cpu=4G, squeue: CPUs 32, memory None, memory_per_cpu 4 GiB
Slurm, --mem-per-cpu=4G, scontrol: CPUs 32, memory 4 GiB, memory_per_cpu None
Slurm, --mem=128G, squeue: CPUs 32, memory None, memory_per_cpu 128 GiB
Slurm, --mem=128G, scontrol: CPUs 32, memory None, memory_per_cpu None
SEEN
