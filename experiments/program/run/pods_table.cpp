#include "experiments/program/run/pods_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "experiments/program/run/device_columns.hpp"
#include "experiments/program/run/jobs_table.hpp"
#include "experiments/program/run/provider_names.hpp"
#include "experiments/program/run/table_row.hpp"
#include "sim/job/members.hpp"

namespace berth::experiments {
namespace {

using core::Members;
using sim::JobRecord;
using sim::Member;
using sim::Stint;

/// Why a pod has no place; of a group that goes on without it, why that is so.
std::string reason_of(const JobRecord& record, const Member& member) {
    if (record.start) {
        return fmt::format(
            "the group started with {} of {} members", record.placed, record.job.size);
    }
    return member.outcome == record.outcome ? record.reason
                                            : "the group was made smaller while it waited";
}

/// What a member got inside its server.
sim::Grant grant_of(const Member& member) {
    if (member.stint == nullptr || member.stint->grants.empty()) {
        return {};
    }
    return member.stint->grants[static_cast<std::size_t>(member.number - member.stint->first)];
}

/// start_s, finish_s, wait_s, jct_s and slowdown.
void write_times(TableRow& row, const JobRecord& record, const Member& member) {
    const Stint* stint = member.stint;
    if (stint == nullptr) {
        row.empty(5);
        return;
    }
    row.seconds(stint->start).seconds(stint->finish).seconds(member.waited());
    if (!stint->finish) {
        row.empty(2);
        return;
    }
    const sim::SimTime total = member.completion();
    const sim::SimTime run = member.run_time(record);
    row.seconds(total).number(
        run.count() > 0 ? std::optional(sim::seconds(total) / sim::seconds(run)) : std::nullopt);
}

/// A group's members are `GROUP-0`, `GROUP-1`, ...
std::string pod_name(const JobRecord& record, Members number) {
    return record.job.group ? fmt::format("{}-{}", record.job.name, number) : record.job.name;
}

void write_row(std::string& out,
               const ExperimentSpec& spec,
               std::uint32_t replication,
               const JobRecord& record,
               const Member& member) {
    const core::Topology& tree = *spec.topology;
    const sim::Job& job = record.job;
    const Stint* stint = member.stint;
    const sim::Grant grant = grant_of(member);
    TableRow row(out);
    row.integer(replication);
    if (job.group) {
        row.text(pod_name(record, member.number)).text(job.name);
    } else {
        row.text(job.name).empty();
    }
    row.text(job.quota).integer(job.priority).seconds(member.past.submit);
    write_times(row, record, member);
    row.text(stint != nullptr ? tree.name(tree.node_of(stint->server)) : std::string_view());
    row.plain(gpu_indices(grant)).plain(to_string(member.outcome));
    row.text(stint == nullptr ? reason_of(record, member) : "");
    if (spec.settings.profile.inside.devices) {
        write_devices(row, grant.devices);
    }
    if (spec.settings.profile.inside.candidates) {
        row.text(provider_names(grant.providers));
    }
    write_evictions(row, spec, member.past.evictions, member.past.lost);
    write_demand(row, job, tree.resources());
    write_pod_labels(row, job, tree.resources());
    row.end();
}

}  // namespace

void write_pods_rows(std::string& out,
                     const ExperimentSpec& spec,
                     std::uint32_t replication,
                     const JobRecord& record) {
    sim::for_each_member(
        record, [&](const Member& member) { write_row(out, spec, replication, record, member); });
}

void write_evictions_rows(std::string& out,
                          const ExperimentSpec& spec,
                          std::uint32_t replication,
                          const JobRecord& record,
                          const sim::Eviction& eviction) {
    const core::Topology& tree = *spec.topology;
    std::string cause = sim::to_name(eviction.cause);
    std::ranges::replace(cause, '_', '-');
    for (const Stint& stint : record.stints) {
        for (Members member = 0; member < stint.members; ++member) {
            TableRow row(out);
            row.integer(replication)
                .seconds(eviction.at)
                .text(pod_name(record, stint.first + member))
                .text(eviction.quota)
                .plain(cause)
                .seconds(eviction.at - stint.start)
                .seconds(stint.lost)
                .text(tree.name(tree.node_of(stint.server)))
                .end();
        }
    }
}

}  // namespace berth::experiments
