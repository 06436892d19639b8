#include "experiments/program/run/csv_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <map>
#include <set>
#include <span>

#include "core/support/csv_record.hpp"
#include "core/support/text.hpp"
#include "experiments/program/results/tables.hpp"
#include "experiments/program/results/time_to_failure.hpp"
#include "experiments/program/run/device_columns.hpp"
#include "experiments/program/run/jobs_table.hpp"
#include "experiments/program/run/kueue_tables.hpp"
#include "experiments/program/run/provider_names.hpp"
#include "experiments/program/support/sql_names.hpp"
#include "sim/measure/gpu_time_ledger.hpp"
#include "sim/measure/group_shape.hpp"
#include "sim/quota/quota_manager.hpp"
#include "sim/run/simulation.hpp"

namespace berth::experiments {
namespace {

using core::Level;
using core::Members;
using sim::format_seconds;
using sim::JobRecord;
using sim::Member;
using sim::Stint;

std::string optional_seconds(const std::optional<sim::SimTime>& time) {
    return time ? format_seconds(*time) : "";
}

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
    row.seconds(total);
    if (run.count() > 0) {
        row.number(sim::seconds(total) / sim::seconds(run));
    } else {
        row.empty();
    }
}

void write_demand(TableRow& row, const JobRecord& record, const core::ResourceSchema& schema) {
    std::string& out = row.field();
    bool is_first = true;
    for (std::size_t resource = 0; resource < schema.size(); ++resource) {
        if (const core::Amount amount = record.job.demand[resource]; amount > 0) {
            out += is_first ? "" : " ";
            out += schema.name(resource);
            out += '=';
            append_amount(out, amount, resource, schema);
            is_first = false;
        }
    }
}

/// A group's members are `GROUP-0`, `GROUP-1`, ...
std::string pod_name(const JobRecord& record, Members number) {
    return record.job.group ? fmt::format("{}-{}", record.job.name, number) : record.job.name;
}

/// By their numbers among the files that an experiment may have.
constexpr std::array table_of{report::Table::timeseries,
                              report::Table::jobs,
                              report::Table::groups,
                              report::Table::pods,
                              report::Table::quotas,
                              report::Table::evictions,
                              report::Table::admissions,
                              report::Table::quota_changes,
                              report::Table::gpu_time,
                              report::Table::failures,
                              report::Table::mttf,
                              report::Table::drains};

std::set<report::Part> parts_of(const ExperimentSpec& spec) {
    std::set<report::Part> parts{report::Part::always};
    if (spec.settings.profile.inside.devices) {
        parts.insert(report::Part::devices);
    }
    if (spec.settings.profile.inside.candidates) {
        parts.insert(report::Part::candidates);
    }
    if (spec.settings.may_drop()) {
        parts.insert(report::Part::drops);
    }
    if (may_evict(spec)) {
        parts.insert(report::Part::evictions);
    }
    if (!spec.settings.drains.empty()) {
        parts.insert(report::Part::drains);
    }
    if (spec.settings.kueue) {
        parts.insert(report::Part::kueue);
    }
    if (spec.settings.tells_gain()) {
        parts.insert(report::Part::gain);
    }
    if (spec.settings.detection > sim::SimTime(0)) {
        parts.insert(report::Part::hangs);
    }
    return parts;
}

/// What is sampled, and at the end again for SQL what needs quotes there.
std::string timeseries_header(const ExperimentSpec& spec) {
    const auto sampled = sim::sampled_metrics(*spec.topology, spec.settings.profile);
    std::string out = report::header_of(report::Table::timeseries, {report::Part::always});
    out.pop_back();
    for (const std::string& name : sampled) {
        out += "," + core::csv_field(name);
    }
    for (const std::size_t column : report::quoted_columns(sampled)) {
        out += "," + report::sql_column(sampled[column]);
    }
    return out + "\n";
}

}  // namespace

