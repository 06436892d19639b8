#!/usr/bin/env bash
# A cluster's GraphML that went through igraph says things of its servers that nobody said.
#
# Seen with networkx 3.6.1, which wrote the file, and igraph 1.0.0 (Python), which read it and wrote it again:
# - A server without an attribute of type boolean or string has one afterwards: `false`, and the empty text. Only a
#   missing number stays missing. So a server of which nobody said whether it is `ready` is not ready.
# - Numbers of type long become doubles, and are written with fifteen digits: 9007199254740993 bytes (8 Pi and 1) are
#   read as ...992 and come back as ...990. Up to 10^15 they are exact.
# - The ids of nodes, which are the servers' names, are replaced by n0, n1; the names are an attribute `id` then.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check networkx==3.6.1 igraph==1.0.0
cd "$place"
cat > seen.py <<'PYTHON'
import igraph
import networkx

cluster = networkx.Graph()
cluster.add_node("server-1", memory=9_007_199_254_740_993, ready=True, rack="a")
cluster.add_node("server-0")
cluster.add_edge("server-1", "server-0", width=3)
networkx.write_graphml(cluster, "cluster.graphml")
igraph.Graph.Read_GraphML("cluster.graphml").write_graphml("again.graphml")
for file in ("cluster.graphml", "again.graphml"):
    for node, attributes in networkx.read_graphml(file).nodes(data=True):
        print(file, node, *(f"{key}={value!r}" for key, value in sorted(attributes.items())))
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
cluster.graphml server-1 memory=9007199254740993 rack='a' ready=True
cluster.graphml server-0
again.graphml n0 id='server-1' memory=9007199254740990.0 rack='a' ready=True
again.graphml n1 id='server-0' rack='' ready=False
SEEN
