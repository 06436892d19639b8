#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "experiments/program/plot/plot.hpp"
#include "experiments/program/results/sweep_choice.hpp"

namespace berth::report {

/// The figures of a sweep, by name.
[[nodiscard]] std::span<const Figure> sweep_figures();

/// As write_plot(), of a sweep directory; `options` say which metric over which axes.
///
/// Errors: also core::InputError for a metric, axis or value that the sweep does not have, with the
///         nearest.
void write_sweep_plot(const std::filesystem::path& sweep_directory,
                      std::string_view figure,
                      const SweepOptions& options,
                      const std::filesystem::path& out);

}  // namespace berth::report
