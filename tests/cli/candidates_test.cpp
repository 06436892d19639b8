#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string examples = project_file("experiments/providers");

/// A worked example in the documentation: a query, and the candidates that it states.
struct Documented {
    std::string file;
    std::string query;
    std::vector<std::string> candidates;
};

std::vector<Documented> documented_examples() {
    std::vector<Documented> found;
    std::istringstream in(read_file(examples + "/documented.txt"));
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("== ")) {
            found.push_back({line.substr(3), "", {}});
        } else if (line.starts_with("GET ") || line.starts_with(" ")) {
            found.back().query += line + "\n";
        } else if (!line.empty() && !line.starts_with("#")) {
            found.back().candidates.push_back(line);
        }
    }
    return found;
}

/// The candidates in the lines of an answer, without their numbers.
std::vector<std::string> candidates_of(const std::string& answer) {
    std::vector<std::string> found;
    std::istringstream in(answer);
    for (std::string line; std::getline(in, line) && !line.empty();) {
        if (line.starts_with("  ")) {
            found.push_back(line.substr(line.find(". ") + 2));
        }
    }
    return found;
}

std::string asked(const std::string& query, Arguments options = {}) {
    const Folder folder;
    options.insert(options.begin(), {"candidates", examples + "/sharing-numa.yaml", query});
    return done(folder, options);
}

}  // namespace

TEST_CASE("candidates: the document's examples have their documented answers",
          "[cli][candidates]") {
    const Folder folder;
    const auto all = documented_examples();
    REQUIRE(all.size() == 18);
    for (const Documented& example : all) {
        INFO(example.file << ": " << example.query);
        REQUIRE_FALSE(example.candidates.empty());
        auto found = candidates_of(
            done(folder, {"candidates", examples + "/" + example.file, example.query}));
        auto expected = example.candidates;
        std::ranges::sort(found);
        std::ranges::sort(expected);
        CHECK(found == expected);
    }
}

TEST_CASE("candidates: the table is for people", "[cli][candidates]") {
    CHECK(asked("resources=VCPU:1,DISK_GB:500&in_tree=<CN1>&resources_D=DISK_GB:500"
                "&in_tree_D=<CN1>") ==
          R"(2 candidates
  1. NUMA1_1 (VCPU:1) + CN1 [unsuffixed, _D] (DISK_GB:1000)
  2. NUMA1_2 (VCPU:1) + CN1 [unsuffixed, _D] (DISK_GB:1000)

provider   resource        used   capacity
CN1        DISK_GB            0       1000
           MEMORY_MB          0       1024
  NUMA1_1  VCPU               0          8
  NUMA1_2  VCPU               0          8
)");
    CHECK(asked("resources=VCPU:9") ==
          "no candidates: --explain says which part of the query leaves none\n");
}

TEST_CASE("candidates: names that are nobody's own give way to uuids", "[cli][candidates]") {
    const Folder folder;
    folder.write("twins.yaml", R"(
- {name: cn, uuid: 00000000-0000-0000-0000-000000000001, inventories: {VCPU: 1}}
- {name: cn, uuid: 00000000-0000-0000-0000-000000000002, inventories: {VCPU: 1}}
- {uuid: 00000000-0000-0000-0000-000000000003, inventories: {VCPU: 1}}
- {name: cn10, inventories: {VCPU: 1}}
- {name: cn9, inventories: {VCPU: 1}}
)");
    CHECK(candidates_of(done(folder, {"candidates", "twins.yaml", "resources=VCPU:1"})) ==
          std::vector<std::string>{"00000000-0000-0000-0000-000000000001 (VCPU:1)",
                                   "00000000-0000-0000-0000-000000000002 (VCPU:1)",
                                   "00000000-0000-0000-0000-000000000003 (VCPU:1)",
                                   "cn9 (VCPU:1)",
                                   "cn10 (VCPU:1)"});
}

