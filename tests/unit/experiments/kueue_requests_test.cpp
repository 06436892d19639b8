#include <tuple>

#include <catch2/catch.hpp>

#include "experiments/program/requests/kueue.hpp"

using berth::experiments::answer_kueue_request;
using berth::experiments::Json;

namespace {

std::string error_of(const std::string& request) {
    return Json::parse(answer_kueue_request(request)).value("error", "");
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
