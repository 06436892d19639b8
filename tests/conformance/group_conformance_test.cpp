// Compares `berth allocate` with the published programs' answers about group resources.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "experiments/program/requests/allocate.hpp"
#include "tests/conformance/shared_vectors.hpp"

namespace {

using nlohmann::json;

bool agree(const json& expected, const json& answer);

/// Whether two lists have the same members, in any order.
bool same_members(json expected, json answer) {
    std::sort(expected.begin(), expected.end());
    std::sort(answer.begin(), answer.end());
    return std::ranges::equal(expected, answer, agree);
}

/// Whether an answer is the expected one: numbers agree within 1e-9, and empty values may be
/// missing.
bool agree(const json& expected, const json& answer) {
    if (expected.is_number() && answer.is_number()) {
        const double want = expected.get<double>();
        return expected == answer || std::abs(answer.get<double>() - want) <= 1e-9;
    }
    if (expected.is_array() && answer.is_array()) {
        return std::ranges::equal(expected, answer, agree);
    }
    if (expected.is_object() && answer.is_object()) {
        const auto has = [](const json& object, const auto& member) {
            return object.contains(member.key()) || member.value().empty();
        };
        return std::ranges::all_of(answer.items(),
                                   [&](const auto& member) { return has(expected, member); }) &&
               std::ranges::all_of(expected.items(), [&](const auto& member) {
                   return has(answer, member) && (!answer.contains(member.key()) ||
                                                  agree(member.value(), answer.at(member.key())));
               });
    }
    return expected == answer;
}

void check(const json& vector) {
    INFO("vector " << vector.at("id"));
    const json answer =
        json::parse(berth::experiments::answer_allocate_request(vector.at("input").dump()));
    for (const auto& [key, expected] : vector.at("expected").items()) {
        INFO(key << " of " << answer.dump());
        if (key == "reasons") {
            const json nothing = json::array();
            REQUIRE(
                same_members(expected.is_null() ? nothing : expected, answer.value(key, nothing)));
            continue;
        }
        REQUIRE(answer.contains(key));
        REQUIRE(agree(expected, answer.at(key)));
    }
}

std::size_t check_all(std::istream& in) {
    std::size_t count = 0;
    for (std::string line; std::getline(in, line); ++count) {
        check(json::parse(line));
    }
    return count;
}

}  // namespace

TEST_CASE("groups: agrees with the committed vectors", "[conformance][group_allocator]") {
    using Row = std::tuple<std::string, std::size_t>;
    const auto [name, count] = GENERATE(table<std::string, std::size_t>({
        Row{"group-allocator", 58},
        Row{"group-allocator-misses", 11},
        Row{"group-translation", 36},
    }));
    CAPTURE(name);
    std::ifstream in(BERTH_SOURCE_DIR "/tests/conformance/" + name + ".jsonl");
    CHECK(check_all(in) == count);
}

TEST_CASE("groups: agrees with every vector, where they are at hand",
          "[conformance][group_allocator]") {
    using Row = std::tuple<std::string, std::size_t>;
    const auto [name, count] = GENERATE(table<std::string, std::size_t>({
        Row{"group-allocator", 2'000},
        Row{"group-allocator-misses", 60},
        Row{"group-translation", 500},
    }));
    berth::tests::check_shared_vectors(name, count, check_all);
}

TEST_CASE("translation: a request that is none is answered with what is wrong", "[conformance]") {
    using Row = std::pair<std::string, std::string>;
    const auto [request, error] = GENERATE(table<std::string, std::string>({
        Row{"{}", "expected 'translation', or a 'node'"},
        Row{R"({"translation": 3})", "translation has no 'kind'"},
        Row{R"({"translation": {}})", "translation has no 'kind'"},
        Row{R"({"translation": {"kind": "gpus"}})",
            "kind is \"gpus\": expected gpu or stage or addNode or bestTree"},
        Row{R"({"translation": {"kind": "gpu"}})", "translation has no 'gpuCount'"},
        Row{R"({"translation": {"kind": "gpu", "gpuCount": -1}})",
            "gpuCount is -1: expected a whole number of at least 0"},
        Row{R"({"translation": {"kind": "gpu", "gpuCount": 1e9}})", "gpuCount is 1000000000.0"},
        Row{R"({"translation": {"kind": "gpu", "gpuCount": 100001}})", "expected at most 100000"},
        Row{R"({"translation": {"kind": "gpu", "gpuCount": 1, "nodeAllocatable": []}})",
            "nodeAllocatable is a list: expected a map"},
        Row{R"({"translation": {"kind": "gpu", "gpuCount": 1, "nodeAllocatable": {"a//b": 1}}})",
            R"(nodeAllocatable has the name "a//b": expected parts joined by '/', none empty)"},
        Row{R"({"translation": {"kind": "gpu", "gpuCount": 1, "nodeAllocatable": {"a b": 1}}})",
            "no blanks"},
        Row{R"({"translation": {"kind": "gpu", "gpuCount": 1, "nodeAllocatable": {"a": "x"}}})",
            "nodeAllocatable 'a' is \"x\": expected a whole number"},
        Row{R"({"translation": {"kind": "addNode", "gpuCount": 1}})", "no 'nodeAllocatable'"},
        Row{R"({"translation": {"kind": "stage", "thisStage": "a/b"}})",
            "thisStage is 'a/b': expected a name without '/'"},
        Row{R"({"translation": {"kind": "stage", "thisStage": "a", "nextStage": ""}})",
            "nextStage is ''"},
        Row{R"({"translation": {"kind": "bestTree", "nodes": {}}})", "nodes is a map"},
        Row{R"({"translation": {"kind": "bestTree", "nodes": [], "runningContainers": [{}]}})",
            "a container has no 'name'"},
        Row{R"({"translation": {"kind": "bestTree", "nodes": [],
                "runningContainers": [{"name": "c", "requests": {"nvidia.com/gpu": -2}}]}})",
            "requests 'nvidia.com/gpu' is -2"},
    }));
    CAPTURE(request);
    std::string line = request;
    std::ranges::replace(line, '\n', ' ');
    const json answer = json::parse(berth::experiments::answer_allocate_request(line));
    CHECK_THAT(answer.at("error").get<std::string>(), Catch::Contains(error));
}
