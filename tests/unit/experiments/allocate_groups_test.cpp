#include <algorithm>
#include <catch2/catch.hpp>
#include <tuple>

#include "experiments/program/requests/allocate.hpp"
#include "experiments/program/support/json_fields.hpp"

using berth::experiments::answer_allocate_request;
using berth::experiments::Json;

namespace {

/// The answer to a request with a node of one GPU and a pod with the given container, with `rest`
/// behind the pod.
Json answer(const std::string& container, const std::string& rest = "") {
    const std::string request =
        R"({"node": {"allocatable": {"resource/group/gpu/0/cards": 1}}, "pod": )"
        R"({"runningContainers": [)" +
        container + "]}" + rest + "}";
    return Json::parse(answer_allocate_request(request));
}

}  // namespace

TEST_CASE("allocate groups: what is none is answered with where and what was expected",
          "[group_allocator]") {
    using Row = std::tuple<std::string, std::string>;
    const auto [request, error] = GENERATE(table<std::string, std::string>({
        Row{R"({"node": {"allocatable": []}, "pod": {}})",
            "allocatable is a list: expected a map of amounts by name"},
        Row{R"({"node": {"allocatable": {"resource/group/gpu//cards": 1}}, "pod": {}})",
            R"(allocatable has the name "resource/group/gpu//cards": expected parts joined by '/', )"
            "none empty, no blanks"},
        Row{R"({"node": {"allocatable": {"resource/group/a": 1.5}}, "pod": {}})",
            "allocatable 'resource/group/a' is 1.5: expected a whole number"},
        Row{R"({"node": {"allocatable": {}, "used": 3}, "pod": {}})",
            "used is 3: expected a map of amounts by name"},
        Row{R"({"node": {"allocatable": {}, "scorer": []}, "pod": {}})",
            "scorer is a list: expected a map of scorers by resource"},
        Row{R"({"node": {"allocatable": {}, "scorer": {"a": 3}}, "pod": {}})",
            "scorer 'a' is 3: expected 0, 1 or 2, or one of always-found, enumeration, leftover"},
        Row{R"({"node": {"allocatable": {}, "scorer": {"a": -1}}, "pod": {}})",
            "scorer 'a' is -1: expected 0, 1 or 2, or one of always-found"},
        Row{R"({"node": {"allocatable": {}, "scorer": {"a": "best"}}, "pod": {}})",
            "scorer 'a' is \"best\": expected 0, 1 or 2, or one of"},
        Row{R"({"node": {"allocatable": {}, "scorer": {"a": null}}, "pod": {}})",
            "scorer 'a' is null: expected 0, 1 or 2, or one of"},
        Row{R"({"node": {"allocatable": {}}})", "the request has no 'pod': expected one"},
        Row{R"({"node": {"allocatable": {}}, "pod": {}, "rules": "seed"})",
            R"(rules is "seed": expected paper or published)"},
        Row{R"({"node": {"allocatable": {}}, "pod": {}, "solver": "best"})",
            R"(solver is "best": expected greedy or exact)"},
        Row{R"({"node": {"allocatable": {}}, "pod": {}, "translate": "yes"})", "translate is"},
        Row{R"({"node": {"allocatable": {}}, "pod": {"runningContainers": {}}})",
            "runningContainers is a map: expected a list of containers"},
        Row{R"({"node": {"allocatable": {}}, "pod": {"initContainers": [{}]}})",
            "a container of initContainers has no 'name': expected one"},
        Row{R"({"node": {"allocatable": {}}, "pod": {"initContainers": [{"name": 5}]}})",
            "name is 5"},
        Row{R"({"node": {"allocatable": {}}, "pod": {"initContainers":
                [{"name": "a", "requests": {"resource/group/x": -1}}]}})",
            "requests 'resource/group/x' is -1: expected no negative amount"},
        Row{R"({"node": {"allocatable": {}}, "pod": {"runningContainers":
                [{"name": "a", "requests": {"a b": 1}}]}})",
            R"(requests has the name "a b": expected parts)"},
        Row{R"({"node": {"allocatable": {}}, "pod": {"runningContainers":
                [{"name": "a", "gpuCount": -1}]}})",
            "gpuCount is -1: expected a whole number of at least 0"},
        Row{R"({"node": {"allocatable": {}}, "pod": {"runningContainers":
                [{"name": "a", "scorer": {"b": 9}}]}})",
            "scorer 'b' is 9: expected 0, 1 or 2"},
        Row{R"({"node": {"allocatable": {}}, "pod": {"runningContainers":
                [{"name": "a", "allocateFrom": ["b"]}]}})",
            "allocateFrom: expected a map from requests to resources"},
        Row{R"({"node": {"allocatable": {}}, "pod": {"runningContainers":
                [{"name": "a", "allocateFrom": {"b": 1}}]}})",
            "allocateFrom 'b' is 1"},
        Row{R"({"node": {"allocatable": {}}, "pod": {"runningContainers":
                [{"name": "a"}, {"name": "b"}, {"name": "a"}]}})",
            "runningContainers has two containers 'a': expected one of a name"},
    }));
    CAPTURE(request);
    std::string line = request;
    std::ranges::replace(line, '\n', ' ');
    const std::string text = answer_allocate_request(line);
    CHECK(text.find('\n') == std::string::npos);
    CHECK_THAT(Json::parse(text).value("error", ""), Catch::StartsWith(error));
}

