// Compares `berth place` with the answers of the published program, and with the paper's rule.

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/program/requests/place.hpp"
#include "tests/conformance/shared_vectors.hpp"

namespace {

using nlohmann::json;

/// The logical tree as a sorted list of its nodes, since their order is not part of the answer.
std::vector<std::string> node_set(const json& answer) {
    std::vector<std::string> nodes;
    for (json node : answer.at("ltree")) {
        if (node.value("claimed", 0) == 0) {
            node.erase("claimed");  // a missing value and 0 mean the same
        }
        nodes.push_back(node.dump());
    }
    std::ranges::sort(nodes);
    return nodes;
}

void check(const json& vector) {
    INFO("vector " << vector.at("id"));
    const json answer =
        json::parse(berth::experiments::answer_place_request(vector.at("input").dump()));
    for (const auto& [key, expected] : vector.at("expected").items()) {
        if (key == "ltree") {
            REQUIRE(node_set(vector.at("expected")) == node_set(answer));
        } else {
            CAPTURE(key);
            REQUIRE(answer.at(key) == expected);
        }
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

TEST_CASE("place: agrees with the committed vectors", "[conformance][placement]") {
    const std::string name =
        GENERATE("placement-group", "placement-group-paper", "placement-group-misses");
    CAPTURE(name);
    std::ifstream in(BERTH_SOURCE_DIR "/tests/conformance/" + name + ".jsonl");
    CHECK(check_all(in) >= 50);
}

TEST_CASE("place: agrees with every vector, where they are at hand", "[conformance][placement]") {
    const std::string name =
        GENERATE("placement-group", "placement-group-paper", "placement-group-misses");
    berth::tests::check_shared_vectors(name, 150, check_all);
}

TEST_CASE("place: a request that is none is answered with what is wrong", "[conformance]") {
    using Row = std::pair<std::string, std::string>;
    const auto [request, error] = GENERATE(table<std::string, std::string>({
        Row{"nonsense", "no JSON at byte 2"},
        Row{"[]", "expected a JSON object"},
        Row{"{}", "has no 'group'"},
        Row{R"({"group": {"size": 1, "demand": [-1], "levelConstraints": []}})", "demand is -1"},
        Row{R"({"group": {"size": 1, "demand": [1.5], "levelConstraints": []}})", "demand is 1.5"},
        Row{R"({"group": {"size": 1, "demand": [], "levelConstraints": []}})", "demand is empty"},
        Row{R"({"group": {"demand": {"a": [1]}}})", "demand is a map"},
        Row{R"({"group": {"size": 1, "demand": [1]}, "topology": {"levels": ["a"]}})", "levels"},
    }));
    CAPTURE(request);
    const json answer = json::parse(berth::experiments::answer_place_request(request));
    CHECK_THAT(answer.at("error").get<std::string>(), Catch::Contains(error));
}

TEST_CASE("place: more claimed than the size is refused, or shrunk by the exact solver",
          "[conformance][placement]") {
    json request = json::parse(R"({
        "topology": {"levels": ["cluster", "rack", "server"], "tree": {"name": "root", "children": [
            {"name": "rack-0", "children": [{"name": "s0", "capacity": [8], "allocated": [3]}]},
            {"name": "rack-1", "children": [{"name": "s1", "capacity": [8], "allocated": [1]}]}]}},
        "group": {"name": "g", "size": 3, "demand": [1],
                  "levelConstraints": [{"level": "rack", "affinity": "pack", "isHard": false}]},
        "claimed": [{"path": ["root", "rack-0", "s0"], "count": 3},
                    {"path": ["root", "rack-1", "s1"], "count": 1}]})");
    json answer = json::parse(berth::experiments::answer_place_request(request.dump()));
    CHECK(answer.at("error") == "number claimed larger than group size");
    request["solver"] = "exact";
    answer = json::parse(berth::experiments::answer_place_request(request.dump()));
    CHECK(answer.at("placed") == 3);
    CHECK(node_set(answer) ==
          std::vector<std::string>{R"({"claimed":3,"count":3,"path":["root","rack-0","s0"]})",
                                   R"({"claimed":3,"count":3,"path":["root","rack-0"]})",
                                   R"({"claimed":3,"count":3,"path":["root"]})"});
}
