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

/// Required affinity with one term, as YAML.
std::string in_terms(const std::string& term) {
    return "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
           "{nodeSelectorTerms: [{" +
           term + "}]}}}";
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
            "8:75: error: unknown operator 'Exist': expected Equal, Exists, Lt or Gt (did you mean "
            "'Exists'?)"},
        Row{in_terms("matchExpressions: [{key: a, operator: in, values: [b]}]"),
            "unknown operator 'in': expected In, NotIn, Exists, DoesNotExist, Gt or Lt"},
        Row{"nodeSelector: [a]", "8:56: error: found a list: expected a map from labels"},
        Row{"affinity: {nodeAffinty: {}}",
            "8:53: error: unknown key 'nodeAffinty' in affinity: expected nodeAffinity, "
            "podAffinity or podAntiAffinity (did you mean 'nodeAffinity'?)"},
        Row{"affinity: {nodeAffinity: {requiredDuringScheduling: {}}}",
            "unknown key 'requiredDuringScheduling' in nodeAffinity: expected "
            "requiredDuringSchedulingIgnoredDuringExecution or "
            "preferredDuringSchedulingIgnoredDuringExecution"},
        Row{"affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
            "{nodeSelectorTerm: []}}}",
            "required node affinity has no 'nodeSelectorTerms': expected one"},
        Row{in_terms("matchExpression: []"),
            "unknown key 'matchExpression' in a term: expected matchExpressions or matchFields "
            "(did you mean 'matchExpressions'?)"},
        Row{in_terms("matchExpressions: [{key: a, operator: In, value: [b]}]"),
            "unknown key 'value' in a condition: expected key, operator or values (did you mean "
            "'values'?)"},
        Row{in_terms("matchExpressions: [{key: a, operator: In}]"),
            "found a map: expected values, one at least for In and NotIn"},
        Row{in_terms("matchExpressions: [{key: a, operator: Exists, values: [b]}]"),
            "found a list: expected no values for Exists and DoesNotExist"},
        Row{in_terms("matchExpressions: [{key: 'a b', operator: Exists}]"),
            "found 'a b': expected the key of a label, such as pool or example.com/pool"},
        Row{in_terms("matchFields: [{key: metadata.nam, operator: In, values: [a]}]"),
            "found 'metadata.nam': expected metadata.name"},
        Row{"tolerations: [{key: a, operater: Exists}]",
            "8:65: error: unknown key 'operater' in a toleration: expected key, operator, value, "
            "effect or tolerationSeconds (did you mean 'operator'?)"},
        Row{"tolerations: [{key: a, effect: NoScheduel}]",
            "unknown effect 'NoScheduel': expected NoSchedule, PreferNoSchedule or NoExecute (did "
            "you mean 'NoSchedule'?)"},
        Row{"tolerations: [{value: a}]", "expected a key, or operator Exists for every key"},
        Row{"tolerations: [{key: a, operator: Exists, value: b}]",
            "found 'b': expected no value for operator Exists"},
        Row{"tolerations: {key: a}", "found a map: expected a list of tolerations"},
        Row{"nodeSelector: {pool: 'one, two'}",
            "8:63: error: found 'one, two': expected the value of a label: at most 63 letters"},
        Row{"nodeSelector: {-pool: one}", "8:57: error: found '-pool': expected the key of a "});
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

