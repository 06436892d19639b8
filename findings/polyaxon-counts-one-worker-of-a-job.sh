#!/usr/bin/env bash
# A training on 57 GPUs is one with a single GPU for Polyaxon, which adds up what the replicas of a job ask for, and one
# on 64 GPUs is one with eight GPUs, one CPU and one gibibyte.
#
# Seen with polyaxon 2.18.0 and clipped 0.14.0 (Python), by get_resources() of the jobs that its specification has;
# Polyaxon's server, haupt 2.18.0, keeps the answer as the run's CPUs, memory and GPUs, by which runs are listed:
# - For each replica, what its container asks for is added to what there is so far. The sum of two amounts is the first
#   of them if that is not zero, since `or` binds less than the plus beside it: 8 and 8 are 8, and 0 and 8 are 8.
# - So a job of seven equal workers has the GPUs of one. A PyTorchJob, whose master comes first, has the master's CPUs,
#   memory and GPUs, whatever its workers have. An MPIJob with a launcher without GPUs, and a RayCluster with such a
#   head, have the CPUs and memory of the launcher or head, and the GPUs of one worker, a mixture that no pod asks for.
#   In a DaskCluster the workers come first, and the scheduler is nothing.
# - Of what is neither CPUs, memory nor GPUs, such as slices of GPUs and local disks, only the last named counts, and as
#   nothing if it has a unit: two slices are 2 after a disk of 10Gi, and 0 before it. Of two kinds of GPUs in one
#   container, the last counts.
# Expected was the sum, for which there is a loop over all replicas. Nothing is said, and a job with one replica is
# right. A quota of GPUs, or a bill, made of these numbers is for one worker, however many there are.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check polyaxon==2.18.0 clipped==0.14.0
cd "$place"
export HOME="$place"
cat > seen.py <<'PYTHON'
from polyaxon.schemas import V1Component

GPU = "nvidia.com/gpu"
SMALL = {"cpu": "1", "memory": "1Gi"}
MASTER = {"cpu": "4", "memory": "16Gi", GPU: 1}
LARGE = {"cpu": "32", "memory": "256Gi", GPU: 8}


def part(replicas, requests):
    return {"replicas": replicas, "container": {"image": "train", "resources": {"requests": requests}}}


def counted(run):
    return V1Component.read({"kind": "component", "run": run}).run.get_resources()


def requests(one):
    return one["container"]["resources"]["requests"]


def asked(parts):
    amounts = [(int(wish["cpu"]), int(wish["memory"].removesuffix("Gi")), wish.get(GPU, 0))
               for one in parts.values() for wish in [requests(one)] * one["replicas"]]
    return "{} CPUs, {}Gi, {} GPUs".format(*map(sum, zip(*amounts)))


def show(kind, parts, **run):
    seen = counted({"kind": kind, **(run or parts)})
    what = ", ".join(f"{one['replicas']} {name}" for name, one in parts.items())
    print(f"{kind}, {what}: asks for {asked(parts)}; "
          f"counted {seen.cpu:g} CPUs, {seen.memory / 2**30:g}Gi, {seen.gpu:g} GPUs")


show("pytorchjob", {"master": part(1, MASTER), "worker": part(7, LARGE)})
show("pytorchjob", {"worker": part(7, LARGE)})
show("pytorchjob", {"worker": part(1, LARGE)})
show("mpijob", {"launcher": part(1, SMALL), "worker": part(8, LARGE)})
show("tfjob", {"ps": part(2, SMALL), "worker": part(8, LARGE)})
head, workers = part(1, SMALL), part(8, LARGE)
show("raycluster", {"head": head, "workers": workers},
     head={"container": head["container"]}, workers={"large": workers})
show("daskcluster", {"worker": part(8, LARGE), "scheduler": part(1, SMALL)})
for wish in (
    {"nvidia.com/mig-1g.5gb": 2, "ephemeral-storage": "10Gi"},
    {"ephemeral-storage": "10Gi", "nvidia.com/mig-1g.5gb": 2},
    {GPU: 8, "amd.com/gpu": 1},
):
    seen = counted({"kind": "job", **{"container": part(1, wish)["container"]}})
    print(f"job, {wish}: counted {seen.gpu:g} GPUs, {seen.custom:g} others")
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
pytorchjob, 1 master, 7 worker: asks for 228 CPUs, 1808Gi, 57 GPUs; counted 4 CPUs, 16Gi, 1 GPUs
pytorchjob, 7 worker: asks for 224 CPUs, 1792Gi, 56 GPUs; counted 32 CPUs, 256Gi, 8 GPUs
pytorchjob, 1 worker: asks for 32 CPUs, 256Gi, 8 GPUs; counted 32 CPUs, 256Gi, 8 GPUs
mpijob, 1 launcher, 8 worker: asks for 257 CPUs, 2049Gi, 64 GPUs; counted 1 CPUs, 1Gi, 8 GPUs
tfjob, 2 ps, 8 worker: asks for 258 CPUs, 2050Gi, 64 GPUs; counted 1 CPUs, 1Gi, 8 GPUs
raycluster, 1 head, 8 workers: asks for 257 CPUs, 2049Gi, 64 GPUs; counted 1 CPUs, 1Gi, 8 GPUs
daskcluster, 8 worker, 1 scheduler: asks for 257 CPUs, 2049Gi, 64 GPUs; counted 32 CPUs, 256Gi, 8 GPUs
job, {'nvidia.com/mig-1g.5gb': 2, 'ephemeral-storage': '10Gi'}: counted 0 GPUs, 0 others
job, {'ephemeral-storage': '10Gi', 'nvidia.com/mig-1g.5gb': 2}: counted 0 GPUs, 2 others
job, {'nvidia.com/gpu': 8, 'amd.com/gpu': 1}: counted 1 GPUs, 0 others
SEEN
