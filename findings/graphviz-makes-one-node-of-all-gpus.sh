#!/usr/bin/env bash
# GPUs that are named by their addresses on the PCI bus lose their links, or each other, in DOT that Python writes.
#
# Seen with graphviz 0.21, pydot 4.0.1 and networkx 3.6.1 (Python), whose DOT was read by Graphviz 16.1.0 as the npm
# package @viz-js/viz 3.31.0 has it; 0000:3b:00.0 is the name of a GPU in Linux's /sys/bus/pci/devices:
# - In DOT, a colon outside quotes parts a node from a port of it. Python's graphviz puts 0000:3b:00.0 into quotes as a
#   node, but not at the end of an edge, though it is the same text. So there are the GPUs, none of which has a link, and
#   a node 0000, which nobody named and which has the links of all: 0000 is the first part of most addresses.
# - networkx' to_pydot() has no quotes around these nodes: three GPUs are the node 0000 three times, and the memory of the
#   last one is the memory of all. At the end of a link it writes "0000:3b" with quotes, since 3b is no name in DOT, and
#   0000:d8 without, since d8 is one. So a link of two GPUs is one of a GPU that there is not, and of all GPUs.
# Nothing is said by any of them, and each drawing looks plausible. With names such as gpu0 all are right.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check graphviz==0.21 pydot==4.0.1 networkx==3.6.1
cd "$place"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @viz-js/viz@3.31.0
cat > seen.py <<'PYTHON'
import graphviz
import networkx

for kind, gpus in (("addresses", ["0000:3b:00.0", "0000:5e:00.0", "0000:d8:00.0"]), ("names", ["gpu0", "gpu1", "gpu2"])):
    drawn = graphviz.Graph()
    graph = networkx.Graph()
    for gpu, memory in zip(gpus, ("80Gi", "80Gi", "40Gi")):
        drawn.node(gpu, memory=memory)
        drawn.edge(gpu, "switch")
        graph.add_node(gpu, memory=memory)
    graph.add_edge(gpus[0], gpus[2])
    for by, dot in (("graphviz", drawn.source), ("networkx", networkx.nx_pydot.to_pydot(graph).to_string())):
        with open(f"{by}, {kind}", "w") as file:
            file.write(dot)
PYTHON
venv/bin/python -W ignore seen.py
cat > seen.mjs <<'SCRIPT'
import {readFileSync} from "node:fs";
import {instance} from "@viz-js/viz";

const viz = await instance();
for (const name of ["graphviz, addresses", "graphviz, names", "networkx, addresses", "networkx, names"]) {
    const graph = viz.renderJSON(readFileSync(name, "utf8"));
    console.log(`${name}:`, graph.objects.map((node) => `${node.name} (${node.memory ?? "no memory"})`).join(", "));
    for (const edge of graph.edges) {
        console.log("    a link of", graph.objects[edge.tail].name, "and", graph.objects[edge.head].name);
    }
}
SCRIPT
node seen.mjs | tee seen
diff - seen <<'SEEN'
graphviz, addresses: 0000:3b:00.0 (80Gi), 0000 (no memory), switch (no memory), 0000:5e:00.0 (80Gi), 0000:d8:00.0 (40Gi)
    a link of 0000 and switch
    a link of 0000 and switch
    a link of 0000 and switch
graphviz, names: gpu0 (80Gi), switch (no memory), gpu1 (80Gi), gpu2 (40Gi)
    a link of gpu0 and switch
    a link of gpu1 and switch
    a link of gpu2 and switch
networkx, addresses: 0000 (40Gi), 0000:3b (no memory)
    a link of 0000:3b and 0000
networkx, names: gpu0 (80Gi), gpu1 (80Gi), gpu2 (40Gi)
    a link of gpu0 and gpu2
SEEN
