#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string sound_providers = R"(kind: Providers
apiVersion: berth/v1
extra_traits: [CUSTOM_RARE]
providers:
  - name: storage
    uuid: 00000000-0000-0000-0000-000000000001
    inventories: {DISK_GB: {total: 100, reserved: 10, allocation_ratio: 1.5}}
    traits: [MISC_SHARES_VIA_AGGREGATE]
    aggregates: [shared]
  - name: host
    uuid: 00000000-0000-0000-0000-000000000002
    aggregates: [shared]
  - name: numa0
    parent: host
    inventories: {VCPU: 8, MEMORY_MB: {total: 64, step_size: 2}}
    usages: {VCPU: 2}
  - name: nic
    parent_uuid: 00000000-0000-0000-0000-000000000002
    inventories:
      SRIOV_NET_VF: {total: 8, max_unit: 4}
    traits: [CUSTOM_PHYSNET1]
)";

}  // namespace

TEST_CASE("mistakes in providers are reported where they are", "[cli][bad-input]") {
    check_mistakes(
        "validate",
        sound_providers,
        {{"an unknown parent",
          "parent: host",
          "parent: hots",
          "14:13: error: unknown parent 'hots': expected the name of another provider (did you "
          "mean 'host'?)"},
         {"a parent whose uuid is unknown",
          "parent_uuid: 00000000-0000-0000-0000-000000000002",
          "parent_uuid: 00000000-0000-0000-0000-000000000003",
          "18:18: error: unknown parent '00000000-0000-0000-0000-000000000003': expected the uuid "
          "of another provider"},
         {"a cycle",
          "  - name: host\n",
          "  - name: host\n    parent: numa0\n",
          "11:13: error: the parents of host lead back to it (host, numa0): expected them to lead "
          "to a provider without a parent"},
         {"its own parent",
          "parent: host",
          "parent: numa0",
          "14:13: error: the parents of numa0 lead back to it (numa0): expected them to lead to a "
          "provider without a parent"},
         {"two parents",
          "parent: host",
          "parent: host\n    parent_uuid: 00000000-0000-0000-0000-000000000001",
          "15:18: error: found '00000000-0000-0000-0000-000000000001': expected parent or "
          "parent_uuid, not both"},
         {"a name that is not one provider's",
          "name: nic",
          "name: host",
          "14:13: error: 2 providers are named 'host': expected parent_uuid"},
         {"one uuid twice",
          "uuid: 00000000-0000-0000-0000-000000000002",
          "uuid: 00000000-0000-0000-0000-000000000001",
          "11:11: error: uuid 00000000-0000-0000-0000-000000000001 is there twice: expected each "
          "uuid once"},
         {"one name twice",
          "name: nic",
          "name: numa0",
          "17:11: error: a second provider is named 'numa0': expected distinct names, or a uuid "
          "for each"},
         {"a uuid that is none",
          "uuid: 00000000-0000-0000-0000-000000000001",
          "uuid: storage",
          "6:11: error: uuid is 'storage': expected one such as "
          "00000000-0000-0000-0000-000000000001"},
         {"nothing to know it by",
          "  - name: numa0\n    parent: host",
          "  - parent: host",
          "13:5: error: a provider has no 'name' and no 'uuid': expected one"},
         {"a negative total",
          "VCPU: 8",
          "VCPU: -8",
          "15:25: error: found '-8': expected a whole number from 0 to 1152921504606846976"},
         {"no total",
          "{total: 8, max_unit: 4}",
          "{max_unit: 4}",
          "20:21: error: an inventory has no 'total': expected one"},
         {"step_size 0",
          "step_size: 2",
          "step_size: 0",
          "15:62: error: found '0': expected a whole number from 1 to 1152921504606846976"},
         {"ratio 0",
          "allocation_ratio: 1.5",
          "allocation_ratio: 0",
          "7:73: error: allocation_ratio of DISK_GB is 0: expected a number above 0"},
         {"more reserved than there is",
          "reserved: 10",
          "reserved: 101",
          "7:51: error: reserved of DISK_GB is 101: expected at most its total, 100"},
         {"a negative usage",
          "{VCPU: 2}",
          "{VCPU: -2}",
          "16:20: error: found '-2': expected a whole number from 0 to 1152921504606846976"},
         {"usage of what there is not",
          "{VCPU: 2}",
          "{PCPU: 2}",
          "16:20: error: usage of PCPU is 2 without an inventory of it: expected one"},
         {"a class in lower case",
          "SRIOV_NET_VF:",
          "sriov:",
          "20:7: error: resource class 'sriov': expected 1 to 255 of A-Z, 0-9 and _"},
         {"a trait in lower case",
          "[CUSTOM_PHYSNET1]",
          "[CUSTOM_PHYSNET1, physnet2]",
          "21:31: error: trait 'physnet2': expected 1 to 255 of A-Z, 0-9 and _"},
         {"an extra trait with a hyphen",
          "[CUSTOM_RARE]",
          "[CUSTOM-RARE]",
          "3:16: error: trait 'CUSTOM-RARE': expected 1 to 255 of A-Z, 0-9 and _"},
         {"traits that are no list",
          "traits: [CUSTOM_PHYSNET1]",
          "traits: CUSTOM_PHYSNET1",
          "21:13: error: found 'CUSTOM_PHYSNET1': expected a list of traits"},
         {"inventories that are no map",
          "inventories:\n      SRIOV_NET_VF: {total: 8, max_unit: 4}",
          "inventories: [SRIOV_NET_VF]",
          "19:18: error: found a list: expected inventories such as {VCPU: 8, DISK_GB: {total: "
          "100}}"},
         {"an unknown key",
          "    usages:",
          "    usage:",
          "16:5: error: unknown key 'usage' in a provider: expected name, uuid, parent, "
          "parent_uuid, inventories, usages, traits or aggregates (did you mean 'usages'?)"},
         {"an unknown key of an inventory",
          "step_size",
          "stepsize",
          "15:51: error: unknown key 'stepsize' in an inventory: expected total, reserved, "
          "min_unit, max_unit, step_size or allocation_ratio (did you mean 'step_size'?)"},
         {"an unknown key of the list",
          "extra_traits",
          "extra_trait",
          "3:1: error: unknown key 'extra_trait' in a list of providers: expected apiVersion, "
          "kind, "
          "metadata, providers, extra_traits, extra_rcs or queries (did you mean "
          "'extra_traits'?)"}});
}

