#include "experiments/program/config/workload/pending_groups.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/node_rules/object_metadata.hpp"
#include "experiments/program/config/document/value_below.hpp"
#include "experiments/program/config/workload/job_amounts.hpp"

namespace berth::experiments {
namespace {

using core::Members;

/// What pods must have in common to be members of one group.
std::string asks_of(const sim::Job& job) {
    std::string gpus;
    if (job.gpus != nullptr) {
        gpus = fmt::format(
            "{} x {} of {}", job.gpus->count, job.gpus->milli, fmt::join(job.gpus->models, ","));
    }
    std::string places;
    for (std::uint32_t i = 0; job.constraints && i < job.constraints->level_count(); ++i) {
        if (job.constraints->stated(core::Level{i})) {
            places += fmt::format("{}{}", i, job.constraints->at(core::Level{i}).hard ? "!" : " ");
        }
    }
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{} {} {} {}",
                       fmt::join(job.demand, " "),
                       job.inside(),
                       gpus,
                       job.selector(),
                       places,
                       job.quota.text(),
                       job.priority,
                       job.preemptible,
                       job.duration ? job.duration->count() : -1);
}

std::string jobs_text(std::uint64_t jobs) {
    return fmt::format("{} job{}", jobs, jobs == 1 ? "" : "s");
}

}  // namespace

void PendingGroups::know(const core::Value& pod_group) {
    if (const core::Value* metadata = pod_group.find("metadata")) {
        core::check_metadata(*metadata, diagnostics_);
    }
    if (const auto min = min_of_pod_group(pod_group, diagnostics_)) {
        mins_[name_in_namespace(pod_group, text_below(pod_group, {"metadata", "name"}))] = *min;
    }
}

void PendingGroups::add_running(const core::Value& pod) {
    if (const auto job = job_of_pod(pod, diagnostics_)) {
        ++gangs_[job->name].running;
    }
}

void PendingGroups::add(const core::Value& pod,
                        sim::Job job,
                        std::vector<sim::Job>& jobs,
                        Members pods) {
    const auto of = job_of_pod(pod, diagnostics_);
    if (!of) {
        jobs.push_back(std::move(job));
        return;
    }
    Gang& gang = gangs_[of->name];
    if (gang.kinds.empty()) {
        gang.first = pod.span;
    }
    gang.is_gang = gang.is_gang || of->is_gang;
    gang.min = std::max(gang.min, of->min);
    std::string asks = asks_of(job);
    const auto known = std::ranges::find(gang.kinds, asks, &Kind::asks);
    if (known != gang.kinds.end()) {
        known->count += pods;
        return;
    }
    gang.kinds.push_back({std::move(asks), role_of_pod(pod), jobs.size(), pods});
    jobs.push_back(std::move(job));
}

void PendingGroups::finish(std::vector<sim::Job>& jobs) {
    for (auto& [name, gang] : gangs_) {
        if (const auto min = mins_.find(name); min != mins_.end() && gang.is_gang) {
            gang.min = min->second;
        }
        make_groups(name, gang, jobs);
    }
    warn();
}

void PendingGroups::make_groups(const std::string& name,
                                const Gang& gang,
                                std::vector<sim::Job>& jobs) {
    const bool alike = gang.kinds.size() == 1;
    const auto has_own_role = [&](const Kind& kind) {
        return !kind.role.empty() && std::ranges::count(gang.kinds, kind.role, &Kind::role) == 1;
    };
    Members pending = 0;
    Members grouped = 0;
    for (std::size_t i = 0; i < gang.kinds.size(); ++i) {
        const Kind& kind = gang.kinds[i];
        pending += kind.count;
        if (kind.count == 1) {
            continue;  // it has a name of its own, and starts as a whole in any case
        }
        grouped += kind.count;
        sim::Job& job = jobs[kind.at];
        job.group = true;
        if (!job.constraints) {
            job.constraints = core::LevelConstraints(tree_.level_count());
        }
        job.name = alike                ? name
                   : has_own_role(kind) ? fmt::format("{}-{}", name, kind.role)
                                        : fmt::format("{}-{}", name, i);
        job.size = kind.count;
        check_amounts(job, gang.first, tree_.resources(), diagnostics_);
        job.min_available = alike && gang.min > 0
                                ? std::clamp<Members>(gang.min - gang.running, 1, job.size)
                                : job.size;
    }
    if (gang.kinds.size() > 1) {
        count(name, gang, pending, mixed_);
    }
    if (!gang.kinds.empty() && pending + gang.running < gang.min) {
        count(name, gang, pending, short_);
    }
    if (!gang.is_gang && grouped > 0) {
        count(name, gang, grouped, untold_);
    }
}

void PendingGroups::count(const std::string& name,
                          const Gang& gang,
                          Members pods,
                          Counted& counted) {
    if (counted.jobs == 0) {
        counted.first = gang.first;
        counted.example = name;
    }
    ++counted.jobs;
    counted.pods += pods;
}

void PendingGroups::warn() {
    if (untold_.jobs > 0) {
        diagnostics_.warning(
            untold_.first,
            fmt::format("{} without a pod group, the first '{}', with {} pending pods: pods of a "
                        "job start together; expected groups: no if each starts by itself",
                        jobs_text(untold_.jobs),
                        untold_.example,
                        untold_.pods));
    }
    if (mixed_.jobs > 0) {
        diagnostics_.warning(
            mixed_.first,
            fmt::format("{}, the first '{}', with {} pending pods that ask for different things: "
                        "those that ask for the same start together, and not with the others",
                        jobs_text(mixed_.jobs),
                        mixed_.example,
                        mixed_.pods));
    }
    if (short_.jobs > 0) {
        diagnostics_.warning(
            short_.first,
            fmt::format("{}, the first '{}', with fewer pods than start together: {} with those "
                        "that are there; expected all its pods in the file",
                        jobs_text(short_.jobs),
                        short_.example,
                        short_.jobs == 1 ? "it starts" : "they start"));
    }
}

}  // namespace berth::experiments
