#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "experiments/program/plot/plot.hpp"
#include "experiments/program/results/sweep_choice.hpp"

namespace berth::report {

/// The figures of a sweep, by name.
[[nodiscard]] std::span<const Figure> sweep_figures();

/// Like write_plot(), for a sweep directory. `options` choose the metric and the axes.
///
/// Errors: as write_plot(), and core::InputError, with the nearest name, for a metric, axis or
///         value that the sweep does not have.
void write_sweep_plot(const std::filesystem::path& sweep_directory,
                      std::string_view figure,
                      const SweepOptions& options,
                      const std::filesystem::path& out);

}  // namespace berth::report
