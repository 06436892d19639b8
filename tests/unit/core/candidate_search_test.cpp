#include "core/allocation_candidates/candidate_search.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string_view>
#include <variant>

#include <string>
#include <vector>

#include "core/allocation_candidates/candidate_order.hpp"

namespace {

using namespace berth::core;

constexpr std::uint64_t no_bound = 1'000'000;

std::string uuid(std::uint32_t number) {
    return fmt::format("00000000-0000-0000-0000-{:012}", number);
}

/// Hands out ascending uuids; the number of a provider is that of its uuid.
class Providers {
public:
    std::uint32_t add(std::optional<std::uint32_t> parent,
                      std::map<std::string, Amount> totals,
                      std::vector<std::string> traits = {},
                      std::vector<std::string> aggregates = {}) {
        ResourceProvider provider;
        provider.uuid = uuid(++count_);
        provider.name = fmt::format("p{}", count_);
        if (parent) {
            provider.parent_uuid = uuid(*parent);
        }
        for (const auto& [name, total] : totals) {
            provider.inventories[name].total = total;
        }
        provider.traits = std::move(traits);
        provider.aggregates = std::move(aggregates);
        builder_.add(provider);
        return count_;
    }
    ProviderForest build() { return builder_.build(); }

private:
    ProviderForestBuilder builder_;
    std::uint32_t count_ = 0;
};

CandidateQuery parsed(const std::string& text) {
    const auto query = parse_candidate_query(text);
    INFO(text);
    REQUIRE(std::holds_alternative<CandidateQuery>(query));
    return std::get<CandidateQuery>(query);
}

/// Each candidate as the names of its providers by part, in berth's order.
std::vector<std::string> names(const ProviderForest& forest, const std::string& text) {
    const CandidateQuery query = parsed(text);
    const CandidateSearch search(forest, query);
    REQUIRE_FALSE(search.fault());
    const auto found = search.find(no_bound);
    REQUIRE(found);
    CandidateWriter writer(forest, query, search.parts());
    std::vector<std::string> out;
    for (const std::uint32_t i : candidates_in_order(writer, *found)) {
        std::string& line = out.emplace_back();
        for (const ProviderIndex provider : (*found)[i]) {
            line += line.empty() ? "" : " ";
            line += forest.name(provider);
        }
    }
    return out;
}

/// A host with `gpus` children of one GPU each.
ProviderForest wide_host(std::uint32_t gpus) {
    Providers providers;
    const std::uint32_t host = providers.add(std::nullopt, {{"VCPU", 64}});
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        providers.add(host, {{"PGPU", 1}});
    }
    return providers.build();
}

std::string wide_query(std::uint32_t groups, std::string_view rest) {
    std::string query = "resources=VCPU:1";
    for (std::uint32_t group = 0; group < groups; ++group) {
        query += fmt::format("&resources_{:02}=PGPU:1", group);
    }
    return fmt::format("{}&group_policy=none{}", query, rest);
}

}  // namespace

TEST_CASE("candidates: what capacity rules out is not enumerated", "[core][candidates]") {
    const ProviderForest forest = wide_host(8);
    const CandidateQuery query = parsed(wide_query(6, ""));
    const CandidateSearch search(forest, query);
    CHECK(search.find(no_bound)->size() == 8 * 7 * 6 * 5 * 4 * 3);
    // Every prefix of a permutation is visited once, and each tries all eight: not 8^6.
    CHECK(search.providers_tried() == 1 + 8 * (1 + 8 + 56 + 336 + 1'680 + 6'720));
}

