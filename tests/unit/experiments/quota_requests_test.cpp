#include <tuple>

#include <catch2/catch.hpp>

#include "experiments/program/requests/quota.hpp"

using berth::experiments::answer_quota_request;
using berth::experiments::Json;

namespace {

std::string error_of(const std::string& request) {
    return Json::parse(answer_quota_request(request)).value("error", "");
}

}  // namespace

TEST_CASE("quota requests: what is none is answered with what was expected", "[quota]") {
    using Row = std::tuple<std::string, std::string>;
    const auto [request, error] = GENERATE(table<std::string, std::string>({
        Row{"{", "no JSON at byte 2: expected an object"},
        Row{"[]", "a request: expected a JSON object"},
        Row{"{}", "the request has no 'kind': expected one"},
        Row{R"({"kind": "x"})",
            R"(kind is "x": expected runtime or redistribute or admission or validation)"},
        Row{R"({"kind": "runtime"})", "the request has no 'total': expected one"},
        Row{R"({"kind": "runtime", "total": {}, "quotas": 5})", "quotas is 5: expected a list"},
        Row{R"({"kind": "runtime", "total": {}, "quotas": [5]})",
            "a quota has no 'name': expected one"},
        Row{R"({"kind": "runtime", "total": {}, "quotas": [], "used": [{}]})",
            "used is a list: expected a map from quota to amounts"},
        Row{R"({"kind": "runtime", "total": {"cpu": 1.5}, "quotas": []})",
            "cpu is 1.5: expected a whole number"},
        Row{R"({"kind": "runtime", "total": {}, "quotas": [{"name": "a", "parent": "b"}]})",
            "quota 'a' has the parent 'b': expected one before it"},
        Row{R"({"kind": "runtime", "total": {}, "quotas": [], "requests": {"a": {}}})",
            "unknown quota 'a': expected one of quotas"},
        Row{R"({"kind": "redistribute", "total": 3, "nodes": [{"Min": 1}]})",
            "a node has no 'Name': expected one"},
        Row{R"({"kind": "admission", "total": {}, "quotas": [], "ops": [{"op": "go"}]})",
            R"(op is "go": expected create or delete or schedule or revoke or canPreempt or )"
            "selectVictims or updateQuota or addTotal"},
        Row{R"({"kind": "admission", "total": {}, "quotas": [], "ops": [{"op": "create",
                "pod": {"name": "p", "priority": 1e308, "request": {}}}]})",
            "priority is 1e+308: expected a whole number of at least -2147483648"},
        Row{R"({"kind": "admission", "total": {}, "quotas": [], "ops": [{"op": "create",
                "pod": {"name": "p", "priority": 2147483648, "request": {}}}]})",
            "priority is 2147483648: expected at most 2147483647"},
        Row{R"({"kind": "admission", "total": {}, "quotas": [], "ops": [{"op": "create",
                "pod": {"name": "p", "startTime": 1.5, "request": {}}}]})",
            "startTime is 1.5: expected a whole number"},
        Row{R"({"kind": "admission", "total": {}, "quotas": [],
                "ops": [{"op": "delete", "name": "p"}]})",
            "unknown pod 'p': expected one created before"},
        Row{R"({"kind": "admission", "total": {}, "quotas": [],
                "ops": [{"op": "updateQuota",
                         "quota": {"name": "koordinator-root-quota", "parent": ""}}]})",
            "quota 'koordinator-root-quota' is updated: expected one of quotas, in its tree"},
        Row{R"({"kind": "admission", "total": {},
                "quotas": [{"name": "a", "parent": ""}, {"name": "b", "parent": "a"}],
                "ops": [{"op": "updateQuota", "quota": {"name": "a", "parent": "b"}}]})",
            "quota 'a' has the parent 'b': expected none below it"},
    }));
    CAPTURE(request);
    CHECK(error_of(request) == error);
}

TEST_CASE("quota requests: sums that pass 2^63 - 1 are refused, and never wrap", "[quota]") {
    const std::string half = "4611686018427387904";  // 2^62
    const std::string quotas =
        R"("quotas": [{"name": "a", "parent": "", "max": {"cpu": 9223372036854775807}},
                      {"name": "b", "parent": "", "max": {"cpu": 9223372036854775807}}])";
    const auto runtime = [&](const std::string& more) {
        return R"({"kind": "runtime", "total": {"cpu": 10}, )" + quotas + more + "}";
    };
    const std::string a = R"("a": {"cpu": )" + half + "}";
    const std::string b = R"("b": {"cpu": )" + half + "}";
    CHECK(error_of(runtime(R"(, "requests": {)" + a + "}")).empty());
    const std::string error =
        "the amounts of a quota add up to more than 2^63 - 1: expected smaller ones";
    CHECK(error_of(runtime(R"(, "requests": {)" + a + ", " + b + "}")) == error);
    CHECK(error_of(runtime(R"(, "used": {)" + a + ", " + b + "}")) == error);
    CHECK(error_of(runtime(R"(, "requests": {"a": {"cpu": -9223372036854775808}})")) ==
          "cpu of a is -2^63: expected more");
    CHECK(error_of(R"({"kind": "redistribute", "total": 9000000000000000000, "nodes": [
              {"Name": "a", "Request": 9000000000000000000, "SharedWeight": 100},
              {"Name": "b", "Request": 10, "SharedWeight": -99}]})") ==
          "a runtime is more than 2^63 - 1: expected smaller amounts or no negative weight");
}

TEST_CASE("quota requests: a resource without a limit has no runtime", "[quota]") {
    // Vectors take a missing amount for 0, but here it matters: b's parent does not limit gpu.
    const Json answer = Json::parse(answer_quota_request(R"({
        "kind": "runtime", "total": {"cpu": 10, "gpu": 4},
        "quotas": [
            {"name": "a", "parent": "", "isParent": true, "min": {}, "max": {"cpu": 10}},
            {"name": "b", "parent": "a", "min": {}, "max": {"cpu": 10, "gpu": 4}}],
        "requests": {"b": {"cpu": 3, "gpu": 2}}})"));
    const Json& runtime = answer.at("quotas").at("b").at("runtime");
    CHECK(runtime.at("cpu") == 3);
    CHECK_FALSE(runtime.contains("gpu"));
    CHECK(answer.at("quotas").at("a").at("runtime").contains("gpu"));
}
