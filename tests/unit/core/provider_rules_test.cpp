#include <catch2/catch.hpp>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "core/allocation_candidates/provider_rules.hpp"

namespace core = berth::core;

namespace {

using core::ResourceProvider;
using Providers = std::vector<ResourceProvider>;
using Field = std::vector<std::string>;

std::string uuid(int number) {
    const std::string digits = std::to_string(number);
    return "00000000-0000-0000-0000-" + std::string(12 - digits.size(), '0') + digits;
}

ResourceProvider provider(int number, std::string name, int parent) {
    ResourceProvider made;
    made.uuid = uuid(number);
    made.name = std::move(name);
    if (parent != 0) {
        made.parent_uuid = uuid(parent);
    }
    return made;
}

/// A host with two NUMA nodes, children first; the first has CPUs, of which some are used.
Providers sound_providers() {
    Providers providers{provider(3, "numa0", 1), provider(2, "numa1", 1), provider(1, "host", 0)};
    core::ProviderInventory cpus;
    cpus.total = 8;
    providers[0].inventories["VCPU"] = cpus;
    providers[0].usages = {{"VCPU", 9}, {"DISK_GB", 0}};
    providers[0].traits = {"HW_NUMA_ROOT", "CUSTOM_A_1"};
    providers[0].aggregates = {"any text"};
    return providers;
}

core::ProviderInventory& cpus(Providers& providers) {
    return providers[0].inventories.at("VCPU");
}

struct Row {
    std::string what;
    std::function<void(Providers&)> change;
    std::size_t provider;
    Field field;
    std::string message;
};

/// Lists in which the parent of a provider is wrong.
const std::vector<Row> wrong_parents{
    {"not there",
     [](Providers& all) { all[1].parent_uuid = uuid(7); },
     1,
     {"parent_uuid"},
     "unknown parent '" + uuid(7) + "': expected the uuid of another provider"},
    {"its own parent",
     [](Providers& all) { all[2].parent_uuid = uuid(1); },
     2,
     {"parent_uuid"},
     "the parents of host lead back to it (host): expected them to lead to a provider without a "
     "parent"},
    {"a loop below the first of the list",
     [](Providers& all) { all[2].parent_uuid = uuid(2); },
     1,
     {"parent_uuid"},
     "the parents of numa1 lead back to it (numa1, host): expected them to lead to a provider "
     "without a parent"},
    {"a loop in which one has no name",
     [](Providers& all) {
         all[2].parent_uuid = uuid(3);
         all[2].name.clear();
     },
     0,
     {"parent_uuid"},
     "the parents of numa0 lead back to it (numa0, " + uuid(1) +
         "): expected them to lead to a provider without a parent"},
};

const std::vector<Row> wrong_inventories{
    {"a negative total",
     [](Providers& all) { cpus(all).total = -1; },
     0,
     {"inventories", "VCPU", "total"},
     "total of VCPU is -1: expected at least 0"},
    {"a total that has no room",
     [](Providers& all) { cpus(all).total = core::provider_amount_max + 1; },
     0,
     {"inventories", "VCPU", "total"},
     "total of VCPU is 1152921504606846977: expected at most 1152921504606846976"},
    {"a negative reserved amount",
     [](Providers& all) { cpus(all).reserved = -2; },
     0,
     {"inventories", "VCPU", "reserved"},
     "reserved of VCPU is -2: expected at least 0"},
    {"more reserved than there is",
     [](Providers& all) { cpus(all).reserved = 9; },
     0,
     {"inventories", "VCPU", "reserved"},
     "reserved of VCPU is 9: expected at most its total, 8"},
    {"min_unit 0",
     [](Providers& all) { cpus(all).min_unit = 0; },
     0,
     {"inventories", "VCPU", "min_unit"},
     "min_unit of VCPU is 0: expected at least 1"},
    {"max_unit 0",
     [](Providers& all) { cpus(all).max_unit = 0; },
     0,
     {"inventories", "VCPU", "max_unit"},
     "max_unit of VCPU is 0: expected at least 1"},
    {"step_size 0",
     [](Providers& all) { cpus(all).step_size = 0; },
     0,
     {"inventories", "VCPU", "step_size"},
     "step_size of VCPU is 0: expected at least 1"},
    {"ratio 0",
     [](Providers& all) { cpus(all).allocation_ratio = 0; },
     0,
     {"inventories", "VCPU", "allocation_ratio"},
     "allocation_ratio of VCPU is 0: expected a number above 0"},
    {"a negative ratio",
     [](Providers& all) { cpus(all).allocation_ratio = -1.5; },
     0,
     {"inventories", "VCPU", "allocation_ratio"},
     "allocation_ratio of VCPU is -1.5: expected a number above 0"},
    {"a ratio that is no number",
     [](Providers& all) { cpus(all).allocation_ratio = std::numeric_limits<double>::quiet_NaN(); },
     0,
     {"inventories", "VCPU", "allocation_ratio"},
     "allocation_ratio of VCPU is nan: expected a number above 0"},
    {"a ratio without end",
     [](Providers& all) { cpus(all).allocation_ratio = std::numeric_limits<double>::infinity(); },
     0,
     {"inventories", "VCPU", "allocation_ratio"},
     "allocation_ratio of VCPU is inf: expected a number above 0"},
    {"a capacity that has no room",
     [](Providers& all) {
         cpus(all).total = core::provider_amount_max;
         cpus(all).allocation_ratio = 2;
     },
     0,
     {"inventories", "VCPU", "allocation_ratio"},
     "allocation_ratio of VCPU is 2: expected a capacity below 2305843009213693952"},
    {"a resource class in lower case",
     [](Providers& all) { all[1].inventories["vcpu"]; },
     1,
     {"inventories", "vcpu"},
     "resource class 'vcpu': expected 1 to 255 of A-Z, 0-9 and _"},
};

const std::vector<Row> other_faults{
    {"a uuid that is none",
     [](Providers& all) { all[1].uuid = "numa1"; },
     1,
     {"uuid"},
     "uuid is 'numa1': expected one such as 00000000-0000-0000-0000-000000000001"},
    {"one uuid twice",
     [](Providers& all) { all[1].uuid = uuid(3); },
     1,
     {"uuid"},
     "uuid " + uuid(3) + " is there twice: expected each uuid once"},
    {"a negative usage",
     [](Providers& all) { all[0].usages["VCPU"] = -1; },
     0,
     {"usages", "VCPU"},
     "usage of VCPU is -1: expected 0 to 1152921504606846976"},
    {"usage of what there is not",
     [](Providers& all) { all[0].usages["DISK_GB"] = 1; },
     0,
     {"usages", "DISK_GB"},
     "usage of DISK_GB is 1 without an inventory of it: expected one"},
    {"a trait with a hyphen",
     [](Providers& all) { all[0].traits.emplace_back("CUSTOM-B"); },
     0,
     {"traits", "CUSTOM-B"},
     "trait 'CUSTOM-B': expected 1 to 255 of A-Z, 0-9 and _"},
    {"a trait without a name",
     [](Providers& all) { all[2].traits.emplace_back(); },
     2,
     {"traits", ""},
     "trait '': expected 1 to 255 of A-Z, 0-9 and _"},
};

}  // namespace

