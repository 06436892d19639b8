// Compares the search for allocation candidates with all combinations.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/allocation_candidates/candidate_order.hpp"
#include "core/allocation_candidates/candidate_search.hpp"
#include "tests/support/plain_candidates.hpp"
#include "tests/support/random_providers.hpp"

using namespace berth;
using tests::Dice;
using tests::PlainAnswer;

namespace {

constexpr std::uint64_t all = 1'000'000;

/// Two representations of a forest that change together.
struct Forests {
    std::vector<core::ResourceProvider> providers;
    core::ProviderForest fast;
    tests::PlainCandidates plain;

    void add_usage(const std::string& uuid, const std::string& type, core::Amount amount) {
        plain.add_usage(uuid, type, amount);
        fast.add_usage(*fast.find(uuid), *fast.classes().find(type), amount);
        std::ranges::find(providers, uuid, &core::ResourceProvider::uuid)->usages[type] += amount;
    }
};

/// Usually every name that a query may use exists, even if no provider has it.
Forests forests_of(Dice& dice, const std::vector<core::ResourceProvider>& providers) {
    std::set<std::string> traits;
    std::set<std::string> classes;
    if (dice.chance(70)) {
        traits = {tests::provider_traits.begin(), tests::provider_traits.end()};
        classes = {tests::provider_classes.begin(), tests::provider_classes.end()};
    }
    for (int i = dice.chance(5) ? 80 : 0; i > 0; --i) {  // more than a word has bits
        classes.insert(fmt::format("CUSTOM_C{:02}", i));
    }
    core::ProviderForestBuilder builder;
    std::ranges::for_each(traits, [&](const auto& name) { builder.know_trait(name); });
    std::ranges::for_each(classes, [&](const auto& name) { builder.know_resource_class(name); });
    for (const core::ResourceProvider& provider : providers) {
        builder.add(provider);
    }
    return {providers, builder.build(), tests::PlainCandidates(providers, traits, classes)};
}

std::string json(const core::ProviderForest& forest,
                 const core::CandidateQuery& query,
                 const core::AllocationCandidate& candidate) {
    std::string out = "{\"allocations\":{";
    for (std::size_t i = 0; i < candidate.taken.size(); ++i) {
        const auto& [provider, type, amount] = candidate.taken[i];
        if (i == 0 || candidate.taken[i - 1].provider != provider) {
            out += fmt::format(
                "{}\"{}\":{{\"resources\":{{", i == 0 ? "" : "}},", forest.uuid(provider));
        } else {
            out += ',';
        }
        out += fmt::format("\"{}\":{}", forest.classes().name(type), amount);
    }
    out += "}}},\"mappings\":{";
    for (std::size_t i = 0; i < candidate.mapped.size(); ++i) {
        const auto& [group, provider] = candidate.mapped[i];
        if (i == 0 || candidate.mapped[i - 1].group != group) {
            out += fmt::format("{}\"{}\":[", i == 0 ? "" : "],", query.groups[group].suffix);
        } else {
            out += ',';
        }
        out += fmt::format("\"{}\"", forest.uuid(provider));
    }
    return out + "]}}";
}

std::vector<std::string> in_order(const core::ProviderForest& forest,
                                  const core::CandidateQuery& query,
                                  const core::CandidateSearch& search,
                                  const core::CandidateList& candidates) {
    core::CandidateWriter writer(forest, query, search.parts());
    std::vector<std::string> out;
    for (const std::uint32_t i : core::candidates_in_order(writer, candidates)) {
        out.push_back(json(forest, query, writer.write(candidates[i])));
    }
    return out;
}

void compare_anchors(const core::ProviderForest& forest,
                     const core::CandidateQuery& query,
                     const core::CandidateSearch& search,
                     const PlainAnswer& plain) {
    const std::vector<core::TreeIndex> anchors = search.anchors();
    REQUIRE(std::ranges::is_sorted(anchors));
    REQUIRE(anchors.size() == plain.anchored.size());
    for (const core::TreeIndex tree : anchors) {
        const std::string root(forest.uuid(forest.root(tree)));
        CAPTURE(root);
        REQUIRE(plain.anchored.contains(root));
        const std::set<std::string>& expected = plain.anchored.at(root);
        REQUIRE(in_order(forest, query, search, search.find_in(tree, all)) ==
                std::vector<std::string>(expected.begin(), expected.end()));
        REQUIRE(search.find_in(tree, 1).size() == 1);
    }
}

/// `search` is the search for the query without its limit.
void compare_all(const core::ProviderForest& forest,
                 const core::CandidateQuery& query,
                 const core::CandidateSearch& search,
                 const PlainAnswer& plain) {
    const auto fault = search.fault();
    REQUIRE((fault ? std::optional(fault->reason) : std::nullopt) == plain.fault);
    if (fault) {
        return;
    }
    const std::size_t count = plain.candidates.size();
    const auto found = search.find(count);
    REQUIRE(found);
    REQUIRE(in_order(forest, query, search, *found) == plain.first(std::nullopt));
    REQUIRE((count == 0 || !search.find(count - 1)));
    REQUIRE(search.count() == count);
    compare_anchors(forest, query, search, plain);
}

void compare_first(const core::ProviderForest& forest,
                   core::CandidateQuery query,
                   std::uint64_t limit,
                   const PlainAnswer& plain) {
    query.limit = limit;
    CAPTURE(limit);
    const core::CandidateSearch search(forest, query);
    REQUIRE(search.fault().has_value() == plain.fault.has_value());
    if (!plain.fault) {
        const auto found = search.find(all);
        REQUIRE(found);
        REQUIRE(in_order(forest, query, search, *found) == plain.first(limit));
        REQUIRE(search.count() == plain.candidates.size());
    }
}

core::CandidateQuery parsed(const std::string& text) {
    auto query = core::parse_candidate_query(text);
    if (const auto* fault = std::get_if<core::CandidateQueryFault>(&query)) {
        FAIL(text << " is refused: " << fault->reason);
    }
    return std::get<core::CandidateQuery>(std::move(query));
}

/// Counts how often each feature occurs in a query that has candidates.
class Sightings {
public:
    void note(const core::CandidateQuery& query, std::uint64_t limit, const PlainAnswer& answer) {
        ++queries_;
        if (answer.fault) {
            ++seen_[answer.fault->starts_with("No such") ? "unknown trait" : "unknown class"];
        }
        if (answer.candidates.empty()) {
            return;
        }
        ++answered_;
        const std::size_t suffixed = note_groups(query);
        note_if("two suffixed groups", suffixed == 2);
        note_if("three suffixed groups", suffixed >= 3);
        note_if("isolate", query.isolate && suffixed > 1);
        note_if("root_required", !query.root_required.empty());
        note_if("root_required, forbidden", !query.root_forbidden.empty());
        note_if("several same_subtree", query.same_subtree.size() > 1);
        for (const auto& list : query.same_subtree) {
            note_if("same_subtree", list.size() > 1);
        }
        note_if("limit", limit > 1 && limit < answer.candidates.size());
        note_if("many candidates", answer.candidates.size() >= 100);
        std::size_t at_anchors = 0;
        for (const auto& [root, texts] : answer.anchored) {
            at_anchors += texts.size();
            for (const std::string& text : texts) {
                const std::set<std::string>& trees = answer.candidates.at(text);
                note_if("nothing of the anchor", !trees.contains(root));
                note_if("a shared provider", trees.contains(root) && trees.size() > 1);
            }
        }
        note_if("one candidate at several anchors", at_anchors > answer.candidates.size());
    }