TEST_CASE("allocate groups: a container that brings its mapping keeps it", "[group_allocator]") {
    const Json out = answer(R"({"name": "c", "requests": {"resource/group/gpu/a/cards": 1},
        "allocateFrom": {"resource/group/gpu/a/cards": "resource/group/gpu/0/cards"}})");
    CHECK(out.at("found") == true);
    CHECK(out.at("containers").at("c").at("allocateFrom").at("resource/group/gpu/a/cards") ==
          "resource/group/gpu/0/cards");
    CHECK(out.at("podUsed") == Json{{"resource/group/gpu/0/cards", 1}});
    CHECK(out.at("usedAfterReturn") == Json{{"resource/group/gpu/0/cards", 0}});
}

TEST_CASE("allocate groups: a refused pod leaves the node's use as it is", "[group_allocator]") {
    const Json out = answer(R"({"name": "c", "requests": {"resource/group/gpu/a/cards": 2}})");
    CHECK(out.at("found") == false);
    CHECK(out.at("usedAfter") == Json::object());
    CHECK_FALSE(out.contains("podUsed"));
    CHECK(out.at("containers").at("c").at("allocateFrom") == Json::object());
    CHECK(out.at("reasons").size() == 2);
}

TEST_CASE("allocate groups: a number of GPUs that the node does not name", "[group_allocator]") {
    // By the paper's rules the pod does not fit. By the published ones (ignores_count_without_keys)
    // there is nothing that the number could be translated to, and the pod fits.
    const std::string request =
        R"({"node": {"allocatable": {"cpu": 4}}, "translate": true, "rules": "RULES", "pod":
            {"runningContainers": [{"name": "c", "requests": {"nvidia.com/gpu": 1}}]}})";
    const auto under = [&](const std::string& rules) {
        std::string line = request;
        std::ranges::replace(line, '\n', ' ');
        line.replace(line.find("RULES"), 5, rules);
        return Json::parse(answer_allocate_request(line));
    };
    CHECK(under("published").at("found") == true);
    CHECK(under("published").at("reasons").empty());
    const Json paper = under("paper");
    CHECK(paper.at("found") == false);
    REQUIRE(paper.at("reasons").size() == 1);
    CHECK(paper.at("reasons").at(0).at("resource") == "c/nvidia.com/gpu");
    CHECK(paper.at("reasons").at(0).at("requested") == 1);
}

TEST_CASE("allocate groups: V, a Gpugrp1 for each differing Gpugrp0", "[group_allocator]") {
    const std::string line =
        R"({"node": {"allocatable": {)"
        R"("resource/group/Gpugrp1/0/Gpugrp0/0/gpu/0/cards": 1, )"
        R"("resource/group/Gpugrp1/1/Gpugrp0/1/gpu/1/cards": 1}}, "translate": true, )"
        R"("pod": {"runningContainers": [{"name": "c", "requests": {)"
        R"("resource/group/Gpugrp0/A/gpu/0/cards": 1, )"
        R"("resource/group/Gpugrp0/B/gpu/0/cards": 1}}]}, "solver": "SOLVER"})";
    const std::string solver = GENERATE("greedy", "exact");
    std::string request = line;
    request.replace(request.find("SOLVER"), 6, solver);
    const Json out = Json::parse(answer_allocate_request(request));
    CHECK(out.at("found") == true);
    const Json& container = out.at("containers").at("c");
    CHECK(container.at("devRequests") ==
          Json{{"resource/group/Gpugrp1/0/Gpugrp0/A/gpu/0/cards", 1},
               {"resource/group/Gpugrp1/1/Gpugrp0/B/gpu/0/cards", 1}});
    CHECK(container.at("allocateFrom").at("resource/group/Gpugrp1/1/Gpugrp0/B/gpu/0/cards") ==
          "resource/group/Gpugrp1/1/Gpugrp0/1/gpu/1/cards");
    CHECK(out.at("score") == 2.0);
}

TEST_CASE("allocate groups: an exact search that is given up says so", "[group_allocator]") {
    Json request;
    Json asked;
    for (int i = 0; i < 24; ++i) {
        const std::string gpu =
            "resource/group/gpugrp0/" + std::to_string(i / 12) + "/gpu/" + std::to_string(i) + "/";
        request["node"]["allocatable"][gpu + "cards"] = 1;
        request["node"]["allocatable"][gpu + "memory"] = 100 + i;
        if (i % 12 != 0) {
            asked[gpu + "cards"] = 1;
            asked[gpu + "memory"] = i;
        }
    }
    request["pod"]["runningContainers"] = {{{"name", "c"}, {"requests", asked}}};
    request["solver"] = "exact";
    const Json out = Json::parse(answer_allocate_request(request.dump()));
    CHECK(out.at("found") == true);
    CHECK(out.at("message") == "too many ways to try them all: the greedy's answer");
}