TEST_CASE("candidates: --json is the service's body, --limit the service's limit",
          "[cli][candidates]") {
    const std::string query = "resources=VCPU:1,MEMORY_MB:512,DISK_GB:500";
    const auto body = nlohmann::json::parse(asked(query, {"--json"}));
    CHECK(body.at("allocation_requests").size() == 8);
    CHECK(body.at("provider_summaries").size() == 7);
    const auto first = nlohmann::json::parse(asked(query, {"--json", "--limit", "2"}));
    CHECK(first == nlohmann::json::parse(asked(query + "&limit=2", {"--json"})));
    CHECK(first.at("allocation_requests").size() == 2);
    CHECK(first.at("allocation_requests").at(0) == body.at("allocation_requests").at(0));
    CHECK(asked(query, {"--count"}) == "8\n");
    CHECK(asked(query, {"--count", "--limit", "2"}) == "8\n");
    CHECK(asked("resources=VCPU:9", {"--json"}) ==
          R"({"allocation_requests":[],"provider_summaries":{}})"
          "\n");
}

TEST_CASE("candidates: --order is by a scorer, and the limit of what is shown",
          "[cli][candidates]") {
    const Folder folder;
    folder.write("hosts.yaml",
                 "- {name: a, inventories: {VCPU: 8}, usages: {VCPU: 2}}\n"
                 "- {name: b, inventories: {VCPU: 8}}\n"
                 "- {name: c, inventories: {VCPU: 8}, usages: {VCPU: 6}}\n");
    const auto by = [&](const std::string& score, Arguments options = {}) {
        options.insert(options.begin(),
                       {"candidates", "hosts.yaml", "resources=VCPU:2", "--order", score});
        return candidates_of(done(folder, options));
    };
    CHECK(by("most-allocated") ==
          std::vector<std::string>{"c (VCPU:2)", "a (VCPU:2)", "b (VCPU:2)"});
    CHECK(by("least-allocated", {"--limit", "1"}) == std::vector<std::string>{"b (VCPU:2)"});
}

TEST_CASE("candidates: a request is a file of providers", "[cli][candidates]") {
    const Folder folder;
    const std::string request =
        R"({"providers": [{"uuid": "00000000-0000-0000-0000-000000000001", "name": "cn",)"
        R"( "inventories": {"VCPU": {"total": 2}}}], "queries": ["resources=VCPU:1"]})";
    folder.write("request.json", request);
    const std::string body =
        done(folder, {"candidates", "request.json", "resources=VCPU:1", "--json"});
    Circumstances how;
    how.input = request + "\n\n" + request + "\n";
    const std::string line =
        R"({"answers":[{"status":200,"body":)" + body.substr(0, body.size() - 1) + "}]}\n";
    CHECK(done(folder, {"candidates", "--jsonl"}, how) == line + line);
    how.input = request;
    CHECK(done(folder, {"candidates", "-", "resources=VCPU:1", "--json"}, how) == body);
}

TEST_CASE("candidates: --explain shows what each condition leaves, and why none is left",
          "[cli][candidates]") {
    CHECK(asked("resources=VCPU:9&root_required=!HW_NUMA_ROOT", {"--explain"}) ==
          R"(trees left   alone  condition
         3          all trees
         3       3  root_required=!HW_NUMA_ROOT
         0       0  resources=VCPU:9   <- removed the last

resources=VCPU:9:
  no provider has 9 VCPU left: )"
          "NUMA2_2 has the most, with 0 of 8 used\n"
          "  the tree of CN2 has 16 in pieces: one provider has to give what one group asks "
          "for, and several groups may ask for parts\n");
    CHECK(asked("resources=VCPU:8&resources1=DISK_GB:1&required1=MISC_SHARES_VIA_AGGREGATE",
                {"--explain"}) ==
          R"(trees left   alone  condition
         3          all trees
         2       2  resources=VCPU:8
         2       3  resources1=DISK_GB:1
         2       3  required1=MISC_SHARES_VIA_AGGREGATE
)");
}

TEST_CASE("candidates: every file of examples is valid", "[cli][candidates]") {
    const Folder folder;
    for (const auto& entry : std::filesystem::directory_iterator(examples)) {
        if (entry.path().extension() == ".yaml") {
            const Answer answer = folder.berth({"validate", entry.path().string()});
            CHECK(answer.status == 0);
            CHECK(answer.err.empty());
        }
    }
}
