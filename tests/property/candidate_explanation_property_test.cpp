// Compares what the conditions of a query leave, one after the other, with the search for the query
// itself.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <variant>

#include "core/allocation_candidates/candidate_explanation.hpp"
#include "core/allocation_candidates/candidate_search.hpp"
#include "tests/support/random_providers.hpp"

using namespace berth;
using tests::Dice;

namespace {

core::ProviderForest forest_of(const std::vector<core::ResourceProvider>& providers) {
    core::ProviderForestBuilder builder;
    for (const core::ResourceProvider& provider : providers) {
        builder.add(provider);
    }
    for (const std::string& trait : tests::provider_traits) {
        builder.know_trait(trait);
    }
    for (const std::string& type : tests::provider_classes) {
        builder.know_resource_class(type);
    }
    return builder.build();
}

/// Conditions only remove, the last of them leaves what the query leaves, and if nothing is left
/// there is a reason.
void check(const core::CandidateExplanation& explanation, std::uint64_t anchors) {
    std::uint64_t left = explanation.trees;
    for (std::size_t i = 0; i < explanation.conditions.size(); ++i) {
        const core::ExplainedCondition& condition = explanation.conditions[i];
        CAPTURE(condition.text);
        REQUIRE(condition.trees_left <= left);
        REQUIRE((condition.trees_left == 0) == (explanation.culprit && *explanation.culprit <= i));
        if (condition.text.starts_with("resources") || condition.text.starts_with("root")) {
            REQUIRE(condition.trees_left <= *condition.trees_alone);
        }
        left = condition.trees_left;
    }
    REQUIRE(left == anchors);
    REQUIRE(explanation.causes.empty() == !explanation.culprit);
}

}  // namespace

TEST_CASE("candidate explanations end where the search does", "[property][candidates]") {
    std::uint64_t refused = 0;
    std::uint64_t served = 0;
    for (std::uint64_t seed = 1; seed <= tests::cases(3'000); ++seed) {
        Dice dice(seed);
        const tests::RandomProviders providers(dice);
        const core::ProviderForest forest = forest_of(providers.get());
        const std::string text =
            tests::RandomCandidateQuery(dice, providers.get(), dice.roll(5, 50)).text();
        INFO("seed " << seed << ": " << text);
        const auto query = core::parse_candidate_query(text);
        REQUIRE(std::holds_alternative<core::CandidateQuery>(query));
        const core::CandidateSearch search(forest, std::get<core::CandidateQuery>(query));
        if (search.fault()) {
            continue;
        }
        const std::uint64_t anchors = search.anchors().size();
        check(core::explain_candidates(forest, std::get<core::CandidateQuery>(query)), anchors);
        ++(anchors == 0 ? refused : served);
    }
    CHECK(refused > 500);
    CHECK(served > 500);
}
