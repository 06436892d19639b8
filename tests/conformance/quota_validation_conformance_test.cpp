// Compares the validation rules for elastic quotas with their model, operation by operation.

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "experiments/program/requests/quota.hpp"
#include "tests/conformance/shared_vectors.hpp"

namespace {

using berth::experiments::Json;

Json answer_of(const Json& request) {
    return berth::experiments::answer_quota_validation(
        berth::experiments::RequestText(request).value());
}

void check(const Json& vector) {
    INFO("vector " << vector.at("id"));
    const Json answer = answer_of(vector.at("input"));
    const Json& expected = vector.at("expected").at("results");
    REQUIRE(answer.at("results").size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const Json& result = answer.at("results")[i];
        INFO("operation " << i << ": " << result);
        REQUIRE(result.at("allowed") == expected[i].at("allowed"));
        // The order of labels has no meaning.
        if (expected[i].contains("labels") && !expected[i].at("labels").is_null()) {
            REQUIRE(nlohmann::json(result.at("labels")) ==
                    nlohmann::json(expected[i].at("labels")));
        }
        if (expected[i].contains("sharedWeight")) {
            REQUIRE(result.at("sharedWeight") == expected[i].at("sharedWeight"));
        }
        if (!result.at("allowed").get<bool>()) {
            const std::string message = result.at("message");
            CHECK_THAT(message, Catch::Contains(": expected "));
            CHECK(message.find('\n') == std::string::npos);
        }
    }
}

std::size_t check_all(std::istream& in) {
    std::size_t count = 0;
    for (std::string line; std::getline(in, line); ++count) {
        check(Json::parse(line));
    }
    return count;
}

}  // namespace

TEST_CASE("quota validation: agrees with the committed vectors", "[conformance][quota]") {
    std::ifstream in(BERTH_SOURCE_DIR "/tests/conformance/quota-validation.jsonl");
    CHECK(check_all(in) >= 50);
}

TEST_CASE("quota validation: agrees with every vector, where they are at hand",
          "[conformance][quota]") {
    berth::tests::check_shared_vectors("elastic-quota-validation", 200, check_all);
}

TEST_CASE("quota validation: what is filled in is answered", "[conformance][quota]") {
    using Row = std::tuple<std::string, std::string, std::string>;
    // max, the shared-weight annotation, and the resulting weight
    const auto [max, written, weight] = GENERATE(table<std::string, std::string, std::string>({
        Row{R"({"cpu": "4", "memory": "2048Mi"})", "", R"({"cpu":"4","memory":"2Gi"})"},
        Row{R"({"memory": "3000000", "cpu": 0.5})", "", R"({"cpu":"500m","memory":"3M"})"},
        Row{R"({"cpu": "4", "memory": "8Gi"})",
            R"({"memory": 1, "gpu": 2})",
            R"({"cpu":"4","memory":"1"})"},
        Row{R"({"cpu": "4"})", R"({ "cpu": 2 })", R"({ "cpu": 2 })"},
        Row{"{}", "", "null"},
        Row{"{}", R"({"cpu": 2})", "{}"},
    }));
    const std::string domain = "quota.scheduling.koordinator.sh/";
    const Json object{{"kind", "ElasticQuota"},
                      {"metadata",
                       {{"name", "a"},
                        {"labels", {{"team", "x"}}},
                        {"annotations", {{domain + "shared-weight", written}}}}},
                      {"spec", {{"max", Json::parse(max)}}}};
    const Json answer = answer_of({{"ops", {{{"op", "create"}, {"object", object}}}}});
    CHECK(answer["results"][0]["allowed"] == true);
    CHECK(answer["results"][0]["sharedWeight"] == weight);
    CHECK(answer["results"][0]["labels"] ==
          Json({{"team", "x"}, {domain + "parent", "koordinator-root-quota"}}));
}

TEST_CASE("quota validation: a request that is none is refused with what is wrong",
          "[conformance][quota]") {
    using Row = std::pair<std::string, std::string>;
    const auto [request, error] = GENERATE(table<std::string, std::string>({
        Row{"{}", "the request has no 'ops': expected one"},
        Row{R"({"ops": 1})", "ops is 1: expected a list"},
        Row{R"({"ops": [1]})", "ops[0] has no 'op': expected one"},
        Row{R"({"ops": [{"op": "move"}]})",
            "op is \"move\": expected create or update or delete or addPod or updatePod"},
        Row{R"({"ops": [{"op": "delete"}]})", "ops[0] has no 'name': expected one"},
        Row{R"({"ops": [{"op": "create", "object": []}]})",
            "ops[0].object is a list: expected an object"},
        Row{R"({"ops": [{"op": "create", "object": {}}]})",
            "ops[0].object: error: an ElasticQuota has no metadata.name: expected one"},
        Row{R"({"ops": [{"op": "update", "object": {"metadata": {"name": "a"},
                "spec": {"min": {"cpu": "1x"}}}}]})",
            "ops[0].object: error: found '1x': expected a Kubernetes quantity such as 500m, 16 or "
            "256Gi of cpu"},
        Row{R"({"ops": [{"op": "updatePod", "oldPod": {"metadata": {"name": "a"}}}]})",
            "ops[0] has no 'pod': expected one"},
    }));
    CAPTURE(request);
    CHECK_THROWS_WITH(answer_of(Json::parse(request)), error);
}
