#include "experiments/program/run/pods_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

#include "core/machine_allocators/machine_allocator.hpp"
#include "core/machine_views/device_places.hpp"
#include "core/support/text.hpp"
#include "experiments/program/results/tables/tables.hpp"
#include "experiments/program/run/jobs_table.hpp"
#include "sim/job/members.hpp"

namespace berth::experiments {
namespace {

using core::Members;
using sim::JobRecord;
using sim::Member;
using sim::Outcome;
using sim::Stint;

std::string indices(core::DeviceMask devices) {
    std::string out;
    core::for_each_bit(devices, [&](std::size_t index) {
        out += out.empty() ? "" : "-";
        append_integer(out, static_cast<std::int64_t>(index));
    });
    return out;
}

/// The smallest scope that holds all GPUs.
std::string_view scope(const core::Locality& locality) {
    return locality.pcie ? "pcie" : locality.numa ? "numa" : "machine";
}

/// Why a pod's GPUs are not as near to each other as they could be on an empty machine.
std::string reason(const core::MachineAnswer& grant) {
    const int gpus = std::popcount(grant.gpus);
    const core::Locality& reached = grant.reached;
    const core::Locality& most = grant.attainable;
    if (gpus > 1 && !reached.numa && grant.possible.numa) {
        return most.numa ? fmt::format("a NUMA node had {} GPUs free and was not chosen", gpus)
                         : fmt::format("no NUMA node had {} GPUs free", gpus);
    }
    if (gpus > 1 && !reached.nvlink && most.nvlink) {
        return fmt::format("an NVLink island had {} GPUs free and was not chosen", gpus);
    }
    if (gpus > 1 && !reached.pcie && most.pcie) {
        return fmt::format("a PCIe switch had {} GPUs free and was not chosen", gpus);
    }
    if (!reached.nic_beside && grant.possible.nic_beside) {
        return most.nic_beside ? "GPUs with free NICs beside them were not chosen"
                               : "too few GPUs had a free NIC beside them";
    }
    return "";
}

/// Why a pod has no place or, if its group runs without it, why the group does.
std::string reason_of(const JobRecord& record, const Member& member) {
    if (record.start) {
        return fmt::format(
            "the group started with {} of {} members", record.placed, record.job.size);
    }
    return member.outcome == record.outcome ? record.reason
                                            : "the group was made smaller while it waited";
}

/// The devices that a member got on its server.
sim::Grant grant_of(const Member& member) {
    if (member.stint == nullptr || member.stint->grants.empty()) {
        return {};
    }
    return member.stint->grants[static_cast<std::size_t>(member.number - member.stint->first)];
}

/// Writes start_s, finish_s, wait_s, jct_s and slowdown.
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

/// Writes the name. The members of a group are `GROUP-0`, `GROUP-1`, ...
void write_name(TableRow& row, const JobRecord& record, Members number) {
    if (record.job.group) {
        row.text(fmt::format("{}-{}", record.job.name, number));
    } else {
        row.text(record.job.name);
    }
}

/// Writes the pod's owner: its group, its quota and its priority.
void write_owner(TableRow& row, const sim::Job& job) {
    row.text(job.group ? job.name : std::string_view()).text(job.quota).integer(job.priority);
}

void write_server(TableRow& row, const core::Topology& tree, const Stint* stint) {
    row.text(stint != nullptr ? tree.name(tree.node_of(stint->server)) : std::string_view());
}

/// Writes what the pod got on its server, what it asked for, and its outcome.
void write_outcome(TableRow& row,
                   const ExperimentSpec& spec,
                   const JobRecord& record,
                   const Member& member) {
    const core::ResourceSchema& schema = spec.topology->resources();
    const sim::Grant grant = grant_of(member);
    row.plain(gpu_indices(grant)).plain(to_string(member.outcome));
    row.text(member.stint == nullptr   ? reason_of(record, member)
             : record.stopped_at_limit ? record.reason
                                       : "");
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
    row.integer(replication);
    write_name(row, record, member.number);
    write_owner(row, record.job);
    row.seconds(member.past.submit);
    write_times(row, record, member);
    write_server(row, *spec.topology, member.stint);
    write_outcome(row, spec, record, member);
    row.end();
}

/// The only member of a job that ran once and is not a group.
Member only_member(const JobRecord& record) {
    Member member;
    member.stint = &record.stints.front();
    member.past.submit = record.job.submit;
    member.outcome = Outcome::finished;
    return member;
}

}  // namespace

std::string gpu_indices(const sim::Grant& grant) {
    return indices(grant.devices != nullptr ? grant.devices->gpus : grant.gpus.devices);
}

void write_devices(TableRow& row, sim::DeviceGrant grant) {
    row.plain(grant == nullptr ? "" : indices(grant->nics));
    if (grant == nullptr || grant->gpus == 0) {
        row.empty(7);
        return;
    }
    const core::Locality& reached = grant->reached;
    const core::Locality& most = grant->attainable;
    const core::Locality best{reached.pcie || most.pcie,
                              reached.nvlink || most.nvlink,
                              reached.numa || most.numa,
                              reached.nic_beside || most.nic_beside};
    row.plain(scope(reached)).plain(scope(best)).truth(reached.nvlink).truth(best.nvlink);
    if (grant->nics != 0) {
        row.truth(reached.nic_beside).truth(best.nic_beside);
    } else {
        row.empty(2);
    }
    row.plain(reason(*grant));
}

std::string devices_csv(const core::Topology& tree) {
    std::string out = report::header_of(report::Table::devices, {report::Part::always});
    for (const core::MachineType& type : tree.machine_types()) {
        const auto places = core::device_places(type.devices);
        for (std::size_t group = 0; group < places.size(); ++group) {
            for (std::size_t index = 0; index < places[group].size(); ++index) {
                const core::DevicePlace& place = places[group][index];
                TableRow row(out);
                row.text(type.name)
                    .text(type.devices[group].kind)
                    .integer(static_cast<std::int64_t>(index));
                row.text(type.devices[group].model);
                if (place.numa) {
                    row.integer(*place.numa);
                } else {
                    row.empty();
                }
                row.text(place.pcie.value_or(""));
                if (place.island) {
                    row.integer(*place.island);
                } else {
                    row.empty();
                }
                row.end();
            }
        }
    }
    return out;
}

std::string provider_names(const sim::ProviderGrant& grant) {
    std::string out;
    for (std::size_t i = 0; grant != nullptr && i < grant->parts.size(); ++i) {
        const auto& [provider, type, amount] = grant->parts[i];
        core::append(out,
                     "{}{}:{}={}",
                     i == 0 ? "" : " ",
                     grant->forest->name(provider),
                     grant->forest->classes().name(type),
                     amount);
    }
    return out;
}

using core::Level;

std::string nodes_csv(const core::Ledger& ledger,
                      const std::vector<core::ServerId>& left_out,
                      bool with_types) {
    const core::Topology& tree = ledger.topology();
    std::set<report::Part> parts{report::Part::always};
    if (with_types) {
        parts.insert(report::Part::devices);
    }
    std::vector<std::string> levels;
    for (std::uint32_t level = 1; level < tree.server_level().index; ++level) {
        levels.push_back(tree.level_name(Level{level}));
    }
    std::string out = report::header_of(
        report::Table::nodes, parts, {{"LEVEL", levels}, {"RESOURCE", tree.resources().names()}});
    for (const core::NodeId node : tree.level_nodes(tree.server_level())) {
        if (std::ranges::binary_search(left_out, tree.server_of(node))) {
            continue;
        }
        TableRow row(out);
        row.text(tree.name(node));
        for (std::uint32_t level = 1; level < tree.server_level().index; ++level) {
            row.text(tree.name(tree.ancestor(node, Level{level})));
        }
        for (std::size_t resource = 0; resource < ledger.resource_count(); ++resource) {
            row.amount(ledger.capacity(node)[resource], resource, tree.resources())
                .amount(ledger.allocated(node, resource), resource, tree.resources());
        }
        if (with_types) {
            row.text(tree.machine_type(tree.server_of(node)).name);
        }
        row.end();
    }
    return out;
}

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
            row.integer(replication).seconds(eviction.at);
            write_name(row, record, stint.first + member);
            row.text(eviction.quota)
                .plain(cause)
                .seconds(eviction.at - stint.start)
                .seconds(stint.lost)
                .text(tree.name(tree.node_of(stint.server)))
                .end();
        }
    }
}

}  // namespace berth::experiments
