// Compares `berth candidates --jsonl` with the answers of the published service, and with what its
// rules imply.

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "experiments/program/requests/candidates.hpp"
#include "tests/conformance/shared_vectors.hpp"
#include "tests/support/plain_candidates.hpp"
#include "tests/support/random_providers.hpp"

using namespace berth;

namespace {

using nlohmann::json;

json answer(const json& request) {
    return json::parse(experiments::answer_candidates_request(request.dump()));
}

/// Each candidate as one line with sorted keys.
std::vector<std::string> candidates_of(const json& body) {
    std::vector<std::string> lines;
    for (const json& candidate : body.at("allocation_requests")) {
        lines.push_back(candidate.dump());
    }
    return lines;
}

void check_answer(const json& got, const json& expected) {
    INFO(got.value("error", ""));
    REQUIRE(got.at("status") == expected.at("status"));
    if (expected.at("status") != 200) {
        CHECK_FALSE(got.at("error").get<std::string>().empty());
        CHECK((!expected.contains("error") || got.at("error") == expected.at("error")));
        return;
    }
    const std::vector<std::string> candidates = candidates_of(got.at("body"));
    std::vector<std::string> wanted = candidates_of(expected.at("body"));
    std::ranges::sort(wanted);  // the service promises no order
    REQUIRE(candidates == wanted);
    REQUIRE(got.at("body").at("provider_summaries") ==
            expected.at("body").at("provider_summaries"));
}

/// Checks all vectors. Returns the number of queries.
std::size_t check_all(std::istream& in) {
    std::size_t count = 0;
    for (std::string line; std::getline(in, line);) {
        const json vector = json::parse(line);
        const json& queries = vector.at("input").at("queries");
        const json got = answer(vector.at("input")).at("answers");
        INFO("vector " << vector.at("id"));
        REQUIRE(got.size() == queries.size());
        for (std::size_t i = 0; i < queries.size(); ++i) {
            INFO(queries[i]);
            check_answer(got[i], vector.at("expected").at("answers").at(i));
        }
        count += queries.size();
    }
    return count;
}

json as_json(const core::ResourceProvider& provider) {
    json inventories = json::object();
    for (const auto& [type, inventory] : provider.inventories) {
        inventories[type] = {{"total", inventory.total},
                             {"reserved", inventory.reserved},
                             {"min_unit", inventory.min_unit},
                             {"max_unit", inventory.max_unit},
                             {"step_size", inventory.step_size},
                             {"allocation_ratio", inventory.allocation_ratio}};
    }
    return {{"uuid", provider.uuid},
            {"name", provider.name},
            {"parent_uuid", provider.parent_uuid ? json(*provider.parent_uuid) : json()},
            {"inventories", inventories},
            {"usages", provider.usages},
            {"traits", provider.traits},
            {"aggregates", provider.aggregates}};
}

}  // namespace

TEST_CASE("candidates: agrees with the committed vectors", "[conformance][candidates]") {
    std::ifstream in(BERTH_SOURCE_DIR "/tests/conformance/candidates.jsonl");
    CHECK(check_all(in) >= 300);
}

TEST_CASE("candidates: agrees with every vector, where they are at hand",
          "[conformance][candidates]") {
    berth::tests::check_shared_vectors("allocation-candidates", 4'000, check_all);
}

TEST_CASE("candidates: come in the order of their JSON, with the summaries of their trees",
          "[conformance][candidates]") {
    std::size_t found = 0;
    for (std::uint64_t seed = 1; seed <= tests::cases(150); ++seed) {
        tests::Dice dice(seed);
        const tests::RandomProviders providers(dice);
        json request{{"providers", json::array()},
                     {"extra_traits", tests::provider_traits},
                     {"extra_rcs", tests::provider_classes},
                     {"queries", json::array()}};
        for (const core::ResourceProvider& provider : providers.get()) {
            request["providers"].push_back(as_json(provider));
        }
        for (int i = 0; i < 4; ++i) {
            request["queries"].push_back(
                tests::RandomCandidateQuery(dice, providers.get(), 50).text());
        }
        const tests::PlainCandidates plain(
            providers.get(),
            {tests::provider_traits.begin(), tests::provider_traits.end()},
            {tests::provider_classes.begin(), tests::provider_classes.end()});
        const json answers = answer(request).at("answers");
        for (std::size_t i = 0; i < answers.size(); ++i) {
            const auto text = request["queries"][i].get<std::string>();
            INFO("seed " << seed << ": " << text);
            const auto query = std::get<core::CandidateQuery>(core::parse_candidate_query(text));
            const tests::PlainAnswer expected = plain.answer(query);
            REQUIRE(answers[i].at("status") == (expected.fault ? 400 : 200));
            if (expected.fault) {
                REQUIRE(answers[i].at("error") == *expected.fault);
                continue;
            }
            const json& body = answers[i].at("body");
            REQUIRE(candidates_of(body) == expected.first(query.limit));
            std::set<std::string> told_of;
            for (const auto& [uuid, summary] : body.at("provider_summaries").items()) {
                told_of.insert(uuid);
            }
            REQUIRE(told_of == plain.summarised(expected, query.limit));
            found += expected.candidates.size();
        }
    }
    CHECK(found >= 1'000);
}
