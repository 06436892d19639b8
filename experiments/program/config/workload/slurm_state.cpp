#include "experiments/program/config/workload/slurm_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/tree/node_labels.hpp"
#include "experiments/program/config/cluster/slurm_nodes.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/document/value_below.hpp"
#include "experiments/program/config/document/written_by_berth.hpp"
#include "experiments/program/config/workload/job_amounts.hpp"
#include "experiments/program/config/workload/pod_nodes.hpp"
#include "experiments/program/config/workload/trace_origin.hpp"
#include "experiments/program/support/documents.hpp"
#include "workloads/trace/slurm_amounts.hpp"
#include "workloads/trace/trace_pods.hpp"
#include "workloads/trace/trace_reader.hpp"
#include "workloads/trace/trace_ties.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::Value;
using sim::SimTime;
using workloads::TraceJob;
using workloads::TraceStatus;

/// How long jobs that have not ended go on.
struct Lifetime {
    std::optional<SimTime> time;  ///< The same time for all jobs; nothing: as to_limit says.
    bool to_limit = false;        ///< Until their limits; otherwise until the run ends.
};

Lifetime read_lifetime(const Value* value, Diagnostics& diagnostics) {
    Lifetime out;
    if (value == nullptr) {
        return out;
    }
    out.to_limit = value->text == "limit";
    if (!out.to_limit) {
        out.time = read_duration(*value, diagnostics, "limit, or ");
    }
    return out;
}

/// Jobs that one message is about.
struct Counted {
    std::uint64_t jobs = 0;
    std::string first;

    void add(const TraceJob& job) { first = jobs++ == 0 ? job.name : first; }
};

class StateReader {
public:
    StateReader(PodLabels& labels, const core::Topology& tree, Diagnostics& diagnostics)
        : labels_(labels),
          tree_(tree),
          diagnostics_(diagnostics),
          pods_(tree.resources(), workloads::TraceQuota::queue),
          servers_(tree.servers_by_name()) {}

    JobList read(const Value& running) {
        core::MapReader map(running, "running", diagnostics_);
        const Value* text = map.need("jobs");
        (void)map.take("file");
        (void)map.choice("format", {"slurm"}, 0);
        lifetime_ = read_lifetime(map.take("lifetime"), diagnostics_);
        const bool pending = map.boolean("pending", false);
        lenient_ = map.boolean("lenient", false);
        map.report_unknown_keys();
        if (text == nullptr) {
            return {};
        }
        span_ = text->span;
        read_jobs(*text);
        for (const TraceJob& job : jobs_) {
            if (job.status == TraceStatus::running && !job.finish) {
                add_running(job);
            }
        }
        if (pending) {
            add_pending();
        }
        warn();
        return {std::move(out_)};
    }

private:
    void read_jobs(const Value& text) {
        TraceOrigin origin;
        origin.format = text.text.find('{') < text.text.find("JobId=") ? "sacct" : "scontrol";
        origin.file = text.span.source ? text.span.source->name : "the jobs of Slurm";
        origin.text = std::make_shared<const std::string>(text.text);
        with_likely_format(origin, [&] {
            const auto reader = open(origin);
            for (TraceJob job; reader->next(job);) {
                add(job);
            }
            for (const std::string& note : reader->notes()) {
                // In a state, these are as they should be: every job of Slurm has an account.
                if (!note.starts_with(workloads::jobs_that_still_run) &&
                    !note.starts_with(workloads::jobs_eligible_later) &&
                    note.find("an account beside a partition") == std::string::npos) {
                    diagnostics_.warning(span_, note);
                }
            }
        });
        for (const TraceJob& job : jobs_) {
            const bool goes_on =
                job.status == TraceStatus::running || job.status == TraceStatus::pending;
            for (const std::string* name_of : {&job.name, &job.application}) {
                const auto found = followed_.find(*name_of);
                if (goes_on && found != followed_.end()) {
                    ++found->second.jobs;
                }
            }
        }
        std::erase_if(followed_, [](const auto& one) { return one.second.jobs == 0; });
    }

    void add(const TraceJob& job) {
        const auto seen = job.conditions ? job.conditions->seen : std::nullopt;
        for (const auto& instant : {job.start, job.finish, seen}) {
            now_ = std::max(now_, instant.value_or(now_));
        }
        jobs_.push_back(job);
        if (job.conditions) {
            for (const workloads::TraceDependency& one : job.conditions->after) {
                followed_[one.name].dependencies += 1;
            }
        }
    }

    sim::Job job_of(const TraceJob& from, std::optional<SimTime> left) {
        sim::Job job = pods_.job_of(from);
        job.estimate = left;
        job.duration = lifetime_.to_limit ? left : lifetime_.time;
        job.ties = workloads::TraceTies(followed_, "running").of(from);
        job.nodes = partition_of(from.queue);
        labels_.check(span_, job);
        check_amounts(job, span_, tree_.resources(), diagnostics_);
        if (!job.duration) {
            endless_.add(from);
        }
        return job;
    }

