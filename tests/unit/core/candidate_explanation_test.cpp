#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/allocation_candidates/candidate_conditions.hpp"
#include "core/allocation_candidates/candidate_explanation.hpp"

namespace core = berth::core;

namespace {

using Traits = std::vector<std::string>;

const std::string agg_a = "aaaaaaaa-0000-0000-0000-00000000000a";
const std::string agg_b = "aaaaaaaa-0000-0000-0000-00000000000b";

std::string uuid(int number) {
    const std::string digits = std::to_string(number);
    return "00000000-0000-0000-0000-" + std::string(12 - digits.size(), '0') + digits;
}

core::ResourceProvider provider(int number,
                                std::string name,
                                int parent,
                                const std::map<std::string, core::Amount>& totals,
                                Traits traits = {},
                                std::vector<std::string> aggregates = {}) {
    core::ResourceProvider made;
    made.uuid = uuid(number);
    made.name = std::move(name);
    if (parent != 0) {
        made.parent_uuid = uuid(parent);
    }
    for (const auto& [type, total] : totals) {
        made.inventories[type].total = total;
    }
    made.traits = std::move(traits);
    made.aggregates = std::move(aggregates);
    return made;
}

/// A storage that the tree of CN1 shares, CN1 with two NUMA nodes and a NIC, and CN2 with one NUMA
/// node and a disk.
core::ProviderForest cloud() {
    auto storage =
        provider(1, "SS1", 0, {{"DISK_GB", 100}}, {"MISC_SHARES_VIA_AGGREGATE"}, {agg_a});
    auto big = provider(4, "NUMA1_2", 2, {{"VCPU", 8}, {"PCPU", 4}}, {"HW_NUMA_ROOT"}, {agg_b});
    big.usages = {{"VCPU", 5}, {"PCPU", 5}};
    auto nic = provider(5, "NIC1", 3, {{"SRIOV_NET_VF", 8}}, {"HW_NIC_ACCEL_SSL"});
    nic.inventories["SRIOV_NET_VF"].min_unit = 2;
    nic.inventories["SRIOV_NET_VF"].max_unit = 6;
    nic.inventories["SRIOV_NET_VF"].step_size = 2;
    core::ProviderForestBuilder builder;
    builder.know_trait("CUSTOM_NOWHERE");
    for (const auto& each :
         {storage,
          provider(2, "CN1", 0, {{"MEMORY_MB", 64}}, {"COMPUTE_NODE"}, {agg_a}),
          provider(3, "NUMA1_1", 2, {{"VCPU", 8}}, {"HW_NUMA_ROOT"}),
          big,
          nic,
          provider(6, "CN2", 0, {{"MEMORY_MB", 64}, {"DISK_GB", 50}}, {"COMPUTE_NODE"}),
          provider(7, "NUMA2_1", 6, {{"VCPU", 8}}, {"HW_NUMA_ROOT"})}) {
        builder.add(each);
    }
    return builder.build();
}

core::CandidateExplanation explained(const std::string& text) {
    static const core::ProviderForest forest = cloud();
    const auto query = core::parse_candidate_query(text);
    INFO(text);
    REQUIRE(std::holds_alternative<core::CandidateQuery>(query));
    return core::explain_candidates(forest, std::get<core::CandidateQuery>(query));
}

struct Row {
    std::string query;
    std::string culprit;
    std::vector<std::string> causes;
};

const std::vector<Row> amounts{
    {"resources=FPGA:1", "resources=FPGA:1", {"no provider has an inventory of FPGA"}},
    {"resources=VCPU:17",
     "resources=VCPU:17",
     {"no provider has 17 VCPU left: NUMA1_1 has the most, with 0 of 8 used"}},
    {"resources=VCPU:11",
     "resources=VCPU:11",
     {"no provider has 11 VCPU left: NUMA1_1 has the most, with 0 of 8 used",
      "the tree of CN1 has 11 in pieces: one provider has to give what one group asks for, and "
      "several groups may ask for parts"}},
    {"resources=PCPU:1",
     "resources=PCPU:1",
     {"no provider has 1 PCPU left: NUMA1_2 has the most, with 5 of 4 used"}},
    {"resources_N=SRIOV_NET_VF:8",
     "resources_N=SRIOV_NET_VF:8",
     {"1 provider has room for it, but max_unit lets a request have at most 6, as on NIC1"}},
    {"resources_N=SRIOV_NET_VF:1",
     "resources_N=SRIOV_NET_VF:1",
     {"1 provider has room for it, but min_unit lets a request have at least 2, as on NIC1",
      "1 provider has room for it, but step_size lets a request have multiples of 2, as on "
      "NIC1"}},
    {"resources1=VCPU:1,MEMORY_MB:1",
     "resources1=MEMORY_MB:1",
     {"no single provider has it all, as a group with a suffix wants it; in 2 trees several have "
      "it together, which would do for a group without a suffix"}},
    {"resources1=VCPU:8&resources2=VCPU:4&resources3=DISK_GB:50&group_policy=none&in_tree1=" +
         uuid(6),
     "resources2=VCPU:4",
     {"in the 1 tree left above the group can have it, but not besides what other groups take "
      "there"}},
    {"resources=SRIOV_NET_VF:2,DISK_GB:50,PCPU:1",
     "resources=PCPU:1",
     {"no provider has 1 PCPU left: NUMA1_2 has the most, with 5 of 4 used"}},
};

const std::vector<Row> traits{
    {"resources=VCPU:1&required=CUSTOM_NOWHERE",
     "required=CUSTOM_NOWHERE",
     {"no provider has CUSTOM_NOWHERE"}},
    {"resources=VCPU:1&required=in:HW_NIC_ACCEL_SSL,CUSTOM_NOWHERE",
     "required=in:CUSTOM_NOWHERE,HW_NIC_ACCEL_SSL",
     {"in 1 of the 2 trees left above a provider has it, such as NIC1, but none that serves the "
      "group: traits count on the providers that serve it"}},
    {"resources=DISK_GB:40&in_tree=" + uuid(6) + "&required=HW_NIC_ACCEL_SSL",
     "required=HW_NIC_ACCEL_SSL",
     {"in 1 of the 3 trees left above a provider has it, such as NIC1, but none that serves the "
      "group: traits count on the providers that serve it"}},
    {"resources=MEMORY_MB:1&resources1=VCPU:8&required1=!HW_NUMA_ROOT",
     "required1=!HW_NUMA_ROOT",
     {"every candidate left above takes a provider with this trait for the group"}},
    {"resources=VCPU:1&root_required=HW_NUMA_ROOT",
     "root_required=HW_NUMA_ROOT",
     {"no root has HW_NUMA_ROOT"}},
    {"resources=VCPU:1&root_required=COMPUTE_NODE,MISC_SHARES_VIA_AGGREGATE",
     "root_required=MISC_SHARES_VIA_AGGREGATE",
     {"none of the 1 tree whose root has MISC_SHARES_VIA_AGGREGATE is among the 2 trees left "
      "above"}},
    {"resources=VCPU:1&required1=!HW_NUMA_ROOT&same_subtree=1",
     "required1=!HW_NUMA_ROOT",
     {"a group without resources is served by what has its required traits or aggregates, and it "
      "asks for none"}},
};

const std::vector<Row> places{
    {"resources=VCPU:1&member_of=" + uuid(9),
     "member_of=" + uuid(9),
     {"no provider is in " + uuid(9)}},
    {"resources=VCPU:5&member_of=" + agg_b,
     "member_of=" + agg_b,
     {"NUMA1_2 is in it, and its root CN1 is not: only the aggregates of a root count for its "
      "whole tree"}},
    {"resources1=VCPU:1&member_of1=" + agg_a,
     "member_of1=" + agg_a,
     {"CN1 is in it, and does not serve the group: for a group with a suffix only the aggregates "
      "of the provider itself count"}},
    {"resources=DISK_GB:60&member_of=" + agg_b,
     "member_of=" + agg_b,
     {"NUMA1_2 is in it, and its root CN1 is not: only the aggregates of a root count for its "
      "whole tree"}},
    {"resources=DISK_GB:60&member_of=!" + agg_a,
     "member_of=!" + agg_a,
     {"every candidate left above takes a provider in this aggregate for the group"}},
    {"resources=VCPU:1&in_tree=" + uuid(9), "in_tree=" + uuid(9), {"no provider has this uuid"}},
    {"resources=VCPU:1,DISK_GB:60&in_tree=" + uuid(3),
     "in_tree=" + uuid(3),
     {"the tree of CN1 has not all of it by itself: in_tree of a group without a suffix bars what "
      "other trees share with it"}},
    {"resources1=DISK_GB:60&in_tree1=" + uuid(3),
     "in_tree1=" + uuid(3),
     {"the tree of CN1 cannot serve the group"}},
    {"resources1=VCPU:1&resources2=MEMORY_MB:1&resources3=MEMORY_MB:1&group_policy=isolate",
     "group_policy=isolate",
     {"in no tree left above can all groups with a suffix have different providers"}},
    {"resources1=VCPU:4&resources2=SRIOV_NET_VF:2&required3=COMPUTE_NODE&in_tree3=" + uuid(1) +
         "&group_policy=none&same_subtree=1,2,3",
     "",
     {}},
    {"resources1=VCPU:3&resources2=VCPU:8&group_policy=isolate&same_subtree=1,2",
     "same_subtree=1,2",
     {"none of the providers that can serve these groups is above all the others: a common "
      "parent counts only if it serves one of the groups itself, be it a group without "
      "resources"}},
};

}  // namespace

