// Compares each decision with the answers of kube-scheduler and of its allocator of devices,
// request by request.

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "schedulers/kube/requests/kube.hpp"
#include "tests/conformance/shared_vectors.hpp"

namespace {

using Json = nlohmann::json;

/// The answer without what is free: the order of reasons, empty values, and the text that an error
/// repeats of another program.
Json comparable(const Json& answer, const std::string& key = "") {
    if (answer.is_string() && key == "error") {
        const auto text = answer.get<std::string>();
        const std::size_t quoted = text.find("\": ");
        const std::size_t cel = text.find("error: ");
        return text.substr(0, quoted != std::string::npos ? quoted : cel);
    }
    Json made = answer.is_array() ? Json::array() : answer;
    for (const auto& [name, value] : answer.items()) {
        if (!answer.is_structured()) {
            break;
        }
        Json inner = comparable(value, answer.is_object() ? name : "");
        const bool is_empty = inner.is_null() || inner == "" || inner.empty();
        if (answer.is_array()) {
            made.push_back(std::move(inner));
        } else if (is_empty) {
            made.erase(name);
        } else {
            made[name] = std::move(inner);
        }
    }
    if (key == "reasons") {
        std::sort(made.begin(), made.end());
    }
    return made;
}

std::size_t check_all(std::istream& in) {
    std::size_t count = 0;
    for (std::string line; std::getline(in, line); ++count) {
        const Json vector = Json::parse(line);
        const std::string request = vector.at("input").dump();
        const Json got = Json::parse(berth::experiments::answer_kube_request(request));
        INFO(vector.at("id"));
        REQUIRE(comparable(got) == comparable(vector.at("expected")));
    }
    return count;
}

}  // namespace

TEST_CASE("kube: agrees with the committed vectors", "[conformance][kube]") {
    std::ifstream in(BERTH_SOURCE_DIR "/tests/conformance/kube.jsonl");
    CHECK(check_all(in) >= 80);
}

TEST_CASE("kube: agrees with every vector, where they are at hand", "[conformance][kube]") {
    const auto [kind, least] =
        GENERATE(table<std::string, std::size_t>({{"cycle", 500}, {"sequence", 50}, {"dra", 250}}));
    CAPTURE(kind);
    berth::tests::check_shared_vectors("kube-" + kind, least, check_all);
}
