#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/placement_group.hpp"
#include "sim/job.hpp"

namespace berth::sim {

/// What became of a job by the end of the run.
enum class Outcome : std::uint8_t {
    finished,
    running,   ///< At the end.
    waiting,   ///< At the end.
    dropped,   ///< It did not fit and was not to be retried.
    rejected,  ///< Refused before the scheduler looked for a place.
};
[[nodiscard]] std::string_view to_string(Outcome outcome);

/// Some members of a job, on one server over one stretch of time.
struct Stint {
    core::ServerId server;
    core::Members members = 0;
    SimTime start{};
    std::optional<SimTime> finish;
};

/// The whole story of one job.
struct JobRecord {
    Job job;
    Outcome outcome = Outcome::waiting;
    std::optional<SimTime> start;
    std::optional<SimTime> finish;
    std::string reason;         ///< Why it did not start, in kube-scheduler's words.
    core::Members placed = 0;   ///< Members that could be placed at the start or the last attempt.
    std::vector<Stint> stints;  ///< In the order of their start, then of the tree.
    core::LogicalTree placement;                  ///< At the start; of a group.
    std::optional<core::LogicalTree> attainable;  ///< The exact solver's, if asked for.
    std::uint32_t resizes_refused = 0;
};

/// Where records go. Calls come in a fixed order, from one thread.
class RecordSink {
public:
    virtual ~RecordSink() = default;
    /// Once for each job, in the order of arrival.
    virtual void job(const JobRecord& record) = 0;
    /// At each sample; `values` are in the order of Simulation::sampled_metrics().
    virtual void sample(SimTime at, std::span<const double> values) = 0;
};

}  // namespace berth::sim
