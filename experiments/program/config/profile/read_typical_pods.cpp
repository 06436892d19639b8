#include "experiments/program/config/profile/read_typical_pods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "core/tree/resources.hpp"
#include "experiments/program/config/workload/trace_origin.hpp"
#include "sim/cluster/inside/gpus/requested_gpus.hpp"

namespace berth::experiments {
namespace {

using core::Amount;
using core::Diagnostics;
using core::MapReader;
using core::Value;

constexpr std::int64_t percent_unless_stated = 95;

/// All jobs in a trace's file, if its plan had them read into memory; otherwise nullptr.
const std::vector<workloads::TraceJob>* jobs_in_memory(const workloads::Trace& trace) {
    const bool all = trace.plan.limit == 0 && trace.scan.unstarted == 0;
    return all ? trace.jobs.get() : nullptr;
}

/// Counts the pods of a workload by their requests. The counts need not be whole numbers.
class ExpectedPods {
public:
    explicit ExpectedPods(const ExperimentSpec& spec)
        : cpu_(spec.topology->resources().find("cpu").value_or(SIZE_MAX)),
          gpu_(spec.topology->resources()
                   .find(core::device_resource::nvidia_gpu)
                   .value_or(SIZE_MAX)),
          until_(spec.settings.until) {
        for (const WorkloadSource& source : spec.workload) {
            if (const auto* list = std::get_if<JobList>(&source.what)) {
                for (const sim::Job& job : list->jobs) {
                    add(job, 1);
                }
            } else if (const auto* renewal = std::get_if<workloads::Renewal>(&source.what)) {
                add_generated(*renewal);
            } else if (const auto* file = std::get_if<TraceFile>(&source.what)) {
                add_trace(file->trace);
            }
        }
    }

    /// Whole numbers stay as they are; for other counts, nine digits of their shares are kept.
    [[nodiscard]] core::TypicalPods typical(std::int64_t percent) const {
        double all = 0;
        bool whole = true;
        for (const auto& [request, pods] : pods_) {
            all += pods;
            whole = whole && pods == std::floor(pods);
        }
        constexpr double shares = 1e9;
        const double scale = whole ? 1 : shares / all;
        core::TypicalPodCounter counter;
        for (const auto& [request, pods] : pods_) {
            counter.add(request.first, request.second, std::llround(pods * scale));
        }
        return counter.typical(percent);
    }

private:
    void add(const sim::Job& job, double jobs) {
        const Amount cpu = cpu_ < job.demand.size() ? job.demand[cpu_] : 0;
        pods_[{cpu, sim::requested_gpus(job, gpu_)}] += jobs * static_cast<double>(job.size);
    }

    void add_trace(const workloads::Trace& trace) {
        const auto count = [&](const workloads::TraceJob& job) {
            pods_[{job.cpu_milli, job.gpus}] += static_cast<double>(job.members);
        };
        if (const auto* jobs = jobs_in_memory(trace)) {
            std::ranges::for_each(*jobs, count);
            return;
        }
        const auto reader = trace.open();
        for (workloads::TraceJob job; reader->next(job);) {
            count(job);
        }
    }

    void add_generated(const workloads::Renewal& renewal) {
        double weights = 0;
        for (const auto& entry : renewal.mix) {
            weights += entry.weight;
        }
        const double arrivals = expected_arrivals(renewal);
        for (const auto& entry : renewal.mix) {
            add(entry.job, arrivals * entry.weight / weights);
        }
    }

    [[nodiscard]] double expected_arrivals(const workloads::Renewal& renewal) const {
        const sim::SimTime end = std::min(renewal.until, until_);
        const double most =
            renewal.count > 0 ? static_cast<double>(renewal.count) : static_cast<double>(INT64_MAX);
        if (end == sim::never) {
            return most;
        }
        const double seconds = end > renewal.start ? sim::seconds(end - renewal.start) : 0;
        return std::min(most, seconds / renewal.arrivals.mean());
    }