TEST_CASE("names of providers that nobody knows are a warning", "[cli][bad-input]") {
    const Folder folder;
    folder.write("p.yaml", replaced(sound_providers, "CUSTOM_PHYSNET1", "HW_NUMA_ROT"));
    const Answer answer = folder.berth({"candidates", "p.yaml", "resources=VCPU:1"});
    CHECK(answer.status == 0);
    CHECK(answer.first_line() ==
          "p.yaml:21:14: warning: trait 'HW_NUMA_ROT' is not a standard one: expected one of "
          "those, or "
          "CUSTOM_... (did you mean 'HW_NUMA_ROOT'?)");
    CHECK_THAT(answer.out, Catch::StartsWith("1 candidate\n"));
}

TEST_CASE("a query that is none is refused where it is wrong", "[cli][bad-input]") {
    using Row = std::pair<std::string, std::string>;
    const auto [query, message] = GENERATE(table<std::string, std::string>(
        {Row{"", "1:1: error: There must be at least one resources or resources[$S] parameter"},
         Row{"resources=VCPU:1&requierd=HW_NUMA_ROOT",
             "1:18: error: Invalid query string parameters: Additional properties are not allowed "
             "('requierd' was unexpected): expected group_policy, in_tree, limit, member_of, "
             "required, resources, root_required or same_subtree (did you mean 'required'?)"},
         Row{"resources=VCPU:1&limit=0",
             "1:18: error: Invalid query string parameters: '0' does not match '^[1-9][0-9]*$': "
             "expected a whole number of at least 1"},
         Row{"resources=VCPU:x",
             "1:1: error: Requested resource VCPU expected positive integer amount. Got: x"},
         Row{"resources=VCPU:1&required1=HW_NUMA_ROOT",
             "1:18: error: Resourceless suffixed group request should be specified in "
             "`same_subtree` query param: bad group(s) - ['1']"},
         Row{"resources=VCPU:1&required=A,!A",
             "1:18: error: Conflicting required and forbidden traits found in the following "
             "traits keys: required: (A): expected each to be required or forbidden"},
         Row{"GET /allocation_candidates?resources=VCPU:1\n  &resources_N=SRIOV_NET_FV:1",
             "2:4: error: Invalid resource class in resources parameter: No such resource class "
             "SRIOV_NET_FV: expected one that exists (did you mean 'SRIOV_NET_VF'?)"},
         Row{"resources=VCPU:1&required=CUSTOM_PHYSNET",
             "1:18: error: No such trait(s): CUSTOM_PHYSNET: expected one that exists (did you "
             "mean 'CUSTOM_PHYSNET1'?)"},
         Row{"resources=VCPU:1&in_tree=<hots uuid>",
             "1:26: error: unknown provider 'hots': expected the name of one in the file (did you "
             "mean 'host'?)"},
         Row{"resources=VCPU:1&member_of=<host>",
             "1:28: error: unknown aggregate 'host': expected the name of one in the file"}}));
    CAPTURE(query);
    const Folder folder;
    folder.write("p.yaml", sound_providers);
    const Answer answer = folder.berth({"candidates", "p.yaml", query});
    CHECK(answer.status == 2);
    CHECK(answer.out.empty());
    CHECK(answer.first_line() == "QUERY:" + message);
}

