#include "experiments/program/sweep/missed_expectations.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/support/file_reader.hpp"
#include "core/support/source.hpp"
#include "experiments/program/support/parsed_json.hpp"

namespace berth::experiments {
namespace {

/// Such as `wait_s_mean: expected 0 to 60, measured 73.1; ...`; empty if nothing is missed.
std::string missed_in(const std::filesystem::path& file) {
    std::string out;
    try {
        const auto summary = parsed_json(core::text_of_file(file));
        for (const auto& expectation :
             summary.value("expectations", nlohmann::ordered_json::array())) {
            if (!expectation.at("holds").get<bool>()) {
                out += fmt::format("{}{}: expected {}, measured {}",
                                   out.empty() ? "" : "; ",
                                   expectation.at("metric").get<std::string>(),
                                   expectation.at("expected").get<std::string>(),
                                   expectation.at("measured").get<std::string>());
            }
        }
    } catch (const nlohmann::ordered_json::exception&) {
        throw core::InputError(
            fmt::format("{}: error: not a summary: expected the summary.json that berth run writes",
                        file.string()));
    }
    return out;
}

}  // namespace

std::vector<FailedPoint> missed_expectations(const std::vector<PointKey>& keys,
                                             const SweepDirectory& directory) {
    std::vector<FailedPoint> out;
    for (std::size_t point = 0; point < keys.size(); ++point) {
        if (directory.has_point(keys[point])) {
            std::string missed = missed_in(directory.point(keys[point]) / "summary.json");
            if (!missed.empty()) {
                out.push_back({point, std::move(missed)});
            }
        }
    }
    return out;
}

}  // namespace berth::experiments
