#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// One row of pods.csv, as far as it tells whether the pod's times have ended.
struct PodEnd {
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
    /// `directory`: its evictions.csv, if there is one, tells how long evicted pods ran.
    explicit OpenPods(const std::filesystem::path& directory);

    void add(const PodEnd& pod);

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
    std::map<std::pair<std::int64_t, std::string>, double> ran_s_;
    std::map<std::int64_t, double> last_s_;  ///< The last time that a pod has, by replication.
    std::vector<Open> open_;
    std::size_t dropped_ = 0;  ///< They have no place and will have none.
    std::size_t never_started_ = 0;
};

}  // namespace berth::report