TEST_CASE("candidate explanation: the condition that leaves none, and why", "[core][candidates]") {
    for (const auto* rows : {&amounts, &traits, &places}) {
        for (const Row& row : *rows) {
            INFO(row.query);
            const core::CandidateExplanation explanation = explained(row.query);
            CHECK((explanation.culprit ? explanation.conditions[*explanation.culprit].text : "") ==
                  row.culprit);
            CHECK(explanation.causes == row.causes);
        }
    }
}

TEST_CASE("candidate explanation: each condition leaves fewer trees", "[core][candidates]") {
    const auto explanation = explained(
        "resources=DISK_GB:50&root_required=COMPUTE_NODE&resources_C=VCPU:3"
        "&required_C=HW_NUMA_ROOT&resources_N=SRIOV_NET_VF:2&group_policy=isolate"
        "&same_subtree=_C,_N");
    CHECK(explanation.trees == 3);
    CHECK(explanation.conditions ==
          std::vector<core::ExplainedCondition>{{"root_required=COMPUTE_NODE", 2, 2},
                                                {"resources=DISK_GB:50", 2, 3},
                                                {"resources_C=VCPU:3", 2, 2},
                                                {"required_C=HW_NUMA_ROOT", 2, 2},
                                                {"resources_N=SRIOV_NET_VF:2", 1, 1},
                                                {"group_policy=isolate", 1, 1},
                                                {"same_subtree=_C,_N", 1, 1}});
    CHECK_FALSE(explanation.culprit);
    CHECK(explanation.causes.empty());
}

TEST_CASE("candidate explanation: behind the last condition nothing is left",
          "[core][candidates]") {
    const auto explanation =
        explained("resources=VCPU:9&required=!HW_NUMA_ROOT&member_of=" + agg_a);
    CHECK(explanation.conditions ==
          std::vector<core::ExplainedCondition>{{"resources=VCPU:9", 0, 0},
                                                {"member_of=" + agg_a, 0, 2},
                                                {"required=!HW_NUMA_ROOT", 0, std::nullopt}});
    CHECK(explanation.culprit == std::optional<std::size_t>(0));
}

TEST_CASE("candidate explanation: a forest without trees", "[core][candidates]") {
    core::ProviderForestBuilder builder;
    const core::ProviderForest forest = builder.build();
    const auto query = core::parse_candidate_query("resources=VCPU:1");
    const auto explanation =
        core::explain_candidates(forest, std::get<core::CandidateQuery>(query));
    CHECK(explanation.trees == 0);
    CHECK(explanation.causes == std::vector<std::string>{"there are no providers"});
}
