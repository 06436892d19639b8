// Where pods of a Kubernetes cluster may run: node selectors, node affinity, taints, and the number
// of pods that a node accepts.

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

std::string node(const std::string& name, const std::string& pool, const std::string& taints = "") {
    return R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": ")" + name +
           R"(", "labels": {"pool": ")" + pool + R"(", "slots": ")" + std::to_string(name.size()) +
           R"("}}, "spec": {"taints": [)" + taints +
           R"(]}, "status": {"allocatable": {"cpu": "8", "pods": "3"}, )"
           R"("conditions": [{"type": "Ready", "status": "True"}]}})";
}

const std::string tainted = R"({"key": "team", "value": "red", "effect": "NoSchedule"})";

/// A pod; `on`: the rest of its spec, which refers to nodes.
std::string pod(const std::string& name, const std::string& on, const std::string& owner = "") {
    const bool runs = on.find("nodeName") != std::string::npos;
    return R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "lab", "name": ")" +
           name + R"(", "ownerReferences": [)" + owner + R"(]}, "spec": {)" + on +
           R"("containers": [{"resources": {"requests": {"cpu": "1"}}}]}, "status": {"phase": ")" +
           (runs ? "Running" : "Pending") + R"("}})";
}

std::string list(const std::string& pods) {
    return R"({"kind": "List", "items": [)" + node("a", "one") + ", " + node("bb", "two") + ", " +
           node("ccc", "two", tainted) + (pods.empty() ? "" : ", ") + pods + "]}";
}

std::string experiment(const std::string& sources) {
    return "kind: Experiment\nmetadata: {name: state}\nspec:\n"
           "  topology: {nodes: {format: kubernetes, file: cluster.json}}\n"
           "  types: {one: {cpu: 1}}\n  workload:\n" +
           sources + "  until: 1d\n";
}

const std::string running = "    - running: {file: cluster.json, lifetime: 1h, pending: true}\n";

std::map<std::string, std::string> nodes_of(const Folder& folder) {
    std::map<std::string, std::string> nodes;
    for (const CsvRow& row : csv_rows(folder.read("out/state/pods.csv"))) {
        nodes[row.at("pod")] = row.at("node");
    }
    return nodes;
}

std::string required(const std::string& terms) {
    return R"("affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": )"
           R"({"nodeSelectorTerms": [)" +
           terms + "]}}}, ";
}

std::string expression(const std::string& key, const std::string& op, const std::string& values) {
    return R"({"key": ")" + key + R"(", "operator": ")" + op + R"(", "values": [)" + values + "]}";
}

std::string term(const std::string& expressions) {
    return R"({"matchExpressions": [)" + expressions + "]}";
}

}  // namespace

TEST_CASE("pods on nodes: selectors, affinity and taints", "[cli][nodes]") {
    struct Row {
        std::string what;
        std::string spec;
        std::string node;  ///< Empty: it does not start.
    };
    const std::string tolerates = R"("tolerations": [{"key": "team", "operator": "Exists"}], )";
    const Row row = GENERATE_COPY(
        Row{"nothing", "", "a"},
        Row{"a node selector", R"("nodeSelector": {"pool": "two"}, )", "bb"},
        Row{"a selector of two labels", R"("nodeSelector": {"pool": "two", "slots": "1"}, )", ""},
        Row{"a selector that only a tainted node has", R"("nodeSelector": {"slots": "3"}, )", ""},
        Row{"the same, tolerated", tolerates + R"("nodeSelector": {"slots": "3"}, )", "ccc"},
        Row{"a toleration of another value",
            R"("tolerations": [{"key": "team", "value": "x"}], "nodeSelector": {"slots": "3"}, )",
            ""},
        Row{"a toleration of everything",
            R"("tolerations": [{"operator": "Exists"}], "nodeSelector": {"slots": "3"}, )",
            "ccc"},
        Row{"In", required(term(expression("pool", "In", R"("two", "three")"))), "bb"},
        Row{"NotIn", required(term(expression("pool", "NotIn", R"("one")"))), "bb"},
        Row{"NotIn of a label that no node has",
            required(term(expression("zone", "NotIn", R"("x")"))),
            "a"},
        Row{"Exists", required(term(expression("zone", "Exists", ""))), ""},
        Row{"DoesNotExist", required(term(expression("zone", "DoesNotExist", ""))), "a"},
        Row{"Gt", required(term(expression("slots", "Gt", R"("1")"))), "bb"},
        Row{"Lt", required(term(expression("slots", "Lt", R"("2")"))), "a"},
        Row{"Gt with a value that is no label's",
            required(term(expression("slots", "Gt", R"("-1")"))),
            ""},
        Row{"two terms, of which one holds",
            required(term(expression("zone", "Exists", "")) + ", " +
                     term(expression("pool", "In", R"("two")"))),
            "bb"},
        Row{"two conditions of a term",
            required(term(expression("pool", "In", R"("two")") + ", " +
                          expression("slots", "In", R"("2")"))),
            "bb"},
        Row{"an empty term", required("{}"), ""},
        Row{"an empty term, where all taints are tolerated",
            R"("tolerations": [{"operator": "Exists"}], )" + required("{}"),
            ""},
        Row{"a node's name",
            required(R"({"matchFields": [)" + expression("metadata.name", "In", R"("bb")") + "]}"),
            "bb"});
    CAPTURE(row.what);
    const Folder folder;
    folder.write("cluster.json", list(pod("p", row.spec)));
    folder.write("state.yaml", experiment(running));
    const Answer answer = folder.berth({"run", "state.yaml"});
    CHECK(answer.status == 0);
    CHECK(nodes_of(folder).at("lab/p") == row.node);
    CHECK((answer.err.find("1 pod may run on no server of this cluster") != std::string::npos) ==
          row.node.empty());
}

