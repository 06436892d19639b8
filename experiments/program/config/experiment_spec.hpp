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

/// What is in use on named servers before the run begins.
struct GivenBackground {
    struct Row {
        core::ServerId server;
        std::vector<core::Amount> amounts;
    };
    std::vector<Row> rows;
};

/// The run times from which one is drawn for a job, anew in each replication.
struct DrawnLifetime {
    std::shared_ptr<const std::vector<sim::SimTime>> run_times;  ///< Rising.
    std::size_t first = 0;                                       ///< The first that it may have.
    sim::SimTime ran{};                ///< It has run for so long when the run begins.
    std::optional<sim::SimTime> most;  ///< It goes on for no longer.
};

/// Jobs at given times.
struct JobList {
    std::vector<sim::Job> jobs;
    /// By the name of the job, whose duration is the mean.
    std::map<std::string, DrawnLifetime> drawn{};
};

/// Jobs as a file recorded them.
struct TraceFile {
    std::string name;  ///< Stated for the source, or empty.
    std::string file;
    std::string format;
    workloads::Trace trace;
    bool lenient = false;     ///< Wrong rows are skipped; their number is a metric.
    core::SourceSpan span{};  ///< Of the file's name.
    bool says_zero = false;   ///< Which instant is the run's 0 was stated.
};

/// One source of a workload. Its kind and its name seed its random streams.
struct WorkloadSource {
    std::string name;
    std::variant<workloads::BackgroundLoad, GivenBackground, JobList, workloads::Renewal, TraceFile>
        what;
};

/// A statement about the results: the figure that somebody published, beside the measured one.
struct Claim {
    enum class Kind : std::uint8_t {
        metric,   ///< The mean of a metric, or its whole interval, lies in [least, most].
        members,  ///< The counts on the used nodes of a level, largest first, in replication 0.
        nodes,    ///< The names of the used nodes of a level, in replication 0.
    };
    Kind kind = Kind::metric;
    std::string text;
    std::string source;  ///< Where it was published: `slide 14`.
    std::string metric;
    core::SourceSpan span;  ///< Of the metric's name.
    double least = 0;
    double most = 0;
    bool by_interval = false;  ///< Both ends of the 95 % interval lie there too.
    std::string group;         ///< Empty: the first.
    core::Level level;
    std::vector<core::Members> members;
    bool published = false;  ///< A figure shows the members: it is drawn beside what is measured.
    std::vector<std::pair<std::string, core::Members>> published_nodes;  ///< If it names nodes.
    std::vector<std::string> nodes;
};

/// Each replication's metrics, some kilobytes, are held until the last one is over.
inline constexpr std::int64_t replications_max = 100'000;

/// An experiment, checked: nothing downstream looks at it with suspicion.
struct ExperimentSpec {
    std::string name;
    std::uint64_t seed = 1;
    std::uint32_t replications = 1;
    std::shared_ptr<const core::Topology> topology;
    std::vector<WorkloadSource> workload;
    sim::Settings settings;
    std::optional<OutsideScheduler> outside;  ///< It decides, not the settings' profile.
    workloads::FailureModel failures;         ///< What fails besides the settings' own changes.
    bool record_placements = true;
    bool find_warm_up = false;  ///< A run before finds where the window begins: `warmUp: auto`.
    std::vector<Claim> claims;
    std::vector<Claim> expectations;  ///< About metrics; where one fails, so has the run.
    /// What its readers warned of, without places: a copy elsewhere says the same.
    std::vector<std::string> warnings;
};

}  // namespace berth::experiments
