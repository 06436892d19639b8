// Compares each decision with the answers of the KAI scheduler.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "schedulers/kai/requests/kai.hpp"
#include "tests/conformance/shared_vectors.hpp"

namespace {

using Json = nlohmann::json;

std::size_t check_kai_vectors(std::istream& in) {
    std::size_t count = 0;
    for (std::string line; std::getline(in, line); ++count) {
        const Json vector = Json::parse(line);
        const Json got =
            Json::parse(berth::experiments::answer_kai_request(vector.at("input").dump()));
        INFO(vector.at("id"));
        REQUIRE(got == vector.at("expected"));
    }
    return count;
}

}  // namespace

TEST_CASE("kai: agrees with every vector, where they are at hand", "[conformance][kai]") {
    const auto [kind, least] = GENERATE(
        table<std::string, std::size_t>({{"shares", 500}, {"rules", 200}, {"cycles", 323}}));
    CAPTURE(kind);
    berth::tests::check_shared_vectors("kai-" + kind, least, check_kai_vectors);
}
