#!/usr/bin/env bash
# A task of SkyPilot that needs at least 2.25 CPUs asks Kubernetes for 2.2, one of 64GB asks for seven per cent less
# memory, and is kept from servers that have room for it, and one of 50MB asks for no memory at all.
#
# Seen with skypilot 0.14.1, by the pods that it would make of tasks, and by its own check of whether they fit:
# - Kubernetes has no types of machines, so SkyPilot makes a name of CPUs and memory, such as 4CPU--16GB, and reads the
#   amounts from it afterwards. The name has one digit after the point, rounded up or down. The documentation says of
#   2.25+ "at least", and of 0.25 "exactly": the pods ask for 2.2 and 0.2. 10.25+ GB are 10.2. 0.04 CPUs are none, so
#   that any number of such pods fits on a server that is full. SkyPilot refuses such a name beside 2.25+ if a user says
#   both of them, but not where it has made the name.
# - The documentation has 2^30 bytes for GB, and Gi is taken for the same. The pod asks for the number with the suffix
#   G, which is 10^9 bytes for Kubernetes: 64GB and 64Gi are 61035 MiB, and not 65536.
# - Whether a task fits is asked before, in units of 2^30 bytes. So a server with 62.5 GiB is said to be too small for
#   64GB, though Kubernetes would place the pod there with 2.9 GiB to spare.
# - The requests of pods that run are read with 2^30 bytes for a G, too, as are those of Gi: such a pod takes 64 GiB of
#   its server in SkyPilot's list of what is free, where Kubernetes counts 59.6.
# Expected was rounding up where more is allowed, and one unit for what is asked, what is checked and what is counted.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check skypilot==0.14.1
cd "$place"
export HOME="$place" SKYPILOT_DISABLE_USAGE_COLLECTION=1
cat > seen.py <<'PYTHON'
import pathlib
import types

import jinja2
import sky
import yaml
from sky.clouds import Kubernetes
from sky.provision.kubernetes import utils

# The lines of the pod's specification that have the task's CPUs and memory in them.
template = pathlib.Path(sky.__file__).parent / "templates" / "kubernetes-ray.yml.j2"
amounts = [line for line in template.read_text().splitlines() if "{{cpus}}" in line or "{{memory}}" in line]


def pod(name):
    kind = utils.KubernetesInstanceType.from_instance_type(name)
    return yaml.safe_load(jinja2.Template("\n".join(amounts)).render(cpus=str(kind.cpus), memory=str(kind.memory)))


for cpus, memory in (("4", "16"), ("4", "64GB"), ("4", "64Gi"), ("2.25+", "10.25+"), ("0.25", "0.25"), ("0.75", "0.75"),
                     ("1", "50MB"), ("0.04", "1")):
    task = sky.Resources(cpus=cpus, memory=memory)
    name = Kubernetes.get_default_instance_type(task.cpus, task.memory)
    print(f"cpus: {cpus}, memory: {memory} is {name}, and the pod asks for {pod(name)}")

try:
    sky.Resources(infra="k8s", cpus="2.25+", instance_type="2.2CPU--10.2GB").validate()
    print("cpus: 2.25+ and 2.2CPU--10.2GB, both from a user: taken")
except ValueError:
    print("cpus: 2.25+ and 2.2CPU--10.2GB, both from a user: refused")

node = types.SimpleNamespace(
    metadata=types.SimpleNamespace(name="server", labels={}),
    status=types.SimpleNamespace(capacity={"cpu": "16", "memory": "65536000Ki"}),
    is_ready=lambda: True)
utils.get_kubernetes_nodes = lambda context=None: [node]
for name in ("4CPU--62GB", "4CPU--64GB"):
    fits, _ = utils.check_instance_fits("context", name)
    asked = float(pod(name)["memory"].removesuffix("G")) * 10**9 / 2**30
    print(f"{name} on a server with {65536000 / 2**20:g} GiB: fits {fits}, and the pod asks for {asked:.1f} GiB")
for amount in ("64G", "64Gi", "64000M", "64000000000"):
    print(f"a pod that asks for {amount}: {utils.parse_memory_resource(amount, 'G'):.4g} GiB")
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
cpus: 4, memory: 16 is 4CPU--16GB, and the pod asks for {'cpu': 4.0, 'memory': '16.0G'}
cpus: 4, memory: 64GB is 4CPU--64GB, and the pod asks for {'cpu': 4.0, 'memory': '64.0G'}
cpus: 4, memory: 64Gi is 4CPU--64GB, and the pod asks for {'cpu': 4.0, 'memory': '64.0G'}
cpus: 2.25+, memory: 10.25+ is 2.2CPU--10.2GB, and the pod asks for {'cpu': 2.2, 'memory': '10.2G'}
cpus: 0.25, memory: 0.25 is 0.2CPU--0.2GB, and the pod asks for {'cpu': 0.2, 'memory': '0.2G'}
cpus: 0.75, memory: 0.75 is 0.8CPU--0.8GB, and the pod asks for {'cpu': 0.8, 'memory': '0.8G'}
cpus: 1, memory: 50MB is 1CPU--0.0GB, and the pod asks for {'cpu': 1.0, 'memory': '0.0G'}
cpus: 0.04, memory: 1 is 0.0CPU--1GB, and the pod asks for {'cpu': 0.0, 'memory': '1.0G'}
cpus: 2.25+ and 2.2CPU--10.2GB, both from a user: refused
4CPU--62GB on a server with 62.5 GiB: fits True, and the pod asks for 57.7 GiB
4CPU--64GB on a server with 62.5 GiB: fits False, and the pod asks for 59.6 GiB
a pod that asks for 64G: 64 GiB
a pod that asks for 64Gi: 64 GiB
a pod that asks for 64000M: 62.5 GiB
a pod that asks for 64000000000: 59.6 GiB
SEEN
