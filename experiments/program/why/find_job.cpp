#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/support/parse_number.hpp"
#include "core/support/source.hpp"
#include "experiments/program/run/run_experiment.hpp"
#include "experiments/program/why/story.hpp"

namespace berth::experiments {
namespace {

/// Whether `name` is that of one of a group's members: `GROUP-3`.
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

/// Whether a job's name has `part` in it, of which no digit goes on: `gang` is a part of gang-49,
/// and gang-4 is none.
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

/// What there is beside the job that is looked for.
struct Others {
    std::vector<std::string> names;
    /// Two at most whose names have it as a part, of the first replication that has such jobs.
    std::vector<WhyJob> with_part;
};

/// Looks through what arrives in one replication.
std::optional<WhyJob> look_through(const ExperimentSpec& spec,
                                   const std::string& name,
                                   std::uint32_t replication,
                                   Others& others) {
    constexpr std::size_t names_max = 100'000;
    const bool first_with_part = others.with_part.empty();
    const auto source = make_workload(spec.workload, sim::replication_seed(spec.seed, replication));
    std::optional<WhyJob> exact;
    std::optional<WhyJob> of_member;
    for (std::uint64_t arrival = 0; const auto job = source->next(); ++arrival) {
        if (job->submit > spec.settings.until) {
            break;
        }
        if (job->name == name && exact) {
            exact->has_namesakes = true;
        } else if (job->name == name) {
            exact = {replication, arrival, job->name, false};
        } else if (!of_member && is_member(*job, name)) {
            of_member = {replication, arrival, job->name, false};
        }
        if (first_with_part && others.with_part.size() < 2 && has_part(job->name, name)) {
            others.with_part.push_back({replication, arrival, job->name, false});
        }
        if (others.names.size() < names_max) {
            others.names.push_back(job->name);
        }
    }
    return exact ? exact : of_member;
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
    if (others.with_part.size() == 1) {
        return others.with_part.front();
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