bool CsvRecorder::has(const ExperimentSpec& spec, FileIndex file) {
    const sim::Settings& settings = spec.settings;
    switch (file) {
        case pods:
            return spec.record_placements;
        case quotas:
            return settings.quotas.has_value();
        case evictions:
            return spec.record_placements && may_evict(spec);
        case admissions:
            return settings.kueue != nullptr;
        case quota_changes:
            return settings.quotas && !settings.quotas->changes.empty();
        case gpu_times:
            return sim::GpuTimeLedger::has_gpus(*spec.topology);
        case failures:
        case mttf:
            return !settings.failure_causes.empty();
        case drains:
            return !settings.drains.empty();
        default:
            return true;
    }
}

std::vector<MergedFiles::File> CsvRecorder::files(const ExperimentSpec& spec) {
    const core::Topology& tree = *spec.topology;
    const std::set<report::Part> parts = parts_of(spec);
    std::vector<std::string> levels;
    for (std::uint32_t level = 1; level < tree.level_count(); ++level) {
        levels.push_back(tree.level_name(Level{level}));
    }
    const std::map<std::string_view, std::vector<std::string>> names{
        {"LEVEL", levels}, {"RESOURCE", report::sql_columns(tree.resources().names())}};
    static_assert(table_of.size() == file_count);
    std::vector<MergedFiles::File> files;
    for (std::size_t file = 0; file < file_count; ++file) {
        const report::Table table = table_of[file];
        if (has(spec, static_cast<FileIndex>(file))) {
            files.push_back({std::string(report::file_name(table)),
                             table == report::Table::timeseries
                                 ? timeseries_header(spec)
                                 : report::header_of(table, parts, names)});
        }
    }
    return files;
}

CsvRecorder::CsvRecorder(const ExperimentSpec& spec, std::uint32_t replication, MergedFiles& files)
    : spec_(spec),
      replication_(replication),
      files_(files),
      quoted_samples_(
          report::quoted_columns(sim::sampled_metrics(*spec.topology, spec.settings.profile))) {
    std::size_t place = 0;
    for (std::size_t file = 0; file < file_count; ++file) {
        place_[file] = place;
        place += has(spec, static_cast<FileIndex>(file)) ? 1 : 0;
    }
}

void CsvRecorder::job(const JobRecord& record) {
    write_jobs_row(rows_[jobs], spec_, replication_, record);
    if (record.outcome == sim::Outcome::rejected && rejected_.count++ == 0) {
        rejected_.first = fmt::format("{}: {}", record.job.name, record.reason);
    }
    if (record.job.group) {
        group_row(record);
        if (replication_ == 0 && !spec_.claims.empty()) {
            if (placements_.empty()) {
                first_group_ = record.job.name;
            }
            placements_.emplace(record.job.name, record.placement);
        }
    }
    if (spec_.record_placements) {
        sim::for_each_member(record, [&](const Member& member) { pod_row(record, member); });
    }
    flush(std::size_t{1} << 20);
}

void CsvRecorder::quota_held(const sim::QuotaHold& hold) {
    write_admissions_row(rows_[admissions], replication_, hold);
    flush(std::size_t{1} << 20);
}

void CsvRecorder::group_row(const JobRecord& record) {
    const core::Topology& tree = *spec_.topology;
    TableRow row(rows_[groups]);
    row.integer(replication_)
        .text(record.job.name)
        .integer(record.job.size)
        .integer(record.placed)
        .seconds(record.job.submit)
        .seconds(record.start)
        .seconds(record.finish)
        .seconds(record.start ? std::optional(record.waited()) : std::nullopt)
        .truth(record.start && sim::satisfied(record, tree));
    const sim::GroupShape shape = sim::shape_of(record.placement, tree);
    for (std::uint32_t level = 1; level < tree.level_count(); ++level) {
        if (record.start) {
            const auto& at = shape.levels[level];
            row.integer(at.used).integer(at.min).integer(at.max);
        } else {
            row.empty(3);
        }
    }
    if (record.start) {
        row.number(shape.mean_distance);
    } else {
        row.empty();
    }
    write_demand(row, record, tree.resources());
    if (spec_.settings.kueue) {
        row.columns(asked_column(record.job, tree));
    }
    row.end();
}

