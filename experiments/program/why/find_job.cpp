#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "core/support/parse_number.hpp"
#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/run/run_experiment.hpp"
#include "experiments/program/why/story.hpp"

namespace berth::experiments {
namespace {

/// Whether `name` is the name of a member of a group, such as `GROUP-3`.
bool is_member(const sim::Job& job, const std::string& name) {
    if (!job.group || !name.starts_with(job.name + "-")) {
        return false;
    }
    const auto number =
        core::parse_number<core::Members>(std::string_view(name).substr(job.name.size() + 1));
    core::Members size = job.size;
    for (const sim::Resize& resize : job.resizes) {
        size = std::max(size, resize.size);
    }
    return number && *number >= 0 && *number < size;
}

/// Whether a job's name contains `part` without cutting a number: `gang` is a part of gang-49, but
/// gang-4 is not.
bool has_part(std::string_view name, std::string_view part) {
    const std::size_t at = part.empty() ? std::string_view::npos : name.find(part);
    if (at == std::string_view::npos) {
        return false;
    }
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const std::string_view rest = name.substr(at + part.size());
    return (at == 0 || !is_digit(name[at - 1]) || !is_digit(part.front())) &&
           (rest.empty() || !is_digit(rest.front()) || !is_digit(part.back()));
}

/// Whether `name` is the name of the job within its namespace, or of one of its members.
bool is_in_namespace(const sim::Job& job, const std::string& name) {
    const std::size_t slash = job.name.find('/');
    if (slash == std::string::npos) {
        return false;
    }
    return std::string_view(job.name).substr(slash + 1) == name ||
           is_member(job, job.name.substr(0, slash + 1) + name);
}

/// Jobs that the user may mean, by name. Of several with the same name, it is the first that
/// arrives.
using MeantJobs = std::map<std::string, WhyJob>;

/// The other jobs that are found while looking for a job.
struct Others {
    std::vector<std::string> names;
    /// From the first replication with such jobs: those that have the name within their namespace,
    /// and those whose name contains it.
    MeantJobs in_namespace;
    MeantJobs with_part;
};

void keep_meant(const sim::Job& job, const WhyJob& which, MeantJobs& meant) {
    constexpr std::size_t meant_max = 1'000;
    if (const auto known = meant.find(job.name); known != meant.end()) {
        known->second.has_namesakes = true;
    } else if (meant.size() < meant_max) {
        meant.emplace(job.name, which);
    }
}

/// Looks through the jobs that arrive in one replication.
std::optional<WhyJob> look_through(const ExperimentSpec& spec,
                                   const std::string& name,
                                   std::uint32_t replication,
                                   Others& others) {
    constexpr std::size_t names_max = 100'000;
    const bool first_in_namespace = others.in_namespace.empty();
    const bool first_with_part = others.with_part.empty();
    const auto source = make_workload(spec.workload, sim::replication_seed(spec.seed, replication));
    std::optional<WhyJob> exact;
    std::optional<WhyJob> of_member;
    for (std::uint64_t arrival = 0; const auto job = source->next(); ++arrival) {
        if (job->submit > spec.settings.until) {
            break;
        }
        const WhyJob which{replication, arrival, arrival, job->name, false};
        if (job->name == name && exact) {
            exact->has_namesakes = true;
        } else if (job->name == name) {
            exact = which;
        } else if (!of_member && is_member(*job, name)) {
            of_member = which;
        }
        if (first_in_namespace && is_in_namespace(*job, name)) {
            keep_meant(*job, which, others.in_namespace);
        }
        if (first_with_part && has_part(job->name, name)) {
            keep_meant(*job, which, others.with_part);
        }
        if (others.names.size() < names_max) {
            others.names.push_back(job->name);
        }
    }
    return exact ? exact : of_member;
}

/// The job that the user means, if only one is possible.
/// Errors: core::InputError with the first few names.
std::optional<WhyJob> only_one(const ExperimentSpec& spec,
                               const std::string& name,
                               const MeantJobs& meant) {
    if (meant.size() < 2) {
        return meant.empty() ? std::nullopt : std::optional(meant.begin()->second);
    }
    constexpr std::size_t shown_max = 5;
    std::vector<std::string> names;
    for (const auto& [whole, which] : meant) {
        if (names.size() < shown_max) {
            names.push_back(whole);
        }
    }
    throw core::InputError(
        fmt::format("{}: error: '{}' may be any of {} pods and groups: expected "
                    "the whole name of one, such as {}{}",
                    spec.name,
                    name,
                    meant.size(),
                    core::join(names, ", "),
                    meant.size() > shown_max ? ", ..." : ""));
}

}  // namespace

WhyJob find_job(const ExperimentSpec& spec,
                const std::string& name,
                std::optional<std::uint32_t> replication) {
    if (replication && *replication >= spec.replications) {
        throw core::InputError(fmt::format("--replication: error: no replication {}: expected {}",
                                           *replication,
                                           spec.replications == 1
                                               ? std::string("0, the only one")
                                               : fmt::format("0 to {}", spec.replications - 1)));
    }
    Others others;
    for (std::uint32_t i = replication.value_or(0);
         i < (replication ? *replication + 1 : spec.replications);
         ++i) {
        if (auto found = look_through(spec, name, i, others)) {
            return *found;
        }
    }
    for (const MeantJobs* meant : {&others.in_namespace, &others.with_part}) {
        if (auto found = only_one(spec, name, *meant)) {
            return *found;
        }
    }
    throw core::InputError(
        fmt::format("{}: error: no pod or group '{}'{}: expected a name of its pods.csv or "
                    "groups.csv{}",
                    spec.name,
                    name,
                    replication ? fmt::format(" in replication {}", *replication) : "",
                    core::suggestion(name, others.names)));
}

}  // namespace berth::experiments
