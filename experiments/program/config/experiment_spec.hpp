#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/support/source.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/config/outside_scheduler.hpp"
#include "sim/job/job.hpp"
#include "sim/profile/settings.hpp"
#include "workloads/background.hpp"
#include "workloads/failures/failure_model.hpp"
#include "workloads/sources.hpp"
#include "workloads/trace/trace_source.hpp"

namespace berth::experiments {

/// The amounts that are in use on named servers before the run begins.
struct GivenBackground {
    struct Row {
        core::ServerId server;
        std::vector<core::Amount> amounts;
    };
    std::vector<Row> rows;
};

/// Run times from which one is drawn for a job, anew in each replication.
struct DrawnLifetime {
    std::shared_ptr<const std::vector<sim::SimTime>> run_times;  ///< Ascending.
    std::size_t first = 0;                                       ///< Index of the first that may be
                                                                 ///< drawn.
    sim::SimTime ran{};                ///< How long the job has already run when the run begins.
    std::optional<sim::SimTime> most;  ///< Upper bound for the time that the job goes on.
};

/// Jobs at given times.
struct JobList {
    std::vector<sim::Job> jobs;
    /// Keyed by the name of the job; the duration of that job is the mean.
    std::map<std::string, DrawnLifetime> drawn{};
};

/// Jobs as a file recorded them.
struct TraceFile {
    std::string name;  ///< The name stated for the source, or empty.
    std::string file;
    std::string format;
    workloads::Trace trace;
    bool lenient = false;     ///< Whether wrong rows are skipped; their number is a metric.
    core::SourceSpan span{};  ///< Place of the file's name.
    bool says_zero = false;   ///< Whether the experiment states which instant becomes time 0 of the
                              ///< run.
};

/// One source of a workload. Its kind and its name seed its random streams.
struct WorkloadSource {
    std::string name;
    std::variant<workloads::BackgroundLoad, GivenBackground, JobList, workloads::Renewal, TraceFile>
        what;
};

/// A statement about the results: a published figure, to be compared with the measured one.
struct Claim {
    enum class Kind : std::uint8_t {
        metric,   ///< The mean of a metric, or its whole interval, lies in [least, most].
        members,  ///< The counts on the used nodes of a level, largest first, in replication 0.
        nodes,    ///< The names of the used nodes of a level, in replication 0.
    };
    Kind kind = Kind::metric;
    std::string text;
    std::string source;  ///< Where it was published, such as `slide 14`.
    std::string metric;
    core::SourceSpan span;  ///< Place of the metric's name.
    double least = 0;
    double most = 0;
    bool by_interval = false;  ///< Whether both ends of the 95 % interval must lie there too.
    std::string group;         ///< Empty: the first group.
    core::Level level;
    std::vector<core::Members> members;
    bool published = false;  ///< Whether a figure shows the members, which is then drawn beside the
                             ///< measured ones.
    /// The nodes that the figure names, if it names any, with their members.
    std::vector<std::pair<std::string, core::Members>> published_nodes;
    std::vector<std::string> nodes;
};

/// The metrics of each replication, some kilobytes, are held until the last one has ended.
inline constexpr std::int64_t replications_max = 100'000;

/// A checked experiment: its users need not check it again.
struct ExperimentSpec {
    std::string name;
    std::uint64_t seed = 1;
    std::uint32_t replications = 1;
    std::shared_ptr<const core::Topology> topology;
    std::vector<WorkloadSource> workload;
    sim::Settings settings;
    std::optional<OutsideScheduler> outside;  ///< Decides instead of the settings' profile.
    workloads::FailureModel failures;         ///< Failures besides the changes in the settings.
    bool record_placements = true;
    bool find_warm_up = false;  ///< Whether `warmUp: auto` is set: an extra run finds where the
                                ///< window begins.
    std::vector<Claim> claims;
    std::vector<Claim> expectations;  ///< Claims about metrics; the run fails if one of them does.
    /// The warnings from reading it, without places, so that they are the same for a copy
    /// elsewhere.
    std::vector<std::string> warnings;
};

}  // namespace berth::experiments