void CsvRecorder::pod_row(const JobRecord& record, const Member& member) {
    const core::Topology& tree = *spec_.topology;
    const sim::Job& job = record.job;
    const Stint* stint = member.stint;
    const sim::Grant grant = grant_of(member);
    TableRow row(rows_[pods]);
    row.integer(replication_);
    if (job.group) {
        row.text(pod_name(record, member.number)).text(job.name);
    } else {
        row.text(job.name).empty();
    }
    row.text(job.quota).integer(job.priority).seconds(member.past.submit);
    write_times(row, record, member);
    row.text(stint != nullptr ? tree.name(tree.node_of(stint->server)) : std::string_view());
    append_gpu_indices(row.field(), grant);
    row.plain(to_string(member.outcome));
    if (stint == nullptr) {
        row.text(reason_of(record, member));
    } else {
        row.empty();
    }
    if (spec_.settings.profile.inside.devices) {
        row.columns(device_columns(grant.devices));
    }
    if (spec_.settings.profile.inside.candidates) {
        row.text(provider_names(grant.providers));
    }
    write_evictions(row, spec_, member.past.evictions, member.past.lost);
    write_demand(row, record, tree.resources());
    write_pod_labels(row, job, tree.resources());
    row.end();
}

void CsvRecorder::evicted(const JobRecord& record, const sim::Eviction& eviction) {
    if (!spec_.record_placements) {
        return;
    }
    const core::Topology& tree = *spec_.topology;
    std::string cause = sim::to_name(eviction.cause);
    std::ranges::replace(cause, '_', '-');
    for (const Stint& stint : record.stints) {
        for (Members member = 0; member < stint.members; ++member) {
            core::append(rows_[evictions],
                         "{},{},{},{},{},{},{},{}\n",
                         replication_,
                         format_seconds(eviction.at),
                         core::csv_field(pod_name(record, stint.first + member)),
                         core::csv_field(eviction.quota),
                         cause,
                         format_seconds(eviction.at - stint.start),
                         format_seconds(stint.lost),
                         core::csv_field(tree.name(tree.node_of(stint.server))));
        }
    }
}

void CsvRecorder::quota_changed(const sim::QuotaChangeRecord& change) {
    core::append(rows_[quota_changes],
                 "{},{},{},{},{},{}\n",
                 replication_,
                 format_seconds(change.at),
                 change.change,
                 core::csv_field(change.quota),
                 !change.refusal,
                 core::csv_field(change.refusal.value_or("")));
}

void CsvRecorder::outage(const sim::Outage& outage) {
    core::append(rows_[failures],
                 "{},{},{},{},{},{},{}\n",
                 replication_,
                 format_seconds(outage.at),
                 core::csv_field(outage.component),
                 core::csv_field(outage.level),
                 core::csv_field(spec_.settings.failure_causes[outage.cause]),
                 optional_seconds(outage.back),
                 outage.jobs);
    flush(std::size_t{1} << 20);
}

void CsvRecorder::drain(const sim::DrainRecord& drain) {
    const core::Topology& tree = *spec_.topology;
    const core::NodeId node = drain.window.node;
    core::append(rows_[drains],
                 "{},{},{},{},{},{},{}\n",
                 replication_,
                 format_seconds(drain.window.at),
                 core::csv_field(tree.name(node)),
                 core::csv_field(tree.level_name(tree.level_of(node))),
                 format_seconds(drain.window.until),
                 optional_seconds(drain.emptied),
                 drain.jobs);
    flush(std::size_t{1} << 20);
}

void CsvRecorder::gpu_time(const std::vector<sim::GpuTime>& times) {
    for (const sim::GpuTime& time : times) {
        core::append(rows_[gpu_times],
                     "{},{},{},{}\n",
                     replication_,
                     to_string(time.use),
                     time.gpu_seconds,
                     time.share);
    }
}

