#include <fmt/format.h>

#include <algorithm>

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

/// Looks through what arrives in one replication; `names` collects what there is.
std::optional<WhyJob> look_through(const ExperimentSpec& spec,
                                   const std::string& name,
                                   std::uint32_t replication,
                                   std::vector<std::string>& names) {
    constexpr std::size_t names_max = 100'000;
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
        if (names.size() < names_max) {
            names.push_back(job->name);
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
    std::vector<std::string> names;
    for (std::uint32_t i = replication.value_or(0);
         i < (replication ? *replication + 1 : spec.replications);
         ++i) {
        if (auto found = look_through(spec, name, i, names)) {
            return *found;
        }
    }
    throw core::InputError(
        fmt::format("{}: error: no pod or group '{}'{}: expected a name of its pods.csv or "
                    "groups.csv{}",
                    spec.name,
                    name,
                    replication ? fmt::format(" in replication {}", *replication) : "",
                    core::suggestion(name, names)));
}

}  // namespace berth::experiments
