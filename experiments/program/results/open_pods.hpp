#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// A period for which a pod had a place before it was evicted.
struct EarlierRun {
    double from_s = 0;
    double to_s = 0;
};
/// Earlier runs by replication and pod, in the order of time.
using EarlierRuns = std::map<std::pair<std::int64_t, std::string>, std::vector<EarlierRun>>;

/// Reads evictions.csv of a run directory; empty if there is no such file.
[[nodiscard]] EarlierRuns read_earlier_runs(const std::filesystem::path& directory);

/// The columns of a row of pods.csv that say when the pod waited and ran.
struct PodTimes {
    std::int64_t replication = 0;
    std::string_view name;
    std::string_view outcome;
    double submit_s = 0;
    std::optional<double> start_s;
    std::optional<double> finish_s;
};

/// Gathers the pods that still waited or ran when their replication ended. Their waits and
/// completion times are only known to be at least as long as they were by then.
class OpenPods {
public:
    void add(const PodTimes& pod, std::span<const EarlierRun> earlier);

    /// Adds the gathered pods to the samples `wait_s` and `jct_s`. `end_s`: the end of each
    /// replication. A replication without one ends with the last time of its pods.
    void add_to(std::vector<Samples>& samples, const std::vector<double>& end_s) const;

private:
    struct Open {
        std::int64_t replication = 0;
        double submit_s = 0;
        double ran_s = 0;  ///< How long it ran before it was evicted.
        bool waits = false;
    };
    std::map<std::int64_t, double> last_s_;  ///< The last time of any pod, by replication.
    std::vector<Open> open_;
    std::size_t dropped_ = 0;  ///< Pods that have no place and will not get one.
    std::size_t never_started_ = 0;
};

}  // namespace berth::report
