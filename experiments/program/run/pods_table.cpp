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
using sim::Outcome;
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

/// Whose it is: its group and quota, how it ranks.
void write_owner(TableRow& row, const sim::Job& job) {
    row.text(job.group ? job.name : std::string_view()).text(job.quota).integer(job.priority);
}

void write_server(TableRow& row, const core::Topology& tree, const Stint* stint) {
    row.text(stint != nullptr ? tree.name(tree.node_of(stint->server)) : std::string_view());
}

/// What it got there and asked for, and what became of it.
void write_outcome(TableRow& row,
                   const ExperimentSpec& spec,
                   const JobRecord& record,
                   const Member& member) {
    const core::ResourceSchema& schema = spec.topology->resources();
    const sim::Grant grant = grant_of(member);
    row.plain(gpu_indices(grant)).plain(to_string(member.outcome));
    row.text(member.stint == nullptr ? reason_of(record, member) : "");
    if (spec.settings.profile.inside.devices) {
        write_devices(row, grant.devices);
    }
    if (spec.settings.profile.inside.candidates) {
        row.text(provider_names(grant.providers));
    }
    write_evictions(row, spec, member.past.evictions, member.past.lost);
    write_demand(row, record.job, schema);
    write_pod_labels(row, record.job, schema);
}

void write_row(std::string& out,
               const ExperimentSpec& spec,
               std::uint32_t replication,
               const JobRecord& record,
               const Member& member) {
    TableRow row(out);
    row.integer(replication).text(pod_name(record, member.number));
    write_owner(row, record.job);
    row.seconds(member.past.submit);
    write_times(row, record, member);
    write_server(row, *spec.topology, member.stint);
    write_outcome(row, spec, record, member);
    row.end();
}

/// The member that a job is which ran once, and is no group.
Member only_member(const JobRecord& record) {
    Member member;
    member.stint = &record.stints.front();
    member.past.submit = record.job.submit;
    member.outcome = Outcome::finished;
    return member;
}

}  // namespace

void write_pods_rows(std::string& out,
                     const ExperimentSpec& spec,
                     std::uint32_t replication,
                     const JobRecord& record) {
    sim::for_each_member(
        record, [&](const Member& member) { write_row(out, spec, replication, record, member); });
}

void write_pod_row(std::string& out,
                   const core::Topology& tree,
                   std::uint32_t replication,
                   const JobRecord& record,
                   const AlikeFields& alike,
                   const SharedTimes& times) {
    TableRow row(out);
    row.integer(replication)
        .text(record.job.name)
        .plain(alike.in_front)
        .plain(times.when)
        .plain(times.how_long);
    write_server(row, tree, &record.stints.front());
    row.plain(alike.behind).end();
}

AlikeFields alike_in_pods_row(const ExperimentSpec& spec, const JobRecord& record) {
    const Member member = only_member(record);
    return {fields_of([&](TableRow& row) { write_owner(row, record.job); }),
            fields_of([&](TableRow& row) { write_outcome(row, spec, record, member); })};
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