    void require_enough(std::uint64_t least) const {
        CHECK(answered_ * 100 >= queries_ * 40);
        for (const char* what : {"unknown trait",
                                 "unknown class",
                                 "two suffixed groups",
                                 "three suffixed groups",
                                 "isolate",
                                 "root_required",
                                 "root_required, forbidden",
                                 "several same_subtree",
                                 "same_subtree",
                                 "limit",
                                 "many candidates",
                                 "nothing of the anchor",
                                 "a shared provider",
                                 "one candidate at several anchors",
                                 "unsuffixed with suffixed",
                                 "resourceless",
                                 "required",
                                 "required in:",
                                 "forbidden trait",
                                 "member_of",
                                 "member_of twice",
                                 "member_of in the unsuffixed group",
                                 "forbidden aggregate",
                                 "in_tree",
                                 "in_tree in the unsuffixed group",
                                 "a class in several groups"}) {
            INFO(what);
            CHECK((seen_.contains(what) ? seen_.at(what) : 0) >= least);
        }
    }

private:
    void note_if(const char* what, bool holds) { seen_[what] += holds ? 1 : 0; }
    std::size_t note_groups(const core::CandidateQuery& query) {
        std::map<std::string, int> asked;
        std::size_t suffixed = 0;
        for (const core::CandidateGroup& group : query.groups) {
            const bool plain = group.suffix.empty();
            suffixed += plain ? 0 : 1;
            note_if("unsuffixed with suffixed", plain && query.groups.size() > 1);
            note_if("resourceless", group.resources.empty());
            for (const core::AnyOf& names : group.required) {
                note_if(names.size() == 1 ? "required" : "required in:", true);
            }
            note_if("forbidden trait", !group.forbidden.empty());
            note_if("member_of", !plain && !group.member_of.empty());
            note_if("member_of twice", group.member_of.size() > 1);
            note_if("member_of in the unsuffixed group", plain && !group.member_of.empty());
            note_if("forbidden aggregate", !group.forbidden_members.empty());
            note_if("in_tree", !plain && group.in_tree && !group.resources.empty());
            note_if("in_tree in the unsuffixed group", plain && group.in_tree);
            for (const auto& [type, amount] : group.resources) {
                note_if("a class in several groups", ++asked[type] == 2);
            }
        }
        return suffixed;
    }

