#include <string>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

#include "schedulers/kueue/requests/kueue.hpp"

using berth::experiments::answer_kueue_request;
using berth::experiments::Json;

namespace {

Json answer_to(const std::string& request) {
    return Json::parse(answer_kueue_request(request));
}

std::string error_of(const std::string& request) {
    return answer_to(request).value("error", "");
}

/// The message of the decision on a workload that asks for more than there is, with a group of its
/// own for each resource.
std::string refusal_of(const Json& requests, const Json& gates) {
    Json groups = Json::array();
    for (const auto& [resource, amount] : requests.items()) {
        const Json quota{{resource, "1"}};
        groups.push_back({{"flavors", {{{"name", "f-" + resource}, {"quota", quota}}}}});
    }
    Json flavors = Json::array();
    for (const auto& [resource, amount] : requests.items()) {
        flavors.push_back({{"name", "f-" + resource}});
    }
    const Json sets{{{"name", "p"}, {"requests", requests}}};
    const Json request{{"kind", "cycle"},
                       {"gates", gates},
                       {"flavors", flavors},
                       {"clusterQueues", {{{"name", "q"}, {"groups", groups}}}},
                       {"pending", {{{"name", "w"}, {"cq", "q"}, {"podSets", sets}}}}};
    return answer_to(request.dump()).at("decisions").at(0).at("message");
}

/// The answer about a pod set with more keys, on one node with a label.
Json placed(const Json& more, const Json& gates) {
    Json set{{"name", "p"}, {"count", 1}, {"topologyRequest", {{"unconstrained", true}}}};
    set.update(more);
    const std::string host = "kubernetes.io/hostname";
    const Json node{
        {"name", "n"}, {"labels", {{host, "n"}, {"zone", "a"}}}, {"allocatable", {{"pods", 10}}}};
    const Json request{{"kind", "topology-assignment"},
                       {"gates", gates},
                       {"levels", {host}},
                       {"nodes", {node}},
                       {"podSets", {set}}};
    return answer_to(request.dump()).at("assignments").at("p");
}

}  // namespace

TEST_CASE("kueue requests: what is none is answered with its place and what was expected",
          "[kueue]") {
    using Row = std::tuple<std::string, std::string>;
    const auto [request, error] = GENERATE(table<std::string, std::string>({
        Row{"{", "no JSON at byte 2: expected an object"},
        Row{"{}", "no kind: expected one"},
        Row{R"({"kind": "x"})", R"(kind is "x": expected cycle or topology-assignment)"},
        Row{R"({"kind": "cycle", "pending": {}})", "pending is a map: expected a list"},
        Row{R"({"kind": "cycle", "gates": {"PartialAdmission": 1}})",
            "gates.PartialAdmission is 1: expected true or false"},
        Row{R"({"kind": "cycle", "gates": {"SchedulerLibraryIntegration": true}})",
            "gates.SchedulerLibraryIntegration is true: expected false: what that library decides "
            "is not simulated"},
        Row{R"({"kind": "cycle", "gates": {"TopologyAwareScheduling": true,
                "FlavorFungibility": false}})",
            "gates is a map: expected FlavorFungibilityPreserveScanProgress: false or "
            "FlavorFungibility: true: Kueue does not start with a gate that is on without one that "
            "it needs"},
        Row{R"({"kind": "cycle", "flavors": [{"name": "a"}, {"name": "a"}]})",
            R"(flavors[1].name is "a": expected a name that no other has)"},
        Row{R"({"kind": "cycle", "clusterQueues": [{"name": "q", "strategy": "LIFO"}]})",
            R"(clusterQueues[0].strategy is "LIFO": expected BestEffortFIFO or StrictFIFO)"},
        Row{R"({"kind": "cycle", "clusterQueues": [{"name": "q", "groups": [{"flavors":
                [{"name": "f", "quota": {"cpu": []}}]}]}]})",
            "clusterQueues[0].groups[0].flavors[0].quota.cpu is a list: expected nominal, "
            "borrowing limit and lending limit"},
        Row{R"({"kind": "cycle", "clusterQueues": [{"name": "q", "groups": [{"flavors":
                [{"name": "f", "quota": {"cpu": ["4x"]}}]}]}]})",
            R"(clusterQueues[0].groups[0].flavors[0].quota.cpu[0] is "4x": expected a whole )"
            "number of its unit, or a Kubernetes quantity such as 500m, 16 or 256Gi"},
        Row{R"({"kind": "cycle", "admitted": [{"name": "w", "cq": "q"}]})",
            R"(admitted[0].cq is "q": expected one of clusterQueues)"},
        Row{R"({"kind": "cycle", "clusterQueues": [{"name": "q"}], "admitted": [{"name": "w",
                "cq": "q", "podSets": [{"name": "p", "usage": {"cpu": 1},
                "flavors": {"cpu": "f"}}]}]})",
            "admitted[0] holds the unknown flavor 'f': expected one of flavors or of "
            "clusterQueues"},
        Row{R"({"kind": "cycle", "pending": [{"name": "w", "cq": "q", "podSets": [{"name": "p",
                "count": 2, "minCount": 3}]}]})",
            "pending[0].podSets[0].minCount is 3: expected a whole number from 0 to 2"},
        Row{R"({"kind": "topology-assignment"})", "no levels: expected one"},
        Row{R"({"kind": "topology-assignment", "levels": ["a", "a"]})",
            "levels is a list: expected 1 to 16 labels that differ"},
        Row{R"({"kind": "topology-assignment", "levels": ["a"], "nodes": [{"name": "n",
                "allocatable": {"cpu": -1}}]})",
            "nodes[0].allocatable.cpu is -1: expected at least 0"},
        Row{R"({"kind": "topology-assignment", "levels": ["a"], "podSets": [{"name": "p",
                "count": -1}]})",
            "podSets[0].count is -1: expected a whole number from 0 to 2147483647"},
    }));
    CAPTURE(request);
    CHECK(error_of(request) == error);
}

