#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace berth::test {

/// A run directory to read: a tree of three levels whose leaves ask for more and for less in the
/// course of a day, share what there is by their min and weight, and lose pods when they keep more
/// than that for too long. The numbers are invented but consistent: parents are sums of their
/// children.
struct QuotaRunShape {
    std::string experiment = "a day of quotas";
    std::size_t departments = 4;    ///< Departments below the root.
    std::size_t teams = 3;          ///< Teams below each department.
    std::size_t projects = 3;       ///< The most projects below a team; some teams have fewer.
    std::size_t samples = 24 * 12;  ///< Samples, one every five minutes.
    std::size_t patience = 3;       ///< How many samples of over-use come before pods are revoked.
    std::size_t replications = 1;   ///< Replications, which all repeat the first.
    bool changes = true;            ///< Whether projects come, move, go and are refused changes.
};

/// Writes summary.json, nodes.csv, quotas.csv, evictions.csv and quota_changes.csv.
void write_quota_run(const std::filesystem::path& directory, const QuotaRunShape& shape);

}  // namespace berth::test