    void add_running(const TraceJob& from) {
        std::optional<SimTime> left = from.time_limit;
        if (left && from.start) {
            left = std::max(SimTime(0), *left - (now_ - *from.start));
        }
        std::vector<core::ServerId> servers;
        if (from.conditions) {
            for (const std::string& place : from.conditions->places) {
                if (const auto server = servers_.find(place); server != servers_.end()) {
                    servers.push_back(server->second);
                }
            }
        }
        if (servers.empty() || std::ssize(servers) != from.members) {
            elsewhere_.add(from);
            return;
        }
        sim::Job job = job_of(from, left);
        if (job.duration && *job.duration == SimTime(0)) {
            overdue_.add(from);
            return;
        }
        job.servers = std::move(servers);
        out_.push_back(std::move(job));
    }

    /// Adds pending jobs in the order of their submit times; a job that becomes eligible later
    /// arrives then.
    void add_pending() {
        std::vector<const TraceJob*> waiting;
        for (const TraceJob& job : jobs_) {
            if (job.status == TraceStatus::pending) {
                waiting.push_back(&job);
            }
        }
        std::ranges::stable_sort(waiting, {}, [](const TraceJob* job) { return job->submit; });
        for (const TraceJob* from : waiting) {
            if (from->priority == 0) {
                held_.add(*from);
                continue;
            }
            sim::Job job = job_of(*from, from->time_limit);
            job.submit = std::max(SimTime(0), from->submit.value_or(now_) - now_);
            out_.push_back(std::move(job));
        }
    }

    /// The servers of a job's partitions, if the nodes tell their partitions: none if no node has
    /// any of them.
    std::shared_ptr<const sim::NodeSelector> partition_of(const std::string& partitions) {
        if (labels_.nodes() == nullptr || partitions.empty() ||
            !tree_.labels().has_key_with(partition_label)) {
            return nullptr;
        }
        const auto [known, fresh] = selectors_.try_emplace(partitions);
        if (!fresh) {
            return known->second;
        }
        std::string terms;
        for (std::size_t at = 0; at < partitions.size();) {
            const std::size_t end = std::min(partitions.find(',', at), partitions.size());
            terms += fmt::format("{}{{matchExpressions: [{{key: \"{}{}\", operator: Exists}}]}}",
                                 terms.empty() ? "" : ", ",
                                 partition_label,
                                 label_part(partitions.substr(at, end - at)));
            at = end + 1;
        }
        auto source = std::make_shared<core::SourceText>();
        source->name = "the partitions of a job";
        source->text = fmt::format(
            "affinity: {{nodeAffinity: {{"
            "requiredDuringSchedulingIgnoredDuringExecution: "
            "{{nodeSelectorTerms: [{}]}}}}}}\n",
            terms);
        known->second = labels_.nodes()->of(parse_documents(source).front(), span_);
        return known->second;
    }

    void warn() {
        const auto say = [&](const Counted& counted, std::string_view what) {
            if (counted.jobs > 0) {
                diagnostics_.warning(span_,
                                     fmt::format("{} job{} (such as {}) {}",
                                                 counted.jobs,
                                                 counted.jobs == 1 ? "" : "s",
                                                 counted.first,
                                                 what));
            }
        };
        if (elsewhere_.jobs > 0 && !lenient_) {
            diagnostics_.error(
                span_,
                fmt::format("job {}, the first of {}, runs on nodes that the topology lacks, or on "
                            "nodes that are not told: expected the nodes of this cluster, or "
                            "{}",
                            elsewhere_.first,
                            elsewhere_.jobs,
                            lenient_remedy(span_)));
        }
        say(lenient_ ? elsewhere_ : Counted(),
            "run on nodes that the topology lacks: they are left out");
        say(held_, "are held, with priority 0: they are left out");
        say(overdue_, "run beyond their limits: with lifetime: limit they are over");
        say(endless_,
            "have no known end: they run until the run ends; lifetime: limit has jobs end at their "
            "limits, and lifetime: 2h after that time");
    }

    PodLabels& labels_;
    const core::Topology& tree_;
    Diagnostics& diagnostics_;
    workloads::TracePods pods_;
    std::unordered_map<std::string_view, core::ServerId> servers_;
    Lifetime lifetime_;
    bool lenient_ = false;
    core::SourceSpan span_;
    std::vector<TraceJob> jobs_;
    SimTime now_{};
    workloads::FollowedJobs followed_;
    std::map<std::string, std::shared_ptr<const sim::NodeSelector>> selectors_;
    std::vector<sim::Job> out_;
    Counted elsewhere_;
    Counted held_;
    Counted overdue_;
    Counted endless_;
};

}  // namespace

bool is_of_slurm(const Value& running) {
    return text_below(running, {"format"}) == "slurm";
}

JobList read_slurm_state(const Value& running,
                         PodLabels& labels,
                         const core::Topology& tree,
                         Diagnostics& diagnostics) {
    return StateReader(labels, tree, diagnostics).read(running);
}

}  // namespace berth::experiments
