#!/usr/bin/env bash
# A training that TorchX starts without a word about memory asks Kubernetes for no memory at all, and so does each role
# of up to 1024 MB.
#
# Seen with torchx 0.7.0 and kubernetes 25.3.0 (Python), for the same roles on two of its schedulers:
# - On Kubernetes, what a role has is its limit. Its request, by which servers are chosen, is 100m of CPU and 1024M of
#   memory less, though not below 0. It takes for granted that a replica has a server for itself, of which the rest is
#   the system's. 1024 is the default of memMB of TorchX' components, such as dist.ddp and utils.sh, and the
#   documentation's example of a role has 500: both are requests of 0M. Any number of such replicas fits on a server
#   whose memory is full, and each may use its gigabyte. So it is for the named resources cpu.nano and cpu.micro.
# - On a server of 64 GB, nine replicas of 8000 MB fit, which may use 72 GB.
# - The named resources count gibibytes, and write them as M, which is a million bytes for Kubernetes and 1024 * 1024
#   for Slurm's --mem: gpu.xlarge, of 256 GiB, is limited to 244 GiB on the one and has 256 on the other.
# The documentation says of memMB "MB of ram"; that a request is less stands in a comment in the source only.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check torchx==0.7.0 kubernetes==25.3.0 setuptools==80.9.0
cd "$place"
cat > seen.py <<'PYTHON'
from kubernetes.utils import parse_quantity
from torchx.components.dist import ddp
from torchx.schedulers.kubernetes_scheduler import role_to_pod
from torchx.schedulers.slurm_scheduler import SlurmReplicaRequest
from torchx.specs import Resource, Role, resource

SERVER = parse_quantity("64G")
ROLES = {"dist.ddp by default": ddp(script="train.py", image="image").roles[0].resource}
for memory in (500, 2048, 8000):
    ROLES[f"{memory} MB"] = Resource(cpu=1, gpu=0, memMB=memory)
for name in ("cpu.nano", "cpu.micro", "gpu.xlarge"):
    ROLES[name] = resource(h=name)
for name, wanted in ROLES.items():
    role = Role(name="train", image="image", entrypoint="python", resource=wanted)
    pod = role_to_pod("train-0", role, None).spec.containers[0].resources
    request, limit = pod.requests["memory"], pod.limits["memory"]
    fit = SERVER // parse_quantity(request) if parse_quantity(request) else "any number"
    slurm = SlurmReplicaRequest.from_role("train-0", role, {}, nomem=False).sbatch_opts["mem"]
    print(f"{name}: CPU {pod.requests['cpu']} of {pod.limits['cpu']}, memory {request} of {limit} "
          f"({parse_quantity(limit) / 2**30:.2f} GiB), {fit} on 64G; Slurm {int(slurm) / 1024:.2f} GiB")
PYTHON
HOME=$place venv/bin/python -W ignore seen.py | tee seen
diff - seen <<'SEEN'
dist.ddp by default: CPU 1900m of 2000m, memory 0M of 1024M (0.95 GiB), any number on 64G; Slurm 1.00 GiB
500 MB: CPU 900m of 1000m, memory 0M of 500M (0.47 GiB), any number on 64G; Slurm 0.49 GiB
2048 MB: CPU 900m of 1000m, memory 1024M of 2048M (1.91 GiB), 62 on 64G; Slurm 2.00 GiB
8000 MB: CPU 900m of 1000m, memory 6976M of 8000M (7.45 GiB), 9 on 64G; Slurm 7.81 GiB
cpu.nano: CPU 900m of 1000m, memory 0M of 512M (0.48 GiB), any number on 64G; Slurm 0.50 GiB
cpu.micro: CPU 900m of 1000m, memory 0M of 1024M (0.95 GiB), any number on 64G; Slurm 1.00 GiB
gpu.xlarge: CPU 63900m of 64000m, memory 261120M of 262144M (244.14 GiB), 0 on 64G; Slurm 256.00 GiB
SEEN
