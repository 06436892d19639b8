#include "schedulers/slurm/documents/check_jobs.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "schedulers/slurm/decide/controller.hpp"
#include "schedulers/slurm/decide/submission.hpp"
#include "schedulers/slurm/run/slurm_job.hpp"

namespace berth::experiments {
namespace {

/// What jobs say that has no effect, and what cannot be run.
class JobCheck {
public:
    JobCheck(const sim::SlurmSettings& settings,
             const core::ResourceSchema& resources,
             const core::SourceSpan& span,
             core::Diagnostics& diagnostics)
        : settings_(settings),
          controller_(settings.cluster, 0),
          jobs_(settings, resources),
          span_(span),
          diagnostics_(diagnostics) {}

    /// Returns whether the job can run.
    bool look(const sim::Job& job) {
        const core::slurm::Cluster& cluster = settings_.cluster;
        const std::string& queue = job.quota.text();
        if (!queue.empty() && !core::slurm::find_partition(cluster, queue) &&
            !cluster.accounts.contains(queue)) {
            ++unknown_[queue];
        }
        priorities_ += job.priority != 0 ? 1 : 0;
        if (job.servers && !has_room(job)) {
            return refuse(
                job,
                "runs on nodes where Slurm has no room for it",
                "what runs as Slurm could have started it, with members: tasks if members "
                "share a node");
        }
        return job.resizes.empty() || refuse(job, "changes its size", "one number of pods");
    }

    void warn() const {
        if (priorities_ > 0 && !settings_.priorities_are_stated) {
            diagnostics_.warning(
                span_,
                fmt::format("{} job(s) state a priority, and Slurm computes its own: write "
                            "priorities: stated if theirs are to count",
                            priorities_));
        }
        const auto fallback = core::slurm::find_partition(settings_.cluster, "");
        for (const auto& [queue, jobs] : unknown_) {
            diagnostics_.warning(
                span_,
                fmt::format("{} is neither a partition nor an account: its {} job(s) {}",
                            queue,
                            jobs,
                            fallback ? "go to " + settings_.cluster.partitions[*fallback].name
                                     : "are refused, since no partition has Default=YES"));
        }
    }

private:
    /// Whether a job that runs when the run begins has room beside those before it.
    bool has_room(const sim::Job& job) {
        auto submitted = jobs_.submit(job);
        auto* const own = std::get_if<core::slurm::Job>(&submitted);
        const auto nodes =
            own != nullptr ? sim::nodes_of_members(*job.servers, settings_, *own) : std::nullopt;
        return nodes && controller_.submit_running(std::move(*own), *nodes, 0);
    }

    bool refuse(const sim::Job& job, std::string_view what, std::string_view instead) {
        diagnostics_.error(
            span_,
            fmt::format(
                "{} {}, which slurm does not do here: expected {}", job.name, what, instead));
        return false;
    }

    const sim::SlurmSettings& settings_;
    core::slurm::Controller controller_;
    sim::SlurmJobs jobs_;
    const core::SourceSpan& span_;
    core::Diagnostics& diagnostics_;
    std::map<std::string, std::uint64_t> unknown_;  ///< Jobs by queue.
    std::uint64_t priorities_ = 0;
};

/// What is in use besides the jobs, and when servers are drained, no pass would know.
bool has_other_users(const ExperimentSpec& spec,
                     const core::SourceSpan& span,
                     core::Diagnostics& diagnostics) {
    const auto refuse = [&](std::string_view what) {
        diagnostics.error(
            span,
            fmt::format("{}, which slurm does not know here: expected a cluster that only its jobs "
                        "use",
                        what));
        return true;
    };
    for (const WorkloadSource& source : spec.workload) {
        if (std::holds_alternative<workloads::BackgroundLoad>(source.what) ||
            std::holds_alternative<GivenBackground>(source.what)) {
            return refuse(source.name + " is in use from outside");
        }
    }
    return !spec.settings.drains.empty() && refuse("servers are drained");
}

}  // namespace

void check_jobs_of_slurm(const ExperimentSpec& spec,
                         const core::SourceSpan& span,
                         core::Diagnostics& diagnostics) {
    const auto* settings = dynamic_cast<const sim::SlurmSettings*>(spec.settings.scheduler.get());
    if (settings == nullptr || diagnostics.failed() || has_other_users(spec, span, diagnostics)) {
        return;
    }
    JobCheck check(*settings, spec.topology->resources(), span, diagnostics);
    for (const WorkloadSource& source : spec.workload) {
        const auto* list = std::get_if<JobList>(&source.what);
        const auto* file = std::get_if<TraceFile>(&source.what);
        if (list == nullptr && file == nullptr) {
            continue;
        }
        const auto jobs = list != nullptr
                              ? workloads::make_job_list(list->jobs)
                              : workloads::make_trace_source(file->trace, spec.seed, source.name);
        for (auto job = jobs->next(); job; job = jobs->next()) {
            if (!check.look(*job)) {
                return;
            }
        }
    }
    check.warn();
}

}  // namespace berth::experiments
