#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace berth::test {

/// A run directory to read: a tree of three levels whose leaves ask for more and for less in the
/// course of a day, share what is there by their minimum and weight, and lose pods when they
/// keep more than that for too long. Invented, but consistent: parents are sums of their children.
struct QuotaRunShape {
    std::string experiment = "a day of quotas";
    std::size_t departments = 4;    ///< Below the root.
    std::size_t teams = 3;          ///< Below each department.
    std::size_t projects = 3;       ///< Below each team; not all have as many.
    std::size_t samples = 24 * 12;  ///< One each five minutes.
    std::size_t patience = 3;       ///< Samples of over-use before pods are revoked.
    std::size_t replications = 1;   ///< The others repeat the first.
    bool changes = true;            ///< A project is created, moved, refused, deleted.
};

/// Writes summary.json, nodes.csv, quotas.csv, evictions.csv and quota_changes.csv.
void write_quota_run(const std::filesystem::path& directory, const QuotaRunShape& shape);

}  // namespace berth::test
