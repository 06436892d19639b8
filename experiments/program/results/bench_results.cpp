#include "experiments/program/results/bench_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/support/source.hpp"

namespace berth::report {
namespace {

using Json = nlohmann::json;

constexpr std::string_view expected = "expected a line of 'berth bench --json'";

/// One line of a file, whose place stands before each message.
class LineReader {
public:
    LineReader(const std::string& file, int line) : file_(file), line_(line) {}

    [[nodiscard]] BenchResult read(std::string_view text) const {
        const Json object = Json::parse(text, nullptr, false);
        if (!object.is_object()) {
            fail(object.is_discarded() ? "this is not JSON" : "this is not a JSON object");
        }
        BenchResult result;
        result.benchmark = this->text(object, "benchmark");
        result.size = size(object);
        result.size_of = object.contains("size_of") ? this->text(object, "size_of") : "";
        result.unit = this->text(object, "unit");
        result.best_s = seconds(object, "best_s");
        result.median_s = seconds(object, "median_s");
        return result;
    }

private:
    [[noreturn]] void fail(std::string_view message) const {
        throw core::InputError(
            fmt::format("{}:{}: error: {}: {}", file_, line_, message, expected));
    }
    [[nodiscard]] const Json& need(const Json& object, const char* key) const {
        const auto found = object.find(key);
        if (found == object.end()) {
            fail(fmt::format("no '{}'", key));
        }
        return *found;
    }
    [[nodiscard]] std::string text(const Json& object, const char* key) const {
        const Json& value = need(object, key);
        if (!value.is_string() || value.get_ref<const std::string&>().empty()) {
            fail(fmt::format("'{}' is not a text", key));
        }
        return value.get<std::string>();
    }
    [[nodiscard]] std::uint64_t size(const Json& object) const {
        const Json& value = need(object, "size");
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() == 0) {
            fail("'size' is not a whole number of at least 1");
        }
        return value.get<std::uint64_t>();
    }
    [[nodiscard]] double seconds(const Json& object, const char* key) const {
        const Json& value = need(object, key);
        // Both are drawn on a logarithmic axis.
        if (!value.is_number() || !(value.get<double>() > 0) ||
            !std::isfinite(value.get<double>())) {
            fail(fmt::format("'{}' is not a number above 0", key));
        }
        return value.get<double>();
    }

    const std::string& file_;
    int line_;
};

}  // namespace

std::vector<BenchResult> read_bench_results(const core::SourceText& file) {
    const std::string_view text = file.text;
    std::vector<BenchResult> results;
    int line = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view one = text.substr(at, end - at);
        ++line;
        if (one.find_first_not_of(" \t\r") != std::string_view::npos) {
            results.push_back(LineReader(file.name, line).read(one));
        }
        at = end + 1;
    }
    if (results.empty()) {
        throw core::InputError(
            fmt::format("{}: error: the file is empty: {}", file.name, expected));
    }
    return results;
}

}  // namespace berth::report
