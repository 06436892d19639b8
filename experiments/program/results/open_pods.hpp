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

/// For how long a pod had a place before it was evicted.
struct EarlierRun {
    double from_s = 0;
    double to_s = 0;
};
/// By replication and pod, each in the order of time.
using EarlierRuns = std::map<std::pair<std::int64_t, std::string>, std::vector<EarlierRun>>;

/// What evictions.csv of a run directory tells of pods that were evicted; nothing where it has no
/// such file.
[[nodiscard]] EarlierRuns read_earlier_runs(const std::filesystem::path& directory);

/// One row of pods.csv, as far as it tells when the pod waited and ran.
struct PodTimes {
    std::int64_t replication = 0;
    std::string_view name;
    std::string_view outcome;
    double submit_s = 0;
    std::optional<double> start_s;
    std::optional<double> finish_s;
};

/// Gathers the pods that still waited or ran when their replication ended: of their waits and
/// completion times all that is known is that they are at least as long as they were by then.
class OpenPods {
public:
    void add(const PodTimes& pod, std::span<const EarlierRun> earlier);

    /// Adds what was gathered to the samples `wait_s` and `jct_s`. `end_s`: when each replication
    /// ended; one that it lacks ended with the last time that a pod has.
    void add_to(std::vector<Samples>& samples, const std::vector<double>& end_s) const;

private:
    struct Open {
        std::int64_t replication = 0;
        double submit_s = 0;
        double ran_s = 0;  ///< Before it was evicted.
        bool waits = false;
    };
    std::map<std::int64_t, double> last_s_;  ///< The last time that a pod has, by replication.
    std::vector<Open> open_;
    std::size_t dropped_ = 0;  ///< They have no place and will have none.
    std::size_t never_started_ = 0;
};

}  // namespace berth::report
