#include "experiments/program/config/cluster/read_providers.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "core/allocation_candidates/provider_rules.hpp"
#include "experiments/program/config/cluster/candidate_query_text.hpp"
#include "experiments/program/support/documents.hpp"

namespace {

using namespace berth;
using experiments::ProviderList;

ProviderList read(const std::string& text) {
    const auto source = std::make_shared<core::SourceText>(core::SourceText{"p.yaml", text});
    core::Diagnostics diagnostics;
    ProviderList list =
        experiments::read_providers(experiments::parse_documents(source), diagnostics);
    diagnostics.throw_if_failed();
    return list;
}

/// Providers as people write them, in two documents and with the child first.
const std::string written = R"(kind: Providers
apiVersion: berth/v1
providers:
  - {name: numa0, parent: host, inventories: {VCPU: 8}, usages: {VCPU: 2}}
---
kind: Providers
extra_traits: [CUSTOM_A]
extra_rcs: [CUSTOM_B]
providers:
  - name: host
    uuid: 00000000-0000-0000-0000-000000000001
    inventories:
      MEMORY_MB:
        {total: 64, reserved: 4, min_unit: 2, max_unit: 32, step_size: 2, allocation_ratio: 1.5}
    traits: [HW_NUMA_ROOT]
    aggregates: [storage, aaaaaaaa-0000-0000-0000-000000000001]
)";

std::string query(const std::string& text) {
    return experiments::CandidateQueryText(text, read(written)).query();
}

}  // namespace

TEST_CASE("providers: what people write is what programs write", "[experiments][candidates]") {
    const ProviderList list = read(written);
    const std::string numa = experiments::uuid_of_name("provider", "numa0");
    const std::string storage = experiments::uuid_of_name("aggregate", "storage");
    const ProviderList same = read(R"({"providers": [
        {"uuid": ")" + numa + R"(", "name": "numa0",
         "parent_uuid": "00000000-0000-0000-0000-000000000001",
         "inventories": {"VCPU": {"total": 8, "reserved": 0, "min_unit": 1, "max_unit": 2147483647,
                                  "step_size": 1, "allocation_ratio": 1.0}},
         "usages": {"VCPU": 2}, "traits": [], "aggregates": []},
        {"uuid": "00000000-0000-0000-0000-000000000001", "name": "host", "parent_uuid": null,
         "inventories": {"MEMORY_MB": {"total": 64, "reserved": 4, "min_unit": 2, "max_unit": 32,
                                       "step_size": 2, "allocation_ratio": 1.5}},
         "usages": {}, "traits": ["HW_NUMA_ROOT"],
         "aggregates": [")" + storage +
                                   R"(", "aaaaaaaa-0000-0000-0000-000000000001"]}],
        "extra_traits": ["CUSTOM_A"], "extra_rcs": ["CUSTOM_B"], "queries": []})");
    CHECK(list.providers == same.providers);
    CHECK(list.extra_traits == same.extra_traits);
    CHECK(list.extra_classes == same.extra_classes);
    CHECK(list.aggregates.at("storage") == storage);
    CHECK(same.aggregates.empty());
}

TEST_CASE("providers: a bare list is enough, and a parent may be a uuid",
          "[experiments][candidates]") {
    const ProviderList list = read(R"(- {uuid: 00000000-0000-0000-0000-000000000001}
- {name: a, parent: 00000000-0000-0000-0000-000000000001}
)");
    REQUIRE(list.providers.size() == 2);
    CHECK(list.providers[1].parent_uuid == list.providers[0].uuid);
    CHECK(core::called(list.providers[0]) == list.providers[0].uuid);
    CHECK(core::check_providers(list.providers).empty());
}

TEST_CASE("providers: uuids of names are those of every other program",
          "[experiments][candidates]") {
    // Python: uuid.uuid5(uuid.NAMESPACE_URL, 'berth:provider/CN1')
    CHECK(experiments::uuid_of_name("provider", "CN1") == "93a50e92-7fd7-58bb-b509-066b956793ee");
}

TEST_CASE("candidate query text: what a document prints is a query", "[experiments][candidates]") {
    const std::string host = "00000000-0000-0000-0000-000000000001";
    const std::string storage = experiments::uuid_of_name("aggregate", "storage");
    CHECK(query("resources=VCPU:1") == "resources=VCPU:1");
    CHECK(query("?resources=VCPU:1") == "resources=VCPU:1");
    CHECK(query("GET /allocation_candidates?resources=VCPU:1\n    &limit=2\n") ==
          "resources=VCPU:1&limit=2");
    CHECK(query("GET /allocation_candidates\n  ?resources = VCPU:1\n") == "resources=VCPU:1");
    CHECK(query("https://placement/allocation_candidates?limit=1") == "limit=1");
    CHECK(query("resources=VCPU:1&in_tree=<host uuid>&member_of=in:<storage>,<storage uuid>") ==
          "resources=VCPU:1&in_tree=" + host + "&member_of=in:" + storage + "," + storage);
    CHECK(query("a=<") == "a=<");
}
