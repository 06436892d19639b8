#include "experiments/program/requests/candidates.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

using nlohmann::json;

const std::string host = "00000000-0000-0000-0000-000000000001";
const std::string numa = "00000000-0000-0000-0000-000000000002";

/// A host with a NUMA node, which comes first in the list.
json sound_request() {
    const json child{{"uuid", numa},
                     {"name", "numa"},
                     {"parent_uuid", host},
                     {"inventories", {{"VCPU", {{"total", 8}}}}},
                     {"usages", {{"VCPU", 3}}},
                     {"traits", {"HW_NUMA_ROOT", "CUSTOM_A"}},
                     {"aggregates", json::array()}};
    const json root{{"uuid", host},
                    {"name", "host"},
                    {"parent_uuid", nullptr},
                    {"inventories", {{"DISK_GB", {{"total", 10}, {"allocation_ratio", 1.5}}}}}};
    return {{"providers", {child, root}}, {"queries", {"resources=VCPU:1,DISK_GB:2"}}};
}

std::string answer(const json& request) {
    return berth::experiments::answer_candidates_request(request.dump());
}

json first_answer(const json& request) {
    return json::parse(answer(request)).at("answers").at(0);
}

json with_queries(const std::vector<std::string>& queries) {
    json request = sound_request();
    request["queries"] = queries;
    return request;
}

}  // namespace

TEST_CASE("candidates requests: the body is the service's, on one line",
          "[experiments][requests]") {
    CHECK(
        answer(sound_request()) ==
        R"({"answers":[{"status":200,"body":{"allocation_requests":[{"allocations":{")" + host +
            R"(":{"resources":{"DISK_GB":2}},")" + numa +
            R"(":{"resources":{"VCPU":1}}},"mappings":{"":[")" + host + R"(",")" + numa +
            R"("]}}],"provider_summaries":{")" + host +
            R"(":{"parent_provider_uuid":null,"resources":{"DISK_GB":{"capacity":15,"used":0}},)" +
            R"("root_provider_uuid":")" + host + R"(","traits":[]},")" + numa +
            R"(":{"parent_provider_uuid":")" + host +
            R"(","resources":{"VCPU":{"capacity":8,"used":3}},"root_provider_uuid":")" + host +
            R"(","traits":["CUSTOM_A","HW_NUMA_ROOT"]}}}}]})");
}

TEST_CASE("candidates requests: each query has its answer", "[experiments][requests]") {
    const json answers =
        json::parse(answer(with_queries({"resources=VCPU:6",
                                         "resources=NOPE:1",
                                         "nope",
                                         "resources_A=VCPU:2&resources_B=VCPU:2&group_policy=none",
                                         "resources=VCPU:1"})))
            .at("answers");
    REQUIRE(answers.size() == 5);
    CHECK(answers[0].at("body") ==
          json{{"allocation_requests", json::array()}, {"provider_summaries", json::object()}});
    CHECK(answers[1] == json{{"status", 400},
                             {"error",
                              "Invalid resource class in resources parameter: No such resource "
                              "class NOPE."}});
    CHECK(answers[2].at("status") == 400);
    CHECK(answers[3].at("body").at("allocation_requests").at(0) ==
          json{{"allocations", {{numa, {{"resources", {{"VCPU", 4}}}}}}},
               {"mappings", {{"_A", {numa}}, {"_B", {numa}}}}});
    CHECK(answers[4].at("status") == 200);
}

TEST_CASE("candidates requests: names that exist and nobody has", "[experiments][requests]") {
    json request = with_queries({"resources=VCPU:1&required=!CUSTOM_B", "resources=CUSTOM_C:1"});
    CHECK(first_answer(request).at("error") == "No such trait(s): CUSTOM_B.");
    request["extra_traits"] = {"CUSTOM_B"};
    request["extra_rcs"] = {"CUSTOM_C"};
    const json answers = json::parse(answer(request)).at("answers");
    CHECK(answers[0].at("body").at("allocation_requests").size() == 1);
    CHECK(answers[1].at("body").at("allocation_requests").empty());
}