void CsvRecorder::interruptions(const std::vector<sim::InterruptionsOfSize>& sizes) {
    const auto optional = [](std::optional<double> value) {
        return value ? fmt::format("{}", *value) : "";
    };
    for (const sim::InterruptionsOfSize& size : sizes) {
        const report::TimeToFailure time =
            report::time_to_failure(size.interruptions, size.running_s);
        core::append(rows_[mttf],
                     "{},{},{},{},{},{},{},{},{},{},{}\n",
                     replication_,
                     size.in_gpus ? "gpus" : "pods",
                     size.from,
                     size.to,
                     size.jobs,
                     size.interruptions,
                     size.running_s,
                     size.size_running_s,
                     optional(time.mean_s),
                     time.low_s,
                     optional(time.high_s));
    }
}

void CsvRecorder::quota_sample(sim::SimTime at, sim::QuotaManager& manager) {
    core::QuotaTrees& trees = manager.trees();
    const core::ResourceSchema& schema = spec_.topology->resources();
    const auto if_any = [&](std::optional<core::Amount> amount, std::size_t r) {
        return amount ? plain_amount(*amount, r, schema) : "";
    };
    const auto listed = [](const core::ResourceList& list, std::size_t r) {
        return list.has(r) ? std::optional(list[r]) : std::nullopt;
    };
    const std::string time = format_seconds(at);
    for (const core::QuotaId quota : manager.parents_first()) {
        const core::QuotaSpec& spec = trees.spec(quota);
        const std::string name = core::csv_field(spec.name);
        const std::string parent = core::csv_field(trees.name(trees.parent(quota)));
        for (std::size_t r = 0; r < schema.size(); ++r) {
            const auto scaled =
                spec.min.has(r) ? std::optional(trees.scaled_min(quota, r)) : std::nullopt;
            core::append(rows_[quotas],
                         "{},{},{},{},{},{},{},{},{},{},{}\n",
                         replication_,
                         time,
                         name,
                         schema.name(r),
                         if_any(listed(spec.min, r), r),
                         if_any(listed(spec.max, r), r),
                         if_any(trees.runtime(quota, r), r),
                         plain_amount(trees.request(quota, r), r, schema),
                         plain_amount(trees.used(quota, r), r, schema),
                         if_any(scaled, r),
                         parent);
        }
    }
    flush(std::size_t{1} << 20);
}

void CsvRecorder::sample(sim::SimTime at, std::span<const double> values) {
    sampled_.resize(values.size());
    for (std::size_t column = 0; column < values.size(); ++column) {
        sampled_[column].set(values[column]);
    }
    TableRow row(rows_[timeseries]);
    row.integer(replication_).seconds(at);
    for (const Sampled& value : sampled_) {
        row.plain(value.text());
    }
    for (const std::size_t column : quoted_samples_) {
        row.plain(sampled_[column].text());
    }
    row.end();
    flush(std::size_t{1} << 20);
}

void CsvRecorder::Sampled::set(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    if (text_.empty() || bits != bits_) {
        bits_ = bits;
        text_.clear();
        append_number(text_, value);
    }
}

void CsvRecorder::flush(std::size_t bytes_min) {
    for (std::size_t file = 0; file < file_count; ++file) {
        if (rows_[file].size() >= bytes_min) {
            files_.append(replication_, place_[file], rows_[file]);
        }
    }
}

void CsvRecorder::finish() {
    flush(0);
    files_.finish(replication_);
}

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
        out += core::csv_field(tree.name(node));
        for (std::uint32_t level = 1; level < tree.server_level().index; ++level) {
            out += "," + core::csv_field(tree.name(tree.ancestor(node, Level{level})));
        }
        for (std::size_t resource = 0; resource < ledger.resource_count(); ++resource) {
            core::append(
                out,
                ",{},{}",
                plain_amount(ledger.capacity(node)[resource], resource, tree.resources()),
                plain_amount(ledger.allocated(node, resource), resource, tree.resources()));
        }
        out +=
            with_types ? "," + core::csv_field(tree.machine_type(tree.server_of(node)).name) : "";
        out += '\n';
    }
    return out;
}

}  // namespace berth::experiments