TEST_CASE("candidates: a limit costs what it gives", "[core][candidates]") {
    const ProviderForest forest = wide_host(64);
    SECTION("of more candidates than there are atoms in the world") {
        const CandidateQuery query = parsed(wide_query(32, "&limit=10"));
        const CandidateSearch search(forest, query);
        const auto found = search.find(no_bound);
        CHECK(found->size() == 10);
        CHECK(search.providers_tried() < 100'000);
    }
    SECTION("and gives the first ones of all") {
        const std::vector<std::string> all = names(wide_host(6), wide_query(4, ""));
        for (const std::size_t limit : {1UL, 2UL, 7UL, 24UL, 25UL, 359UL, 360UL, 1'000UL}) {
            const auto first = names(wide_host(6), wide_query(4, fmt::format("&limit={}", limit)));
            CHECK(first == std::vector(all.begin(),
                                       all.begin() + static_cast<std::ptrdiff_t>(
                                                         std::min(limit, all.size()))));
        }
    }
}

TEST_CASE("candidates: nothing is enumerated where no way of sharing out the parts exists",
          "[core][candidates]") {
    // Eleven groups, each on a provider of its own, by policy or because each provider has one
    // place only; ten of the groups can use only the same nine providers.
    const auto [policy, places] =
        GENERATE(table<std::string, Amount>({{"isolate", 4}, {"none", 1}}));
    CAPTURE(policy);
    Providers providers;
    const std::uint32_t host = providers.add(std::nullopt, {});
    for (int i = 0; i < 9; ++i) {
        providers.add(host, {{"PGPU", places}}, {"CUSTOM_FAST"});
    }
    for (int i = 0; i < 5; ++i) {
        providers.add(host, {{"PGPU", places}});
    }
    const ProviderForest forest = providers.build();
    std::string text = "resources_x=PGPU:1&group_policy=" + policy;
    for (int i = 0; i < 10; ++i) {
        text += fmt::format("&resources_{}=PGPU:1&required_{}=CUSTOM_FAST", i, i);
    }
    const CandidateQuery query = parsed(text);
    const CandidateSearch search(forest, query);
    CHECK(search.find(no_bound)->size() == 0);
    CHECK(search.trees_searched() == 1);
    CHECK(search.providers_tried() == 0);
}

TEST_CASE("candidates: trees that have too little left are not looked at", "[core][candidates]") {
    Providers providers;
    for (std::uint32_t host = 0; host < 1'000; ++host) {
        const std::uint32_t root = providers.add(std::nullopt, {{"DISK_GB", 100}});
        providers.add(root, {{"VCPU", 8}}, {host == 700 ? "CUSTOM_RARE" : "CUSTOM_COMMON"});
        providers.add(root, {{"VCPU", 8}}, {"CUSTOM_COMMON"});
    }
    ProviderForest forest = providers.build();
    const ClassIndex vcpu = *forest.classes().find("VCPU");
    for (ProviderIndex provider = 0; provider < forest.provider_count(); ++provider) {
        if (forest.inventory(provider, vcpu) != nullptr && forest.tree(provider) % 100 != 42) {
            forest.add_usage(provider, vcpu, 5);
        }
    }
    const auto searched = [&](const std::string& text, std::uint64_t candidates) {
        const CandidateQuery query = parsed(text);
        const CandidateSearch search(forest, query);
        CHECK(search.find(no_bound)->size() == candidates);
        return search.trees_searched();
    };
    CHECK(searched("resources=VCPU:4,DISK_GB:1", 20) == 10);
    CHECK(searched("resources=VCPU:3,DISK_GB:1", 2'000) == 1'000);
    CHECK(searched("resources1=VCPU:1&required1=CUSTOM_RARE", 1) == 1);
    CHECK(searched("resources=VCPU:1&limit=10", 10) <= 11);

    SECTION("and are again once it is given back") {
        const ProviderIndex provider = *forest.find(uuid(2));
        forest.add_usage(provider, vcpu, -5);
        CHECK(searched("resources=VCPU:4,DISK_GB:1", 21) == 11);
        forest.add_usage(provider, vcpu, 100);  // more than there is, as the service allows
        CHECK(searched("resources=VCPU:4,DISK_GB:1", 20) == 10);
    }
}

TEST_CASE("candidates: shared storage before all hosts does not make a limit look at all of them",
          "[core][candidates]") {
    Providers providers;
    const std::string aggregate = uuid(999'999);
    providers.add(std::nullopt, {{"DISK_GB", 100}}, {std::string(sharing_trait)}, {aggregate});
    providers.add(std::nullopt, {{"DISK_GB", 100}}, {std::string(sharing_trait)}, {aggregate});
    for (int host = 0; host < 1'000; ++host) {
        providers.add(std::nullopt, {{"VCPU", 8}}, {}, {aggregate});
    }
    const ProviderForest forest = providers.build();
    const CandidateQuery query = parsed("resources=VCPU:1,DISK_GB:1&limit=10");
    const CandidateSearch search(forest, query);
    CHECK(search.find(no_bound)->size() == 10);
    CHECK(search.trees_searched() <= 12);
    CHECK(names(forest, "resources=VCPU:1,DISK_GB:1&limit=3") ==
          std::vector<std::string>{"p3 p1", "p4 p1", "p5 p1"});
}

TEST_CASE("candidates: more than the bound are not held", "[core][candidates]") {
    const ProviderForest forest = wide_host(8);
    const CandidateQuery all = parsed(wide_query(3, ""));
    CHECK_FALSE(CandidateSearch(forest, all).find(335));
    CHECK(CandidateSearch(forest, all).find(336)->size() == 336);
    const CandidateQuery few = parsed(wide_query(3, "&limit=5"));
    CHECK(CandidateSearch(forest, few).find(5)->size() == 5);
}

TEST_CASE("candidates: counting multiplies what has nothing to do with each other",
          "[core][candidates]") {
    Providers providers;
    const std::uint32_t host = providers.add(std::nullopt, {{"VCPU", 8}});
    for (int i = 0; i < 1'000; ++i) {
        providers.add(host, {{"PGPU", 1}});
        providers.add(host, {{"SRIOV_NET_VF", 1}});
        providers.add(host, {{"FPGA", 1}});
    }
    const ProviderForest forest = providers.build();
    const CandidateQuery query = parsed(
        "resources=VCPU:1,FPGA:1&resources1=PGPU:1&resources2=SRIOV_NET_VF:1"
        "&group_policy=none");
    const CandidateSearch search(forest, query);
    CHECK(search.count() == 1'000'000'000);
    CHECK(search.providers_tried() == 0);
}

TEST_CASE("candidates: groups that keep apart, or share what there is, are counted by provider",
          "[core][candidates]") {
    Providers providers;
    const std::uint32_t host = providers.add(std::nullopt, {{"VCPU", 8}});
    for (int i = 0; i < 16; ++i) {
        providers.add(host, {{"PGPU", 2}});
    }
    const ProviderForest forest = providers.build();
    std::string eight;
    for (int group = 1; group <= 8; ++group) {
        eight += "&resources" + std::to_string(group) + "=PGPU:1";
    }
    const CandidateQuery apart = parsed("resources=VCPU:1" + eight + "&group_policy=isolate");
    CHECK(CandidateSearch(forest, apart).count() == 518'918'400);  // 16! / 8!
    CHECK(CandidateSearch(forest, apart).providers_tried() == 0);
    // At most two of the eight fit on each of 16 providers, which makes 8! times the coefficient of
    // x^8 in (1 + x + x^2 / 2)^16.
    const CandidateQuery shared = parsed("resources=VCPU:1" + eight + "&group_policy=none");
    CHECK(CandidateSearch(forest, shared).count() == 3'568'874'400);
}

TEST_CASE("candidates: who counts one by one gives up in the end", "[core][candidates]") {
    Providers providers;
    const std::uint32_t host = providers.add(std::nullopt, {{"VCPU", 8}});
    for (int i = 0; i < 16; ++i) {
        const std::uint32_t card = providers.add(host, {{"PGPU", 1}});
        providers.add(card, {{"SRIOV_NET_VF", 1}});
    }
    const ProviderForest forest = providers.build();
    const CandidateQuery query = parsed(
        "resources_A=PGPU:1&resources_B=SRIOV_NET_VF:1&resources_C=PGPU:1&resources_D=SRIOV_NET_VF:"
        "1&same_subtree=_A,_B&same_subtree=_C,_D&group_policy=isolate");
    CHECK(CandidateSearch(forest, query).count() == 16 * 15);
    CHECK_FALSE(CandidateSearch(forest, query).count(100).has_value());
}

TEST_CASE("candidates: by score, with ties in the order of the answer", "[core][candidates]") {
    Providers providers;
    for (const Amount total : {8, 4, 16, 8}) {
        providers.add(std::nullopt, {{"VCPU", total}});
    }
    const ProviderForest forest = providers.build();
    const CandidateQuery query = parsed("resources=VCPU:2");
    const CandidateSearch search(forest, query);
    const auto found = search.find(no_bound);
    const auto by = [&](std::string_view name) {
        const auto entry = std::ranges::find(scorers(), name, &ScorerEntry::name);
        CandidateWriter writer(forest, query, search.parts());
        std::string out;
        for (const auto i : candidates_by_score(forest, writer, *found, *entry->make())) {
            out += forest.name((*found)[i].front());
        }
        return out;
    };
    CHECK(by("most-allocated") == "p2p1p4p3");
    CHECK(by("least-allocated") == "p3p1p4p2");
}

TEST_CASE("candidates: in one tree only", "[core][candidates]") {
    const ProviderForest forest = [] {
        Providers providers;
        for (int host = 0; host < 3; ++host) {
            const std::uint32_t root = providers.add(std::nullopt, {});
            providers.add(root, {{"VCPU", 8}});
            providers.add(root, {{"VCPU", 8}});
        }
        return providers.build();
    }();
    const CandidateQuery query = parsed("resources=VCPU:2");
    const CandidateSearch search(forest, query);
    const CandidateList list = search.find_in(1, no_bound);
    REQUIRE(list.size() == 2);
    CHECK(forest.tree(list[0].front()) == 1);
    CHECK(search.find_in(1, 1).size() == 1);
    CHECK(search.anchors() == std::vector<TreeIndex>{0, 1, 2});
}
