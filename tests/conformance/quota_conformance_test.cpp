// Compares runtimes, redistribution and admission with the models, request by request.

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "experiments/program/requests/quota.hpp"
#include "tests/conformance/shared_vectors.hpp"

namespace {

using Json = nlohmann::json;

bool is_empty(const Json& value) {
    return value.is_null() || value == 0 || value == false || value == "" ||
           (value.is_structured() && value.empty());
}

/// Where the answer differs from the expected one, or "". A missing amount is 0; at the top level
/// the answer may contain more.
std::string difference(const Json& want, const Json& got, const std::string& at, bool top) {
    if (want.is_object() && got.is_object()) {
        std::set<std::string> keys;
        for (const auto& [key, value] : want.items()) {
            keys.insert(key);
        }
        for (const auto& [key, value] : got.items()) {
            if (!top) {
                keys.insert(key);
            }
        }
        for (const std::string& key : keys) {
            const std::string below =
                difference(want.value(key, Json()), got.value(key, Json()), at + "." + key, false);
            if (!below.empty()) {
                return below;
            }
        }
        return "";
    }
    if (want.is_array() && got.is_array() && want.size() == got.size()) {
        for (std::size_t i = 0; i < want.size(); ++i) {
            const std::string below =
                difference(want[i], got[i], at + "[" + std::to_string(i) + "]", false);
            if (!below.empty()) {
                return below;
            }
        }
        return "";
    }
    return want == got || (is_empty(want) && is_empty(got))
               ? ""
               : at + ": want " + want.dump() + ", got " + got.dump();
}

std::size_t check_all(std::istream& in) {
    std::size_t count = 0;
    for (std::string line; std::getline(in, line); ++count) {
        const Json vector = Json::parse(line);
        Json got = Json::parse(berth::experiments::answer_quota_request(vector.at("input").dump()));
        const Json& want = vector.at("expected");
        INFO(vector.at("id"));
        if (want.contains("quotas") && got.contains("quotas")) {
            // The models leave out the special groups and the roots.
            Json asked = Json::object();
            for (const auto& [name, quota] : want["quotas"].items()) {
                asked[name] = got["quotas"].value(name, Json());
            }
            got["quotas"] = asked;
        }
        REQUIRE(difference(want, got, "", true) == "");
    }
    return count;
}

}  // namespace

TEST_CASE("quota: agrees with the committed answers of the models", "[conformance][quota]") {
    const std::string kind = GENERATE("runtime", "redistribute", "admission");
    CAPTURE(kind);
    std::ifstream in(BERTH_SOURCE_DIR "/tests/conformance/quota-" + kind + ".jsonl");
    CHECK(check_all(in) >= 45);
}

TEST_CASE("quota: agrees with every vector, where they are at hand", "[conformance][quota]") {
    const std::string kind = GENERATE("runtime", "redistribute", "admission");
    CAPTURE(kind);
    berth::tests::check_shared_vectors("elastic-quota-" + kind, 400, check_all);
}