TEST_CASE("pods on nodes: pods of documents and of traces", "[cli][nodes]") {
    const Folder folder;
    folder.write("cluster.json", list(""));
    folder.write("pods.json",
                 R"({"kind": "List", "items": [)" +
                     pod("old", R"("nodeSelector": {"pool": "two"}, "nodeName": "bb", )") + "]}");
    folder.write("state.yaml",
                 experiment("    - pods:\n"
                            "        - {name: p, type: one, count: 1, nodeSelector: {pool: two}}\n"
                            "        - {name: q, type: one, count: 1, nodeSelector: {slots: '3'}, "
                            "tolerations: [{operator: Exists}]}\n"
                            "    - trace: {format: kubernetes, file: pods.json}\n"));
    const Answer answer = folder.berth({"run", "state.yaml"});
    CHECK(answer.status == 0);
    const auto nodes = nodes_of(folder);
    CHECK(nodes.at("p") == "bb");
    CHECK(nodes.at("q") == "ccc");
    CHECK(nodes.at("old") == "bb");
}

TEST_CASE("pods on nodes: a node takes as many pods as it says", "[cli][nodes]") {
    const Folder folder;
    folder.write("cluster.json",
                 list(pod("r", R"("nodeName": "a", )") + ", " + pod("s", R"("nodeName": "a", )")));
    folder.write("state.yaml",
                 experiment("    - running: {file: cluster.json, lifetime: 2h}\n"
                            "    - pods: [{name: p, type: one, count: 3, at: 1m, lifetime: 1h, "
                            "nodeSelector: {pool: one}}]\n"));
    const Answer answer = folder.berth({"run", "state.yaml"});
    CHECK(answer.status == 0);
    std::map<std::string, std::string> starts;
    for (const CsvRow& row : csv_rows(folder.read("out/state/pods.csv"))) {
        starts[row.at("pod")] = row.at("start_s");
    }
    CHECK(starts.at("p-0") == "60");
    CHECK(starts.at("p-1") == "3660");
    CHECK(starts.at("p-2") == "7200");
}

