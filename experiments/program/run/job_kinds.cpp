#include "experiments/program/run/job_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace berth::experiments {
namespace {

using sim::JobKind;
using sim::JobTrait;
using sim::Metric;

/// A kind of jobs that has metrics of its own, and the text in their brackets.
struct Shown {
    JobTrait trait = JobTrait::quota;
    std::string label;
    std::string brackets;
};

/// The number of jobs with each label of a trait, over all replications.
std::map<std::string, std::uint64_t> jobs_by_label(const std::vector<std::vector<JobKind>>& kinds,
                                                   JobTrait trait) {
    std::map<std::string, std::uint64_t> jobs;
    for (const auto& replication : kinds) {
        for (const JobKind& kind : replication) {
            if (kind.trait == trait) {
                jobs[kind.label] += kind.jobs;
            }
        }
    }
    return jobs;
}

/// The labels with the most jobs, sorted by name. Of labels with equally many, those with the first
/// names are taken.
std::vector<std::string> largest(const std::map<std::string, std::uint64_t>& jobs) {
    std::vector<std::pair<std::string, std::uint64_t>> labels(jobs.begin(), jobs.end());
    std::ranges::stable_sort(
        labels, std::greater(), &std::pair<std::string, std::uint64_t>::second);
    labels.resize(std::min(labels.size(), kinds_shown_max));
    std::vector<std::string> names;
    for (auto& [name, count] : labels) {
        names.push_back(std::move(name));
    }
    std::ranges::sort(names);
    return names;
}

/// Chooses the kinds to show. A quota's name stands in the brackets as it is. A user with the name
/// of a quota is shown with `user=`, and a class with `class=`.
std::vector<Shown> shown_of(const std::vector<std::vector<JobKind>>& kinds,
                            std::vector<std::string>& notes) {
    std::vector<Shown> out;
    std::set<std::string> taken;
    for (std::size_t i = 0; i < sim::job_trait_count; ++i) {
        const auto trait = static_cast<JobTrait>(i);
        auto jobs = jobs_by_label(kinds, trait);
        if (jobs.size() < 2) {
            continue;
        }
        jobs.erase("");
        if (jobs.size() > kinds_shown_max) {
            notes.push_back(
                fmt::format("metrics of the {0} values of {1} with the most jobs alone: the run "
                            "has more than {0}",
                            kinds_shown_max,
                            to_string(trait)));
        }
        for (std::string& label : largest(jobs)) {
            std::string brackets =
                taken.insert(label).second ? label : fmt::format("{}={}", to_string(trait), label);
            out.push_back({trait, std::move(label), std::move(brackets)});
        }
    }
    return out;
}

/// The names of the metrics of a kind, which all kinds share.
std::vector<std::string> metric_names(const std::vector<std::vector<JobKind>>& kinds) {
    std::vector<std::string> names;
    for (const auto& replication : kinds) {
        if (!replication.empty()) {
            std::ranges::transform(
                replication.front().metrics, std::back_inserter(names), &Metric::name);
            break;
        }
    }
    return names;
}

void add_to(std::vector<Metric>& out,
            const std::vector<JobKind>& kinds,
            const std::vector<Shown>& shown,
            const std::vector<std::string>& names) {
    for (const Shown& one : shown) {
        const auto kind = std::ranges::find_if(kinds, [&](const JobKind& candidate) {
            return candidate.trait == one.trait && candidate.label == one.label;
        });
        for (std::size_t i = 0; i < names.size(); ++i) {
            Metric metric = kind != kinds.end() ? kind->metrics[i] : Metric{};
            metric.name = fmt::format("{}[{}]", names[i], one.brackets);
            out.push_back(std::move(metric));
        }
    }
}

}  // namespace

std::vector<std::string> add_job_kinds(const std::vector<std::vector<JobKind>>& kinds,
                                       std::vector<std::vector<Metric>>& replications) {
    std::vector<std::string> notes;
    const std::vector<Shown> shown = shown_of(kinds, notes);
    const std::vector<std::string> names = metric_names(kinds);
    for (std::size_t replication = 0; replication < replications.size(); ++replication) {
        add_to(replications[replication], kinds[replication], shown, names);
    }
    return notes;
}

}  // namespace berth::experiments