TEST_CASE("kueue requests: an unknown gate is refused by its name", "[kueue]") {
    const std::string error = error_of(R"({"kind": "cycle", "gates": {"Partial": true}})");
    CHECK(error.starts_with("unknown feature gate 'Partial': expected AdmissionFairSharing, "));
}

TEST_CASE("kueue requests: a queue that does not exist is an answer for who waits", "[kueue]") {
    const Json answer = Json::parse(
        answer_kueue_request(R"({"kind": "cycle", "pending": [{"name": "w", "cq": "q"}]})"));
    CHECK(answer.at("decisions").at(0).at("message") == "ClusterQueue q not found");
}

TEST_CASE("kueue requests: the resource whose name has the least hash is tried first", "[kueue]") {
    // Both resources fail, and the first that fails determines the message.
    const Json requests{{"cpu", "2"}, {"memory", "2"}};
    CHECK_THAT(refusal_of(requests, Json::object()), Catch::Contains("quota for memory in flavor"));
    CHECK_THAT(refusal_of(requests, {{"VectorizedResourceRequests", false}}),
               Catch::Contains("quota for cpu in flavor"));
}

TEST_CASE("kueue requests: whole CPUs are written as Kubernetes writes numbers", "[kueue]") {
    const auto [amount, text] = GENERATE(table<std::string, std::string>(
        {{"4000", "4k"}, {"4500", "4500"}, {"3M", "3M"}, {"4000500m", "4000500m"}}));
    CHECK_THAT(refusal_of({{"cpu", amount}}, Json::object()),
               Catch::Contains("current podset request (" + text + ")"));
}

TEST_CASE("kueue requests: an admission check that asks for another label is named", "[kueue]") {
    const Json updates{{{"nodeSelector", {{"zone", "b"}}}}};
    const Json set{{"nodeSelector", {{"zone", "a"}}}, {"podSetUpdates", updates}};
    CHECK(
        placed(set, Json::object()).at("reason") ==
        "invalid podSetUpdate for PodSet p, error: invalid admission check PodSetUpdate: conflict "
        "for nodeSelector: conflict for key=zone, value1=a, value2=b");
}

TEST_CASE("kueue requests: a selector that is none is refused, whatever else there is", "[kueue]") {
    struct Case {
        std::string key;
        std::string op;
        std::vector<std::string> of;
        std::string why;
    };
    const std::string one = "for 'Gt', 'Lt' operators, exactly one value is required";
    const auto [key, op, of, why] = GENERATE_COPY(values<Case>(
        {{"zone", "In", {"a"}, ""},
         {"zone", "Exists", {}, ""},
         {"example.com/zone", "NotIn", {"b"}, ""},
         {"zone", "NotIn", {}, "for 'in', 'notin' operators, values set can't be empty"},
         {"zone", "Exists", {"a"}, "values set must be empty for exists and does not exist"},
         {"zone", "Gt", {}, one},
         {"zone", "Lt", {"1", "2"}, one},
         {"zone", "Lt", {"a"}, "for 'Gt', 'Lt' operators, the value must be an integer"},
         {"zone", "In", {"a b"}, "no label has such a value"},
         {"-zone", "Exists", {}, "no label has such a key"},
         {"Example.com/zone", "Exists", {}, "no label has such a key"}}));
    CAPTURE(key, op);
    const Json expression{{"key", key}, {"operator", op}, {"values", of}};
    const Json term{{"matchExpressions", {expression}}};
    // One term that holds is enough, unless another term is invalid.
    const Json holds{{"matchExpressions", {{{"key", "zone"}, {"operator", "Exists"}}}}};
    const Json answer = placed({{"requiredAffinity", {holds, term}}}, Json::object());
    CHECK(answer.at("assignment").is_null() == !why.empty());
    CHECK(answer.value("message", "") ==
          (why.empty() ? "" : "invalid selector: " + key + ": " + why));

    const Json preferred{{"preferredAffinity", {{{"weight", 1}, {"term", term}}}}};
    CHECK_FALSE(placed(preferred, Json::object()).at("assignment").is_null());
    CHECK(
        placed(preferred, {{"TASRespectNodeAffinityPreferred", true}}).at("assignment").is_null() ==
        !why.empty());
}

TEST_CASE("kueue requests: a selector of nodes must be of labels", "[kueue]") {
    CHECK(placed({{"nodeSelector", {{"zone", "a b"}}}}, Json::object()).at("message") ==
          "invalid selector: zone: no label has such a value");
}
