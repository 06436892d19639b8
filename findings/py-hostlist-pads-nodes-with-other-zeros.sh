#!/usr/bin/env bash
# py-hostlist, which reads Slurm's lists of nodes, names nodes that the list does not have: it takes each zero of the
# first number of a range for a leading one.
#
# Seen with py-hostlist 0.0.2.dev0 beside python-hostlist 2.3.0 and ClusterShell 1.10.1, which agree with each other:
# - gpu[0-3], as clusters that count from zero have it, is gpu00 to gpu03. gpu[8-9,100-101] is gpu008, gpu009 and two
#   that are right: the zeros of 100 are put before 8. gpu[10-12,8-9] has gpu08.
# - gpu[098-101], which has a leading zero, loses it: only numbers that have no more digits than there are zeros get
#   any. Its first nodes are gpu98 and gpu99. A single gpu[07] is gpu7.
# - gpu[1-2],cpu[1-2] is gpu1, gpu2 and twice cpu[1-2] as it was: what follows the first brackets is taken for an ending
#   of all nodes, so half of the nodes are missing. Without a look at the names their number seems right.
# - gpu[1-3], and gpu[01-10], are right. Nothing is refused.
# Both packages have a module `hostlist`, so each is in an environment of its own.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv one
one/bin/pip install --quiet --disable-pip-version-check py-hostlist==0.0.2.dev0
python3 -m venv others
others/bin/pip install --quiet --disable-pip-version-check python-hostlist==2.3.0 ClusterShell==1.10.1
cat > lists <<'TEXT'
gpu[1-3]
gpu[01-10]
gpu[0-3]
gpu[8-9,100-101]
gpu[10-12,8-9]
gpu[098-101]
gpu[07]
gpu[1-2],cpu[1-2]
TEXT
cat > one.py <<'PYTHON'
from hostlist import hostlist

for line in open("lists"):
    print("py-hostlist:", hostlist.expand(line.strip()))
PYTHON
cat > others.py <<'PYTHON'
import hostlist
from ClusterShell.NodeSet import NodeSet

for line in open("lists"):
    nodes = hostlist.expand_hostlist(line.strip())
    print(f"{line.strip()} is {','.join(nodes)}")
    assert set(nodes) == set(NodeSet(line.strip()))
PYTHON
others/bin/python others.py > right
one/bin/python one.py > wrong
paste -d '\n' right wrong | tee seen
diff - seen <<'SEEN'
gpu[1-3] is gpu1,gpu2,gpu3
py-hostlist: gpu1,gpu2,gpu3
gpu[01-10] is gpu01,gpu02,gpu03,gpu04,gpu05,gpu06,gpu07,gpu08,gpu09,gpu10
py-hostlist: gpu01,gpu02,gpu03,gpu04,gpu05,gpu06,gpu07,gpu08,gpu09,gpu10
gpu[0-3] is gpu0,gpu1,gpu2,gpu3
py-hostlist: gpu00,gpu01,gpu02,gpu03
gpu[8-9,100-101] is gpu8,gpu9,gpu100,gpu101
py-hostlist: gpu008,gpu009,gpu100,gpu101
gpu[10-12,8-9] is gpu10,gpu11,gpu12,gpu8,gpu9
py-hostlist: gpu08,gpu09,gpu10,gpu11,gpu12
gpu[098-101] is gpu098,gpu099,gpu100,gpu101
py-hostlist: gpu98,gpu99,gpu100,gpu101
gpu[07] is gpu07
py-hostlist: gpu7
gpu[1-2],cpu[1-2] is gpu1,gpu2,cpu1,cpu2
py-hostlist: gpu1,cpu[1-2],gpu2,cpu[1-2]
SEEN
