#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "folder.hpp"

using namespace berth::tests;
using nlohmann::json;
using Pointers = std::vector<json::json_pointer>;

namespace {

/// Collects the places of all values in a request.
void add_places(const json& value, const json::json_pointer& here, Pointers& places) {
    if (value.is_object()) {
        for (const auto& [key, below] : value.items()) {
            places.push_back(here / key);
            add_places(below, here / key, places);
        }
    } else if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            places.push_back(here / i);
            add_places(value[i], here / i, places);
        }
    }
}

/// Lines that each contain the request with one value of a wrong kind.
std::string wrong_lines(const json& request) {
    static const std::vector<json> values{nullptr,
                                          true,
                                          -1,
                                          1.5,
                                          18446744073709551615U,
                                          "text",
                                          std::string("a\0b", 3),
                                          json::array(),
                                          json::array({1, "a"}),
                                          json::object(),
                                          json{{"a", json::object()}}};
    Pointers places;
    add_places(request, json::json_pointer(), places);
    std::string lines;
    for (const auto& place : places) {
        for (const json& value : values) {
            json wrong = request;
            wrong[place] = value;
            lines += wrong.dump() + "\n";
        }
    }
    return lines;
}

/// The requests in a folder of inputs that are small enough to be tried in every way.
std::vector<json> sound_requests(const std::string& inputs) {
    constexpr std::size_t bytes_max = 4500;
    constexpr std::size_t requests_max = 4;
    std::set<std::filesystem::path> files;
    for (const auto& file :
         std::filesystem::directory_iterator(project_file("tests/fuzz/corpus/" + inputs))) {
        files.insert(file.path());
    }
    std::vector<json> requests;
    for (const auto& file : files) {
        const std::string text = read_file(file);
        const json request = json::parse(text, nullptr, false);
        if (request.is_object() && text.size() <= bytes_max && requests.size() < requests_max) {
            requests.push_back(request);
        }
    }
    return requests;
}

}  // namespace

TEST_CASE("requests with a value of another kind are answered in berth's own words",
          "[cli][bad-input]") {
    const auto [verb, inputs] = GENERATE(table<std::string, std::string>({
        {"quota", "quota_runtime"},
        {"quota", "quota_admission"},
        {"quota", "quota_validation"},
        {"kueue", "kueue_cycle"},
        {"kueue", "kueue_topology"},
        {"place", "place"},
        {"candidates", "candidates"},
        {"allocate", "allocate_groups"},
        {"allocate", "allocate_devices"},
        {"allocate", "allocate_translation"},
    }));
    CAPTURE(inputs);
    const std::vector<json> requests = sound_requests(inputs);
    REQUIRE(!requests.empty());
    const Folder folder;
    for (const json& request : requests) {
        Circumstances how;
        how.input = wrong_lines(request);
        std::istringstream asked(how.input);
        std::istringstream told(done(folder, {verb, "--jsonl"}, how));
        std::size_t errors = 0;
        std::string answer;
        for (std::string line; std::getline(asked, line);) {
            REQUIRE(std::getline(told, answer));
            const json read = json::parse(answer);
            if (read.size() != 1 || !read.contains("error")) {
                continue;
            }
            ++errors;
            const auto error = read.at("error").get<std::string>();
            const bool is_own = error.find("expected") != std::string::npos &&
                                error.find("exception") == std::string::npos &&
                                error.find("type must be") == std::string::npos &&
                                error.find('\0') == std::string::npos;
            if (!is_own) {
                FAIL_CHECK(error << "\n" << line);
            }
        }
        CHECK(errors > 0);
        CHECK(!std::getline(told, answer));
    }
}

TEST_CASE("a quota's request says where a value is of another kind", "[cli][bad-input]") {
    const auto [part, wrong, message] = GENERATE(table<std::string, std::string, std::string>({
        {R"("quota": "a")", R"("quota": 7)", "quota of low is 7: expected a text"},
        {R"("quota": "a")", R"("namespace": [1])", "namespace of low is a list: expected a text"},
        {R"("namespaces": {})",
         R"("namespaces": 7)",
         "namespaces is 7: expected a map from namespace to quota"},
        {R"("namespaces": {})",
         R"("namespaces": {"default": {}})",
         "namespaces.default is a map: expected a text"},
    }));
    const std::string sound =
        R"({"kind": "admission", "total": {"cpu": 4}, "namespaces": {}, "quotas": [], )"
        R"("ops": [{"op": "create", "pod": {"name": "low", "quota": "a", "request": {}}}]})";
    Circumstances how;
    how.input = replaced(sound, part, wrong) + "\n";
    const Folder folder;
    CHECK(json::parse(done(folder, {"quota", "--jsonl"}, how)) == json{{"error", message}});
}

TEST_CASE("requests whose amounts together have no room are refused", "[cli][bad-input]") {
    const Folder folder;
    const auto answered = [&](const char* verb, const std::string& request) {
        Circumstances how;
        how.input = request + "\n";
        return json::parse(done(folder, {verb, "--jsonl"}, how)).value("error", "");
    };
    CHECK(answered(
              "quota",
              R"({"kind": "admission", "total": {"cpu": 9223372036854775807}, "namespaces": {}, )"
              R"("quotas": [], "ops": [{"op": "addTotal", "delta": {"cpu": 1}}]})") ==
          "delta 'cpu': 9223372036854775807 and 1 together have no room: expected less");
    const auto placed = [&](const std::string& capacity, const std::string& allocated) {
        return answered(
            "place",
            R"({"topology": {"levels": ["cluster", "server"], "tree": {"name": "all", "children": [)"
            R"({"name": "a", "capacity": [)" +
                capacity + R"(], "allocated": [)" + allocated +
                R"(]}, {"name": "b", "capacity": [1], "allocated": [1]}]}}, )"
                R"("group": {"size": 2, "demand": [1], "constraints": []}})");
    };
    CHECK(placed("4611686018427387904", "0") ==
          "capacity of b is 1: expected at most 4611686018427387904 on all servers together");
    CHECK(placed("1", "4611686018427387904") ==
          "allocated of b is 1: expected at most 4611686018427387904 on all servers together");
}
