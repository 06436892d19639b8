#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// Errors: core::InputError where the text is no JSON, with the place.
[[nodiscard]] nlohmann::ordered_json read_json(const std::filesystem::path& path);

/// The texts and numbers of manifest.json or run.json, by their keys.
/// Errors: core::InputError where there is no object.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> read_facts(
    const std::filesystem::path& path);

/// Takes over what a summary.json says. Errors: core::InputError where it has another form.
void read_summary(const std::filesystem::path& path, RunDirectory& run);

}  // namespace berth::report
