#include "schedulers/rounds/documents/check_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "schedulers/rounds/run/rounds_settings.hpp"

namespace berth::experiments {
namespace {

/// A round gives a job places by the numbers of its GPUs, and nothing else.
class JobCheck {
public:
    JobCheck(const sim::RoundsSettings& settings,
             const core::ResourceSchema& resources,
             sim::SimTime until,
             const core::SourceSpan& span,
             core::Diagnostics& diagnostics)
        : settings_(settings),
          resources_(resources),
          until_(until),
          span_(span),
          diagnostics_(diagnostics) {}

    /// Returns whether the job can run in rounds.
    bool look(const sim::Job& job) {
        has_priorities_ = has_priorities_ || job.priority != 0 || !job.preemptible;
        const std::size_t gpu = settings_.cluster.resource;
        const core::Amount asked = gpu < job.demand.size() ? job.demand[gpu] : 0;
        const std::int64_t gpus = asked / resources_.per_unit(gpu) * job.size;
        if (!job.training) {
            return refuse(job, "trains no model", "a trace of format training");
        }
        if (asked != resources_.per_unit(gpu)) {
            return refuse(job, "has pods without GPUs, or with several", "one GPU for each pod");
        }
        if (gpus > settings_.cluster.gpus()) {
            return refuse(
                job,
                fmt::format("asks for {} GPUs, and there are {}", gpus, settings_.cluster.gpus()),
                "a job that fits into the cluster");
        }
        if (!job.resizes.empty() || job.min_available != job.size) {
            return refuse(job, "may have fewer pods than it asks for", "one number of pods");
        }
        if (job.servers) {
            return refuse(job, "runs already when the run begins", "a job that waits");
        }
        gpus_.emplace(job.name, gpus);
        return ends_in_time(job, gpus);
    }

    void look(const std::vector<sim::RecordedLease>& recorded) {
        for (const sim::RecordedLease& row : recorded) {
            const auto known = gpus_.find(row.job);
            const auto given = static_cast<std::int64_t>(row.workers.size());
            if (known == gpus_.end()) {
                diagnostics_.error(
                    row.told,
                    fmt::format("unknown job '{}': expected one of the workload", row.job));
            } else if (given != known->second) {
                diagnostics_.error(row.told,
                                   fmt::format("{} worker(s) for job '{}': expected {}, as many "
                                               "GPUs as it asks for",
                                               given,
                                               row.job,
                                               known->second));
            }
        }
    }

    void warn() const {
        if (has_priorities_) {
            diagnostics_.warning(span_,
                                 "priority and preemptible have no effect: rounds go by the policy "
                                 "alone; expected none of them");
        }
    }

private:
    /// How often the scheduler wakes while jobs train; nothing if only changes of jobs wake it.
    [[nodiscard]] std::optional<sim::SimTime> wakes_every() const {
        const auto* ticks = std::get_if<sim::TickRounds>(&settings_.kind);
        if (ticks == nullptr) {
            return std::get<sim::LeaseRounds>(settings_.kind).round;
        }
        return ticks->policy == "tiresias" ? std::optional(ticks->tick) : std::nullopt;
    }

    /// A run has at least as many rounds as its longest job, and as all jobs fill on all GPUs.
    bool ends_in_time(const sim::Job& job, std::int64_t gpus) {
        constexpr std::int64_t rounds_max = 10'000'000;
        const std::optional<sim::SimTime> lasts = wakes_every();
        if (!lasts) {
            return true;
        }
        const std::string_view key =
            std::holds_alternative<sim::TickRounds>(settings_.kind) ? "tick" : "round";
        const sim::SimTime trains = std::min(job.duration.value_or(sim::SimTime(0)), until_);
        if (trains / *lasts > rounds_max) {
            return refuse(
                job,
                fmt::format("trains for {}, which is more than 10^7 {}s of {}ns",
                            sim::time_text(trains),
                            key,
                            lasts->count()),
                fmt::format("{}: {}ns or longer", key, trains / rounds_max / sim::SimTime(1) + 1));
        }
        rounds_of_gpus_ += trains / *lasts * gpus;
        return rounds_of_gpus_ / settings_.cluster.gpus() <= rounds_max ||
               until_ / *lasts <= rounds_max ||
               refuse(job,
                      fmt::format("and the jobs before it fill all GPUs for more than 10^7 {}s of "
                                  "{}ns",
                                  key,
                                  lasts->count()),
                      fmt::format("a longer {}, or until", key));
    }

    bool refuse(const sim::Job& job, std::string_view what, std::string_view instead) {
        diagnostics_.error(
            span_,
            fmt::format("{} {}, which rounds cannot run: expected {}", job.name, what, instead));
        return false;
    }

    const sim::RoundsSettings& settings_;
    const core::ResourceSchema& resources_;
    sim::SimTime until_;
    const core::SourceSpan& span_;
    core::Diagnostics& diagnostics_;
    std::map<std::string, std::int64_t, std::less<>> gpus_;  ///< Of each job, by its name.
    std::int64_t rounds_of_gpus_ = 0;  ///< In how many rounds the jobs so far need a GPU each.
    bool has_priorities_ = false;
};

/// What is in use besides the jobs, and servers that leave, would make numbers of GPUs wrong.
bool has_other_users(const ExperimentSpec& spec,
                     const core::SourceSpan& span,
                     core::Diagnostics& diagnostics) {
    const auto refuse = [&](std::string_view what) {
        diagnostics.error(
            span,
            fmt::format("{}, which rounds do not know: expected a cluster that only its jobs use, "
                        "and servers that stay",
                        what));
        return true;
    };
    for (const WorkloadSource& source : spec.workload) {
        if (std::holds_alternative<workloads::BackgroundLoad>(source.what) ||
            std::holds_alternative<GivenBackground>(source.what)) {
            return refuse(source.name + " is in use from outside");
        }
        if (std::holds_alternative<workloads::Renewal>(source.what)) {
            return refuse(source.name + " generates jobs that train no model");
        }
    }
    if (spec.settings.servers_may_leave()) {
        return refuse("servers fail, or are drained");
    }
    return !spec.settings.left_out().empty() && refuse("servers are absent");
}

}  // namespace

void check_jobs_of_rounds(const ExperimentSpec& spec,
                          const core::SourceSpan& span,
                          core::Diagnostics& diagnostics) {
    const auto* settings = dynamic_cast<const sim::RoundsSettings*>(spec.settings.scheduler.get());
    if (settings == nullptr || diagnostics.failed() || has_other_users(spec, span, diagnostics)) {
        return;
    }
    JobCheck check(*settings, spec.topology->resources(), spec.settings.until, span, diagnostics);
    for (const WorkloadSource& source : spec.workload) {
        const auto* list = std::get_if<JobList>(&source.what);
        const auto* file = std::get_if<TraceFile>(&source.what);
        const auto jobs = list != nullptr
                              ? workloads::make_job_list(list->jobs)
                              : workloads::make_trace_source(file->trace, spec.seed, source.name);
        for (auto job = jobs->next(); job; job = jobs->next()) {
            if (!check.look(*job)) {
                return;
            }
        }
    }
    if (const auto* leases = std::get_if<sim::LeaseRounds>(&settings->kind)) {
        check.look(leases->recorded);
    }
    check.warn();
}

}  // namespace berth::experiments