TEST_CASE("pods on nodes: what Kubernetes has and is not modelled is said of documents",
          "[cli][nodes]") {
    const Folder folder;
    folder.write("cluster.json", list(""));
    folder.write("state.yaml",
                 experiment("    - pods:\n        - {name: p, type: one, lifetime: 1h, affinity: "
                            "{podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{a: "
                            "b}]}, nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
                            "[{weight: 1}]}}}\n"));
    const Answer answer = folder.berth({"run", "state.yaml"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err,
               Catch::Contains("warning: 1 pod with preferred nodeAffinity: a run does not go by "
                               "this") &&
                   Catch::Contains("warning: 1 pod with podAffinity, which is not modelled"));
}

TEST_CASE("pods on nodes: values of two pods that read the same do not mix", "[cli][nodes]") {
    // Both conditions are written `pool In (one, two)`; no label has the value of the first.
    const std::string odd = required(term(expression("pool", "In", R"("one, two")")));
    const std::string plain = required(term(expression("pool", "In", R"("one", "two")")));
    const std::string name = required(
        R"({"matchFields": [)" + expression("metadata.name", "In", R"("a) and x In (b")") + "]}");
    const auto order = GENERATE(0, 1);
    CAPTURE(order);
    const std::string first = pod("odd", odd) + ", " + pod("name", name);
    const std::string second = pod("plain", plain);
    const Folder folder;
    folder.write("cluster.json", list(order == 0 ? first + ", " + second : second + ", " + first));
    folder.write("state.yaml", experiment(running));
    CHECK(folder.berth({"run", "state.yaml"}).status == 0);
    CHECK(nodes_of(folder).at("lab/odd").empty());
    CHECK(nodes_of(folder).at("lab/name").empty());
    CHECK(nodes_of(folder).at("lab/plain") == "a");
}

TEST_CASE("pods on nodes: labels and taints of nodes are checked", "[cli][nodes][bad-input]") {
    struct Row {
        std::string wrong;
        std::string instead;
        std::string message;
    };
    const Row row = GENERATE(
        Row{R"("pool": "two")", R"("pool": "two,three")", "found 'two,three': expected the value "},
        Row{R"("pool": "two")", R"("po ol": "two")", "found 'po ol': expected the key of a label"},
        Row{R"("labels")", R"("lables")", "unknown key 'lables' in metadata: expected name, "},
        Row{"NoSchedule", "NoScheduel", "unknown effect 'NoScheduel': expected NoSchedule, "},
        Row{R"("effect")", R"("efect")", "a taint has no 'effect': expected one"},
        Row{R"("taints": [])", R"("taints": {})", "found an empty map: expected a list such as [{"},
        Row{R"("slots": "2")", R"("more": {}, "slots": "2")", "found an empty map: expected the v"},
        Row{R"("slots": "1")",
            R"("slots": ""}}, "status": {"allocatable": {"cpu": "8"}}},
               {"kind": "Node", "metadata": {"name": "d", "labels": {"slots": [])",
            "found an empty list: expected the value of a label"},
        Row{R"({"pool": "one", "slots": "1"})",
            R"([{"pool": "one"}])",
            "found a list: expected a map from labels to their values"});
    CAPTURE(row.instead);
    std::string nodes = list("");
    nodes.replace(nodes.find(row.wrong), row.wrong.size(), row.instead);
    const Folder folder;
    folder.write("cluster.json", nodes);
    folder.write("state.yaml", experiment("    - pods: [{name: p, type: one}]\n"));
    const Answer answer = folder.berth({"validate", "state.yaml"});
    CHECK(answer.status == 2);
    CHECK_THAT(answer.err, Catch::Contains("error: " + row.message));
    CHECK_THAT(folder.berth({"topology", "cluster.json"}).err,
               Catch::Contains("error: " + row.message));
}

TEST_CASE("pods on nodes: why says that no server meets it, and what would help",
          "[cli][nodes][why]") {
    struct Row {
        std::string spec;
        std::string warning;
        std::string reason;
        std::string help;
        std::string more;
    };
    const Row row = GENERATE(
        Row{R"("nodeSelector": {"pool": "gone"}, )",
            "lab/p: no server has what a pod asks of nodes: pool=gone: it can never start",
            "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) "
            "didn't match Pod's node affinity/selector.",
            "a has what it asks of nodes: pool=gone",
            "with what it asks of nodes (pool=gone)"},
        Row{R"("nodeSelector": {"slots": "3"}, )",
            "lab/p: every server with what a pod asks of nodes, slots=3, has a taint that it does "
            "not tolerate: it can never start",
            "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) "
            "didn't match Pod's node affinity/selector.",
            "a has what it asks of nodes: slots=3",
            "with what it asks of nodes (slots=3)"});
    CAPTURE(row.spec);
    const Folder folder;
    folder.write("cluster.json", list(pod("p", row.spec)));
    folder.write("state.yaml", experiment(running));
    const Answer run = folder.berth({"run", "state.yaml"});
    CHECK(run.status == 0);
    CHECK_THAT(run.err, Catch::Contains(row.warning) && !Catch::Contains("lacks the devices"));
    for (const CsvRow& of_pod : csv_rows(folder.read("out/state/pods.csv"))) {
        CHECK(of_pod.at("reason") == row.reason);
    }
    const Answer answer = folder.berth({"why", "out/state", "lab/p"});
    CHECK_THAT(answer.out,
               Catch::Contains("nodes") && Catch::Contains(row.help) && Catch::Contains(row.more));
}

TEST_CASE("pods on nodes: a server that is selected and full lacks amounts", "[cli][nodes][why]") {
    const Folder folder;
    folder.write("cluster.json",
                 list(pod("p", R"("nodeSelector": {"pool": "one"}, "x": 1, )") + ", " +
                      pod("q", R"("nodeSelector": {"pool": "one"}, )") + ", " +
                      pod("r", R"("nodeSelector": {"pool": "one"}, )") + ", " +
                      pod("s", R"("nodeSelector": {"pool": "one"}, )")));
    folder.write("state.yaml",
                 experiment("    - running: {file: cluster.json, lifetime: 2d, pending: true}\n"));
    CHECK(folder.berth({"run", "state.yaml"}).status == 0);
    for (const CsvRow& of_pod : csv_rows(folder.read("out/state/pods.csv"))) {
        CHECK(of_pod.at("reason") == (of_pod.at("pod") == "lab/s"
                                          ? "0/3 nodes are available: 1 Insufficient pods, 1 "
                                            "node(s) didn't match Pod's node affinity/selector, 1 "
                                            "node(s) had untolerated taint(s)."
                                          : ""));
    }
    const Answer answer = folder.berth({"why", "out/state", "lab/s"});
    CHECK_THAT(answer.out, Catch::Contains("filter"));
}
