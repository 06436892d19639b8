// Compares each decision with the answers of Kueue and of its models, request by request.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "schedulers/kueue/requests/kueue.hpp"
#include "tests/conformance/shared_vectors.hpp"

namespace {

using Json = nlohmann::json;

/// Removes what an answer may contain beyond the expected one: messages of decisions.
void keep_wanted(const Json& want, Json& got) {
    if (want.is_object() && got.is_object()) {
        if (!want.contains("message")) {
            got.erase("message");
        }
        for (auto& [key, value] : got.items()) {
            if (want.contains(key)) {
                keep_wanted(want[key], value);
            }
        }
    } else if (want.is_array() && got.is_array() && want.size() == got.size()) {
        for (std::size_t i = 0; i < want.size(); ++i) {
            keep_wanted(want[i], got[i]);
        }
    }
}

std::size_t check_all(std::istream& in) {
    std::size_t count = 0;
    for (std::string line; std::getline(in, line); ++count) {
        const Json vector = Json::parse(line);
        Json got = Json::parse(berth::experiments::answer_kueue_request(vector.at("input").dump()));
        INFO(vector.at("id"));
        keep_wanted(vector.at("expected"), got);
        REQUIRE(got == vector.at("expected"));
    }
    return count;
}

}  // namespace

TEST_CASE("kueue: agrees with every vector, where they are at hand", "[conformance][kueue]") {
    const auto [kind, least] = GENERATE(
        table<std::string, std::size_t>({{"cycle", 2000}, {"real", 440}, {"topology", 2000}}));
    CAPTURE(kind);
    berth::tests::check_shared_vectors("kueue-" + kind, least, check_all);
}