TEST_CASE("provider rules: sound providers have no faults", "[core][candidates]") {
    Providers providers = sound_providers();
    CHECK(core::check_providers(providers).empty());
    cpus(providers) = {.total = core::provider_amount_max,
                       .reserved = core::provider_amount_max,
                       .min_unit = 7,
                       .max_unit = 3,
                       .step_size = core::provider_amount_max,
                       .allocation_ratio = 1e300};
    CHECK(core::check_providers(providers).empty());
    CHECK(core::check_providers({}).empty());
}

TEST_CASE("provider rules: each fault is said once, where it is", "[core][candidates]") {
    const auto& rows =
        GENERATE(std::cref(wrong_parents), std::cref(wrong_inventories), std::cref(other_faults));
    for (const Row& row : rows.get()) {
        INFO(row.what);
        Providers providers = sound_providers();
        row.change(providers);
        const auto faults = core::check_providers(providers);
        REQUIRE(faults.size() == 1);
        CHECK(faults[0].provider == row.provider);
        CHECK(faults[0].field == row.field);
        CHECK(faults[0].message == row.message);
    }
}

TEST_CASE("provider rules: all faults come in the order of the list", "[core][candidates]") {
    Providers providers = sound_providers();
    providers[2].parent_uuid = uuid(1);
    providers[1].parent_uuid = uuid(8);
    providers[1].uuid = "?";
    cpus(providers).total = -1;
    cpus(providers).step_size = 0;
    std::vector<std::pair<std::size_t, std::string>> places;
    for (const auto& fault : core::check_providers(providers)) {
        places.emplace_back(fault.provider, fault.field.back());
    }
    CHECK(places ==
          std::vector<std::pair<std::size_t, std::string>>{
              {0, "total"}, {0, "step_size"}, {1, "uuid"}, {1, "parent_uuid"}, {2, "parent_uuid"}});
}

TEST_CASE("provider rules: a long loop is named in a line", "[core][candidates]") {
    constexpr int count = 12;
    Providers providers;
    for (int i = 1; i <= count; ++i) {
        providers.push_back(provider(i, "p" + std::to_string(i), i % count + 1));
    }
    const auto faults = core::check_providers(providers);
    REQUIRE(faults.size() == 1);
    CHECK_THAT(faults[0].message,
               Catch::StartsWith("the parents of p1 lead back to it (p1, p2, p3, p4, p5, p6, p7, "
                                 "p8, p9, p10, and 2 more): "));
}

TEST_CASE("provider rules: capacity is one multiplication, cut off", "[core][candidates]") {
    using Case = std::tuple<core::Amount, core::Amount, double, core::Amount>;
    const auto [total, reserved, ratio, capacity] =
        GENERATE(table<core::Amount, core::Amount, double, core::Amount>({Case{100, 0, 1.1, 110},
                                                                          Case{100, 0, 0.29, 28},
                                                                          Case{16, 4, 4.0, 48},
                                                                          Case{8, 8, 16.0, 0},
                                                                          Case{3, 0, 0.1, 0}}));
    core::ProviderInventory inventory;
    inventory.total = total;
    inventory.reserved = reserved;
    inventory.allocation_ratio = ratio;
    CHECK(inventory.capacity() == capacity);
}