TEST_CASE("candidates requests: what berth adds", "[experiments][requests]") {
    json request = with_queries({"resources=VCPU:1&limit=1", "resources=VCPU:9", "resources="});
    request["berth"] = {{"count", true}};
    const json counted = json::parse(answer(request)).at("answers");
    CHECK(counted[0] == json{{"status", 200}, {"count", 1}});
    CHECK(counted[1] == json{{"status", 200}, {"count", 0}});
    CHECK(counted[2].at("status") == 400);

    json many = sound_request();
    json other = many["providers"][0];
    other["uuid"] = "00000000-0000-0000-0000-000000000003";
    many["providers"].push_back(other);
    many["berth"] = {{"candidatesMax", 1}};
    CHECK(first_answer(many) ==
          json{{"status", 507},
               {"error",
                "more than 1 candidates: expected fewer, with limit= in the query, or a larger "
                "candidatesMax"}});
    many["queries"] = {"resources=VCPU:1&limit=1"};
    CHECK(first_answer(many).at("body").at("allocation_requests").size() == 1);
}

TEST_CASE("candidates requests: what is no request is answered by an error",
          "[experiments][requests]") {
    using Change = void (*)(json&);
    const std::vector<std::pair<Change, std::string>> rows{
        {[](json& request) { request.erase("providers"); },
         "the request has no 'providers': expected one"},
        {[](json& request) { request.erase("queries"); },
         "the request has no 'queries': expected one"},
        {[](json& request) { request["queries"] = {1}; },
         "an entry of queries of the request is 1: expected a text"},
        {[](json& request) { request["providers"] = "x"; },
         "providers of the request is \"x\": expected a list"},
        {[](json& request) { request["providers"][0].erase("uuid"); },
         "a provider has no 'uuid': expected one"},
        {[](json& request) { request["providers"][0]["traits"] = {1}; },
         "an entry of traits of numa is 1: expected a text"},
        {[](json& request) { request["providers"][0]["inventories"] = {1}; },
         "inventories of numa is a list: expected a map"},
        {[](json& request) { request["providers"][0]["inventories"]["VCPU"] = {{"reserved", 1}}; },
         "VCPU of numa has no 'total': expected one"},
        {[](json& request) { request["providers"][0]["inventories"]["VCPU"]["step_size"] = 0; },
         "step_size of VCPU of numa is 0: expected a whole number of at least 1"},
        {[](json& request) {
             request["providers"][0]["inventories"]["VCPU"]["allocation_ratio"] = "1";
         },
         "allocation_ratio of VCPU of numa is \"1\": expected a number"},
        {[](json& request) {
             request["providers"][0]["inventories"]["VCPU"]["allocation_ratio"] = 0;
         },
         "provider numa: allocation_ratio of VCPU is 0: expected a number above 0"},
        {[](json& request) { request["providers"][0]["usages"]["VCPU"] = -1; },
         "usage of VCPU of numa is -1: expected a whole number of at least 0"},
        {[](json& request) { request["providers"][1]["parent_uuid"] = numa; },
         "provider numa: the parents of numa lead back to it (numa, host): expected them to lead "
         "to a provider without a parent"},
        {[](json& request) { request["berth"] = {{"counts", true}}; },
         "unknown key 'counts' in berth: expected count or candidatesMax"},
        {[](json& request) { request["berth"] = {{"candidatesMax", 0}}; },
         "candidatesMax is 0: expected a whole number of at least 1"},
    };
    for (const auto& [change, message] : rows) {
        json request = sound_request();
        change(request);
        CHECK(json::parse(answer(request)) == json{{"error", message}});
    }
    CHECK(json::parse(berth::experiments::answer_candidates_request("{")) ==
          json{{"error", "no JSON at byte 2: expected an object"}});
}