    std::uint64_t queries_ = 0;
    std::uint64_t answered_ = 0;
    std::map<std::string, std::uint64_t> seen_;
};

void change_usages(Dice& dice, Forests& forests) {
    for (std::int64_t change = dice.roll(1, 4); change > 0; --change) {
        const core::ResourceProvider& provider = tests::drawn(dice, forests.providers);
        if (provider.inventories.empty()) {
            continue;
        }
        auto inventory = provider.inventories.begin();
        std::advance(inventory, dice.roll(0, std::ssize(provider.inventories) - 1));
        const auto used = provider.usages.find(inventory->first);
        const core::Amount held = used == provider.usages.end() ? 0 : used->second;
        const core::Amount more =
            held > 0 && dice.chance(50) ? -dice.roll(1, held) : dice.roll(1, 4);
        forests.add_usage(provider.uuid, inventory->first, more);
    }
}

/// A root with children that all have the same, only a few of which may be used.
std::vector<core::ResourceProvider> wide_tree(Dice& dice) {
    std::vector<core::ResourceProvider> providers(1);
    providers.front().uuid = "5-root";
    const std::int64_t children = dice.roll(2, 6);
    const core::Amount each = dice.chance(50) ? dice.roll(1, 3) : dice.roll(10, 20);
    for (std::int64_t child = 0; child < children; ++child) {
        core::ResourceProvider& provider = providers.emplace_back();
        const std::int64_t order = dice.roll(0, 9);
        provider.uuid = fmt::format("{}-child-{}", order, child);
        provider.parent_uuid = "5-root";
        provider.inventories["PGPU"].total = each;
        provider.inventories["DISK_GB"].total = 4;
        if (dice.chance(20)) {
            provider.usages["PGPU"] = dice.roll(0, each);
        }
    }
    return providers;
}

/// Groups that are equal or nearly so. As text, 10 sorts before 2 and 9.
std::string wide_query(Dice& dice) {
    std::string text = dice.chance(50) ? "group_policy=none" : "group_policy=isolate";
    const std::vector<core::Amount> amounts = dice.chance(60)
                                                  ? std::vector<core::Amount>{1, 1, 1, 2}
                                                  : std::vector<core::Amount>{1, 2, 8, 9, 10};
    for (std::int64_t group = dice.roll(1, 4); group > 0; --group) {
        text += fmt::format("&resources{}=PGPU:{}", group, tests::drawn(dice, amounts));
    }
    if (dice.chance(30)) {
        text += dice.chance(50) ? "&resources=DISK_GB:1" : "&resources=PGPU:1";
    }
    return text;
}

}  // namespace

TEST_CASE("candidates: the search finds what trying everything finds, before and after changes",
          "[property][candidates]") {
    Sightings sightings;
    for (std::uint64_t seed = 1; seed <= tests::cases(10'000); ++seed) {
        Dice dice(seed);
        const tests::RandomProviders providers(dice);
        Forests forests = forests_of(dice, providers.get());
        for (int i = 0; i < 2; ++i) {
            // Rarely many combinations, since the plain search makes them all.
            const std::int64_t combinations = dice.chance(10) ? 300 : dice.roll(5, 50);
            const std::string text =
                tests::RandomCandidateQuery(dice, forests.providers, combinations).text();
            INFO("seed " << seed << ": " << text);
            core::CandidateQuery query = parsed(text);
            const std::uint64_t limit = query.limit.value_or(1);
            query.limit.reset();
            const core::CandidateSearch search(forests.fast, query);
            for (const bool changed : {false, true}) {
                CAPTURE(changed);
                if (changed) {
                    change_usages(dice, forests);
                }
                const PlainAnswer answer = forests.plain.answer(query);
                compare_all(forests.fast, query, search, answer);
                compare_first(forests.fast, query, limit, answer);
                for (std::size_t few = 1; few <= std::min<std::size_t>(answer.candidates.size(), 6);
                     ++few) {
                    compare_first(forests.fast, query, few, answer);
                }
                sightings.note(query, limit, answer);
            }
        }
    }
    sightings.require_enough(30);
}

TEST_CASE("candidates: wide trees give the same, all of it or the first of it",
          "[property][candidates]") {
    std::size_t found = 0;
    for (std::uint64_t seed = 1; seed <= tests::cases(500); ++seed) {
        Dice dice(seed);
        const Forests forests = forests_of(dice, wide_tree(dice));
        const std::string text = wide_query(dice);
        INFO("seed " << seed << ": " << forests.providers.size() << " providers, " << text);
        const core::CandidateQuery query = parsed(text);
        const PlainAnswer answer = forests.plain.answer(query);
        found += answer.candidates.size();
        compare_all(forests.fast, query, core::CandidateSearch(forests.fast, query), answer);
        for (const std::uint64_t limit : std::vector<std::uint64_t>{1, 2, 3, 10, 100}) {
            compare_first(forests.fast, query, limit, answer);
        }
    }
    CHECK(found >= 10'000);
}
