#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "folder.hpp"

namespace berth::tests {

/// Pods that arrive at random on four servers.
extern const std::string base_experiment;
extern const std::string base_cluster;
/// A sweep of six points over that experiment.
extern const std::string base_sweep;

/// Writes base.yaml, cluster.yaml and sweep.yaml.
void write_inputs(const Folder& folder, const std::string& sweep = base_sweep);

/// The names in points/, not including the content of its folders.
[[nodiscard]] std::vector<std::string> points_in(const Folder& folder, const std::string& sweep);
/// The number of points whose folders are complete.
[[nodiscard]] std::size_t points_done(const Folder& folder, const std::string& sweep);
/// Runs `berth sweep`. Returns its message about the points that it ran.
std::string points_now(const Folder& folder, Arguments more = {});

}  // namespace berth::tests