TEST_CASE("what the candidates command cannot do is said in a line", "[cli][bad-input]") {
    struct Row {
        Arguments arguments;
        std::string message;
    };
    const std::vector<Row> rows{
        {{"none.yaml", "limit=1"},
         "none.yaml: error: cannot be read (No such file or directory): expected a readable file"},
        {{"empty.yaml", "limit=1"}, "empty.yaml: error: is empty: expected providers"},
        {{"topology.yaml", "limit=1"},
         "topology.yaml:1:7: error: unknown kind 'Topology': expected Providers"},
        {{"text.yaml", "limit=1"},
         "text.yaml:1:1: error: a list of providers is a text: expected a map of keys and values"},
        {{"p.yaml", "resources=VCPU:1", "--json", "--count"},
         "berth candidates: error: several of --json, --count, --explain: expected one"},
        {{"p.yaml", "resources=VCPU:1", "--order", "best-fits"},
         "berth candidates: error: unknown score 'best-fits': expected balanced-allocation, "
         "best-fit, first-fit, "
         "least-allocated, most-allocated or worst-fit (did you mean 'best-fit'?)"},
        {{"p.yaml", "resources=VCPU:1", "--order", "best-fit", "--json"},
         "berth candidates: error: --order with --json, --count or --explain: expected it with the "
         "table"},
        {{"p.yaml", "resources=VCPU:1", "--limit", "0"},
         "berth candidates: error: --limit is 0: expected at least 1"},
        {{"p.yaml", "resources=DISK_GB:1", "--max-candidates", "-1"},
         "berth candidates: error: --max-candidates is -1: expected at least 1"},
        {{"p.yaml", "resources=VCPU:1", "--jsonl"},
         "berth candidates: error: --jsonl with something else: expected it alone"},
        {{"p.yaml", "resources=VCPU:1", "--explian"},
         "berth candidates: error: unknown option '--explian': expected --json, --count, "
         "--explain, --order, --limit, --topology, --max-candidates, --jsonl or --help (did you "
         "mean "
         "'--explain'?)"},
    };
    const Folder folder;
    folder.write("p.yaml", sound_providers);
    folder.write("empty.yaml", "");
    folder.write("topology.yaml", sound_topology);
    folder.write("text.yaml", "text\n");
    for (const Row& row : rows) {
        Arguments arguments = row.arguments;
        arguments.insert(arguments.begin(), "candidates");
        const Answer answer = folder.berth(arguments);
        CHECK(answer.status == 2);
        CHECK(answer.out.empty());
        CHECK(answer.first_line() == row.message);
    }
}

TEST_CASE("more candidates than may be held are refused", "[cli][bad-input]") {
    const Folder folder;
    folder.write("p.yaml", replaced(sound_providers, "VCPU: 8", "DISK_GB: 8, VCPU: 8"));
    const Arguments arguments{"candidates", "p.yaml", "resources=DISK_GB:1", "--max-candidates"};
    const auto at_most = [&](const std::string& count) {
        Arguments all = arguments;
        all.push_back(count);
        return folder.berth(all);
    };
    CHECK(at_most("1").status == 2);
    CHECK(at_most("1").err ==
          "berth candidates: error: more than 1 candidates: expected fewer, with --limit, or a "
          "larger --max-candidates\n");
    CHECK(at_most("2").status == 0);
    Arguments limited = arguments;
    limited.insert(limited.end(), {"1", "--limit", "1"});
    CHECK(folder.berth(limited).status == 0);
}

TEST_CASE("a bad line in a stream of requests is answered, and the stream goes on",
          "[cli][bad-input]") {
    using nlohmann::json;
    const std::string uuid = "00000000-0000-0000-0000-000000000001";
    const json provider{{"uuid", uuid}, {"inventories", {{"VCPU", {{"total", 1}}}}}};
    const json sound{{"providers", {provider}}, {"queries", {"nope", "resources=VCPU:2"}}};
    const json no_query{{"providers", json::array()}, {"queries", {7}}};
    const json twins{{"providers", {provider, provider}}, {"queries", json::array()}};
    Circumstances how;
    how.input = "{\n" + sound.dump() + "\n[]\n" + no_query.dump() + "\n" + twins.dump() + "\n" +
                sound.dump();
    const Folder folder;
    const Answer answer = folder.berth({"candidates", "--jsonl"}, how);
    CHECK(answer.status == 0);
    CHECK(answer.err.empty());
    std::vector<json> lines;
    std::istringstream in(answer.out);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(json::parse(line));
    }
    const json none{{"allocation_requests", json::array()}, {"provider_summaries", json::object()}};
    const json answered{
        {"answers",
         {{{"status", 400},
           {"error",
            "Invalid query string parameters: Additional properties are not allowed ('nope' was "
            "unexpected)"}},
          {{"status", 200}, {"body", none}}}}};
    const auto error = [](const std::string& message) { return json{{"error", message}}; };
    CHECK(lines ==
          std::vector<json>{error("no JSON at byte 2: expected an object"),
                            answered,
                            error("a request: expected a JSON object"),
                            error("an entry of queries of the request is 7: expected a text"),
                            error("provider " + uuid + ": uuid " + uuid +
                                  " is there twice: expected each uuid once"),
                            answered});
}
