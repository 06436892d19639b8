#!/usr/bin/env bash
# An amount of bytes in a GML file of networkx is a number up to 2 GiB less one byte, and a text above.
#
# Seen with networkx 3.6.1 and igraph 1.0.0 (Python):
# - write_gml() puts integers from 2^31 on into quotes, and read_gml() does not take them out: of one attribute, small
#   servers have an int afterwards, and large ones a str. The documentation says that int is written as GML requires it,
#   and names no bound.
# - A sum over all servers is a TypeError, which is seen; a sum over those with an int lacks most of the memory.
# - igraph reads the file and makes texts of all amounts once one is a text. The server with most memory is then the
#   first by its digits: one with 80 GiB before one with 512 GiB.
# - igraph itself writes such amounts as numbers, and networkx reads those as numbers, so only the writer decides.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check networkx==3.6.1 igraph==1.0.0
cd "$place"
cat > seen.py <<'PYTHON'
import igraph
import networkx

GIB = 2**30
cluster = networkx.Graph()
for name, memory in (("switch", GIB), ("edge", 2 * GIB - 1), ("small", 80 * GIB), ("large", 512 * GIB)):
    cluster.add_node(name, memory=memory)
networkx.write_gml(cluster, "cluster.gml")
again = networkx.read_gml("cluster.gml").nodes(data="memory")
for name, memory in again:
    print(f"networkx, {name}: {memory!r}")
print("networkx, sum of integers:", sum(memory for _, memory in again if isinstance(memory, int)))
graph = igraph.Graph.Read_GML("cluster.gml")
print("igraph:", graph.vs["memory"])
print("igraph, most memory:", max(graph.vs, key=lambda server: server["memory"])["label"])
graph.vs["memory"] = [memory for _, memory in cluster.nodes(data="memory")]
graph.write_gml("igraph.gml")
print("igraph's file in networkx:", [memory for _, memory in networkx.read_gml("igraph.gml").nodes(data="memory")])
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
networkx, switch: 1073741824
networkx, edge: 2147483647
networkx, small: '85899345920'
networkx, large: '549755813888'
networkx, sum of integers: 3221225471
igraph: ['1073741824', '2147483647', '85899345920', '549755813888']
igraph, most memory: small
igraph's file in networkx: [1073741824, 2147483647, 85899345920, 549755813888]
SEEN
