#include "experiments/program/results/sweep_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/support/file_reader.hpp"

namespace berth::report {
namespace {

constexpr std::array<std::string_view, 5> kinds{
    "short:", "not stationary:", "warm-up:", "drain:", "given up:"};

}  // namespace

std::vector<std::string> warnings_about_means(const std::filesystem::path& run) {
    const auto summary = nlohmann::json::parse(
        core::text_of_file_if_any(run / "summary.json").value_or(""), nullptr, false);
    std::vector<std::string> out;
    if (!summary.is_object() || !summary.contains("warnings")) {
        return out;
    }
    for (const auto& warning : summary["warnings"]) {
        const auto text = warning.is_string() ? warning.get<std::string>() : "";
        if (std::ranges::any_of(kinds, [&](auto kind) { return text.starts_with(kind); })) {
            out.push_back(text);
        }
    }
    return out;
}

std::string kinds_of_warnings(const std::filesystem::path& run) {
    std::string out;
    for (const std::string& warning : warnings_about_means(run)) {
        out += (out.empty() ? "" : ", ") + warning.substr(0, warning.find(':'));
    }
    return out;
}

std::vector<std::string> sweep_warnings(const std::vector<std::filesystem::path>& folders,
                                        const std::vector<std::string>& names) {
    std::array<std::size_t, kinds.size()> points{};
    std::array<std::string, kinds.size()> first;
    for (std::size_t point = 0; point < folders.size(); ++point) {
        for (const std::string& warning : warnings_about_means(folders[point])) {
            for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
                if (warning.starts_with(kinds[kind]) && points[kind]++ == 0) {
                    first[kind] = fmt::format("{}: {}", names[point], warning);
                }
            }
        }
    }
    std::vector<std::string> out;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        if (points[kind] > 0) {
            out.push_back(fmt::format("{} of {} points {} doubtful means; {}{}",
                                      points[kind],
                                      folders.size(),
                                      points[kind] == 1 ? "has" : "have",
                                      points[kind] == 1 ? "" : "the first, ",
                                      first[kind]));
        }
    }
    return out;
}

}  // namespace berth::report