TEST_CASE("pods on nodes: what is read and not modelled is said once", "[cli][nodes]") {
    const Folder folder;
    folder.write("cluster.json",
                 list(pod("c", R"("resourceClaims": [{"name": "gpu"}], "nodeName": "a", )") + ", " +
                      pod("d", R"("resourceClaims": [{"name": "gpu"}], )") + ", " +
                      pod("g", R"("schedulingGates": [{"name": "later"}], )") + ", " +
                      pod("u", R"("affinity": {"podAntiAffinity": {"x": [1]}}, )")));
    folder.write("state.yaml", experiment(running));
    const Answer answer = folder.berth({"run", "state.yaml"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err, Catch::Contains("warning: 2 pods with resourceClaims, which is not "));
    CHECK_THAT(answer.err, Catch::Contains("warning: 1 pod with podAntiAffinity, which is not "));
    CHECK_THAT(answer.err, Catch::Contains("warning: 1 pending pod is left out, which no "));
    CHECK_FALSE(nodes_of(folder).contains("lab/g"));
}

TEST_CASE("pods on nodes: a pod of a DaemonSet comes back to its node", "[cli][nodes]") {
    const Folder folder;
    folder.write("cluster.json",
                 list(pod("d", R"("nodeName": "a", )", R"({"kind": "DaemonSet"})")));
    folder.write("state.yaml",
                 experiment("    - running: {file: cluster.json}\n") +
                     "  failures: {events: [{at: 1h, node: a, event: fail}, "
                     "{at: 2h, node: a, event: repair}]}\n");
    const Answer answer = folder.berth({"run", "state.yaml"});
    CHECK(answer.status == 0);
    CHECK(nodes_of(folder).at("lab/d") == "a");
}

TEST_CASE("pods on nodes: a cluster without labels keeps no pod away", "[cli][nodes]") {
    const Folder folder;
    folder.write(
        "pods.json",
        R"({"kind": "List", "items": [)" + pod("p", R"("nodeSelector": {"pool": "x"}, )") + "]}");
    folder.write("state.yaml",
                 "kind: Experiment\nmetadata: {name: state}\nspec:\n  topology:\n    spec:\n"
                 "      levels: [{name: server, count: 1}]\n      machines: [{type: m}]\n"
                 "      machineTypes: {m: {capacity: {cpu: 8}}}\n  workload:\n"
                 "    - running: {file: pods.json, lifetime: 1h, pending: true}\n");
    const Answer answer = folder.berth({"run", "state.yaml"});
    CHECK(answer.status == 0);
    CHECK_THAT(
        answer.err,
        Catch::Contains("warning: 1 pod may go to nodes with certain labels alone (pool=x)"));
    CHECK(nodes_of(folder).at("lab/p") == "server-0");
}

TEST_CASE("pods on nodes: why says it in kube-scheduler's words", "[cli][nodes][why]") {
    const Folder folder;
    folder.write("cluster.json", list(pod("p", R"("nodeSelector": {"slots": "3"}, )")));
    folder.write("state.yaml", experiment(running));
    CHECK(folder.berth({"run", "state.yaml"}).status == 0);
    const Answer answer = folder.berth({"why", "out/state", "lab/p"});
    CHECK_THAT(answer.out, Catch::Contains("didn't match Pod's node affinity/selector: slots=3"));
}

TEST_CASE("pods on nodes: a pod that runs stays, whatever its node is by now", "[cli][nodes]") {
    const std::string other_pool = R"("nodeSelector": {"pool": "one"}, )";
    const Folder folder;
    folder.write("cluster.json",
                 list(pod("tainted", R"("nodeName": "ccc", )") + ", " +
                      pod("moved", other_pool + R"("nodeName": "bb", )")));
    folder.write("state.yaml",
                 experiment("    - running: {file: cluster.json}\n") +
                     "  failures: {events: [{at: 1h, node: bb, event: fail}]}\n");
    CHECK(folder.berth({"run", "state.yaml", "--set", "spec.until=30m"}).status == 0);
    CHECK(nodes_of(folder).at("lab/tainted") == "ccc");
    CHECK(nodes_of(folder).at("lab/moved") == "bb");
    CHECK(folder.berth({"run", "state.yaml"}).status == 0);
    CHECK(nodes_of(folder).at("lab/moved") == "a");  // now it is placed anew on a permitted node
}

TEST_CASE("pods on nodes: pods that differ in tolerations alone", "[cli][nodes]") {
    const std::string tolerates =
        R"("tolerations": [{"key": "team", "operator": "Exists"}], "nodeSelector": {"slots": "3"}, )";
    const std::string any = R"("tolerations": [{"key": "team", "operator": "Exists"}], )";
    const auto order = GENERATE(0, 1);
    CAPTURE(order);
    // Three pods fit on a node: those without tolerations have the first two nodes, and one of them
    // waits.
    std::string pods = pod("of-team", any);
    for (int i = 0; i < 7; ++i) {
        pods = order == 0 ? pods + ", " + pod("plain-" + std::to_string(i), "")
                          : pod("plain-" + std::to_string(i), "") + ", " + pods;
    }
    const Folder folder;
    folder.write("cluster.json", list(pods + ", " + pod("fixed", tolerates)));
    folder.write("state.yaml", experiment(running));
    REQUIRE(folder.berth({"run", "state.yaml"}).status == 0);
    for (const auto& [name, node] : nodes_of(folder)) {
        CAPTURE(name);
        CHECK((node != "ccc" || name == "lab/of-team" || name == "lab/fixed"));
        CHECK_FALSE(node.empty());  // the waiting pod starts an hour later
    }
    CHECK(nodes_of(folder).at("lab/fixed") == "ccc");
}

TEST_CASE("pods on nodes: a word that no API server takes is refused", "[cli][nodes][bad-input]") {
    struct Row {
        std::string pod;
        std::string message;
    };
    const Row row = GENERATE(
        Row{"tolerations: [{key: a, operator: Exist}]",
            "8:75: error: found 'Exist': expected operator Equal, Exists, Lt or Gt (did you mean "
            "'Exists'?)"},
        Row{"affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
            "{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: in, values: [b]}]}]}}}",
            "expected operator In, NotIn, Exists, DoesNotExist, Gt or Lt"},
        Row{"nodeSelector: [a]", "expected nodeSelector as in a pod's spec"});
    CAPTURE(row.pod);
    const Folder folder;
    folder.write("cluster.json", list(""));
    folder.write(
        "state.yaml",
        experiment("    - pods:\n        - {name: p, type: one, count: 1, " + row.pod + "}\n"));
    const Answer answer = folder.berth({"validate", "state.yaml"});
    CHECK(answer.status == 2);
    CHECK_THAT(answer.first_line(), Catch::Contains(row.message));
}