    std::size_t cpu_;
    std::size_t gpu_;
    sim::SimTime until_;
    std::map<std::pair<Amount, core::GpuRequest>, double> pods_;
};

/// All jobs in a file, if a source of the workload has read them into memory; otherwise nullptr.
const std::vector<workloads::TraceJob>* jobs_in_memory(const ExperimentSpec& spec,
                                                       const TraceOrigin& origin) {
    const bool has_columns = origin.format == "csv" || origin.format == "jsonl";
    for (const WorkloadSource& source : spec.workload) {
        const auto* file = std::get_if<TraceFile>(&source.what);
        if (file != nullptr && file->file == origin.file && file->format == origin.format &&
            file->lenient == origin.options.lenient && !has_columns) {
            return jobs_in_memory(file->trace);
        }
    }
    return nullptr;
}

core::TypicalPods typical_of_file(const ExperimentSpec& spec,
                                  const TraceOrigin& origin,
                                  std::int64_t percent) {
    core::TypicalPodCounter counter;
    if (const auto* jobs = jobs_in_memory(spec, origin)) {
        for (const workloads::TraceJob& job : *jobs) {
            counter.add(job.cpu_milli, job.gpus, job.members);
        }
        return counter.typical(percent);
    }
    with_likely_format(origin, [&] {
        const auto reader = open(origin);
        for (workloads::TraceJob job; reader->next(job);) {
            counter.add(job.cpu_milli, job.gpus, job.members);
        }
    });
    return counter.typical(percent);
}

/// Reads a share of all pods, such as `0.95`, in hundredths.
std::int64_t read_threshold(const Value* value, Diagnostics& diagnostics) {
    if (value == nullptr) {
        return percent_unless_stated;
    }
    const auto parsed = core::parse_quantity(value->text, 100);
    const auto* percent = std::get_if<core::Amount>(&parsed);
    if (percent == nullptr || *percent == 0 || *percent > 100) {
        expected(*value, "hundredths such as 0.95, above 0 and at most 1", diagnostics);
        return percent_unless_stated;
    }
    return *percent;
}

bool decides_by_typical_pods(const std::string& policy) {
    return policy == "fragmentation-gradient-descent" || policy == "topology-aware-fragmentation";
}

}  // namespace

std::shared_ptr<const core::TypicalPods> read_typical_pods(const Value* value,
                                                           const ExperimentSpec& spec,
                                                           const core::SourceSpan& span,
                                                           Diagnostics& diagnostics) {
    const Value nothing{Value::Kind::map, {}, {}, {}, {}};
    MapReader map(value != nullptr ? *value : nothing, "typicalPods", diagnostics);
    const std::int64_t percent = read_threshold(map.take("threshold"), diagnostics);
    const bool names_file = map.take("file") != nullptr;
    if (const Value* format = names_file ? nullptr : map.take("format")) {
        diagnostics.error(format->span,
                          "format without file: expected the file of a trace beside it");
    }
    const TraceOrigin origin = names_file ? read_trace_origin(map) : TraceOrigin{};
    map.report_unknown_keys();
    if (diagnostics.failed()) {
        return nullptr;
    }
    auto typical = std::make_shared<const core::TypicalPods>(
        names_file ? typical_of_file(spec, origin, percent) : ExpectedPods(spec).typical(percent));
    const std::string& policy = spec.settings.profile.inside.gpus->policy;
    if (typical->pods.empty()) {
        if (decides_by_typical_pods(policy)) {
            diagnostics.error(
                span,
                fmt::format("{} needs typical pods, and the workload has no pods: expected "
                            "typicalPods: {{format: ..., file: ...}} in the scheduler",
                            policy));
        }
        return nullptr;
    }
    if (value == nullptr && decides_by_typical_pods(policy)) {
        diagnostics.warning(
            span,
            fmt::format("{} takes the typical pods from the workload: {} kind{} of pods; set "
                        "scheduler.typicalPods: {{}} if intended",
                        policy,
                        typical->pods.size(),
                        typical->pods.size() == 1 ? "" : "s"));
    }
    return typical;
}

}  // namespace berth::experiments
