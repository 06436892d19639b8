#include "experiments/program/run/csv_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <variant>

#include "core/support/assert.hpp"
#include "core/support/csv_record.hpp"
#include "experiments/program/results/tables/tables.hpp"
#include "experiments/program/results/time_to_failure.hpp"
#include "experiments/program/run/admissions_table.hpp"
#include "experiments/program/run/jobs_table.hpp"
#include "experiments/program/run/pods_table.hpp"
#include "experiments/program/run/table_row.hpp"
#include "experiments/program/support/sql_names.hpp"
#include "sim/measure/gpu_time_ledger.hpp"
#include "sim/quota/quota_manager.hpp"
#include "sim/run/simulation.hpp"
#include "sim/scheduler/scheduler_settings.hpp"

namespace berth::experiments {
namespace {

using core::Level;
using sim::JobRecord;

/// The first byte of the text that is kept of a job, which tells the two forms apart.
constexpr char is_packed = 'p';
constexpr char has_rows = 'r';

/// The number of bytes of a file that are handed on together: few enough to be still in the
/// processor's cache when they are hashed and written.
constexpr std::size_t written_at_once = std::size_t{128} << 10;

/// The table of each file, by FileIndex.
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
    if (spec.settings.admission) {
        parts.insert(report::Part::admission);
    }
    if (spec.settings.tells_gain()) {
        parts.insert(report::Part::gain);
    }
    if (spec.settings.training) {
        parts.insert(report::Part::training);
    }
    if (spec.settings.detection > sim::SimTime(0)) {
        parts.insert(report::Part::hangs);
    }
    return parts;
}

/// The header with the sampled metrics. Names that need quotes in SQL are repeated at its end, in a
/// form that does not.
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

/// The file names of the tables of the scheduler, if it has any.
std::vector<std::string_view> tables_of_scheduler(const ExperimentSpec& spec) {
    return spec.settings.scheduler != nullptr ? spec.settings.scheduler->tables()
                                              : std::vector<std::string_view>();
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
            return settings.admission != nullptr;
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
    for (const std::string_view name : tables_of_scheduler(spec)) {
        const auto table = std::ranges::find(report::tables(), name, &report::TableRecord::file);
        BERTH_ASSERT(table != report::tables().end(), "a scheduler lists its tables");
        files.push_back({std::string(name), report::header_of(table->table, parts, names)});
    }
    return files;
}

CsvRecorder::CsvRecorder(const ExperimentSpec& spec, std::uint32_t replication, MergedFiles& files)
    : spec_(spec),
      replication_(replication),
      files_(files),
      quoted_samples_(
          report::quoted_columns(sim::sampled_metrics(*spec.topology, spec.settings.profile))),
      order_(waiting_bytes_max, files.unnamed_files()),
      packed_jobs_(spec.settings) {
    std::size_t place = 0;
    for (std::size_t file = 0; file < file_count; ++file) {
        place_[file] = place;
        place += has(spec, static_cast<FileIndex>(file)) ? 1 : 0;
    }
    scheduler_place_ = place;
    scheduler_rows_.resize(tables_of_scheduler(spec).size());
}

void CsvRecorder::job(const JobRecord& record) {
    if (record.outcome == sim::Outcome::rejected) {
        rejected_.add(record);
    } else if (record.never_arrived) {
        never_arrived_.add(record);
    }
    if (record.job.group && replication_ == 0 && !spec_.claims.empty()) {
        placements_.emplace(record.arrival, Placed{record.job.name, record.placement});
    }
    if (record.arrival == order_.next()) {
        write_rows(record, rows_[jobs], rows_[groups], rows_[pods]);
        flush(written_at_once);
        order_.pass();
        take_in_order();
    } else {
        keep(record);
    }
}

void CsvRecorder::write_rows(const JobRecord& record,
                             std::string& job,
                             std::string& group,
                             std::string& pod) const {
    write_jobs_row(job, spec_, replication_, record);
    if (record.job.group) {
        write_groups_row(group, spec_, replication_, record);
    }
    if (spec_.record_placements) {
        write_pods_rows(pod, spec_, replication_, record);
    }
}

void CsvRecorder::write_rows(const PackedJobs::Unpacked& job) {
    if (spec_.record_placements) {
        const core::Topology& tree = *spec_.topology;
        // write_pod_row() reads the name soon
        tree.fetch_name(tree.node_of(job.record.stints.front().server));
    }
    if (job.kind >= kinds_.size()) {
        kinds_.resize(job.kind + 1);
    }
    std::optional<Kind>& kind = kinds_[job.kind];
    if (!kind) {
        kind = {alike_in_jobs_row(spec_, job.record), alike_in_pods_row(spec_, job.record)};
    }
    take_times(times_, job.record);
    write_jobs_row(rows_[jobs], replication_, job.record, kind->in_jobs, times_);
    if (spec_.record_placements) {
        write_pod_row(
            rows_[pods], *spec_.topology, replication_, job.record, kind->in_pods, times_);
    }
}

/// Keeps a job until its turn. It is packed if possible; otherwise its rows are kept, behind a byte
/// that tells the two forms apart and the lengths of the first two rows.
void CsvRecorder::keep(const JobRecord& record) {
    text_.assign(1, is_packed);
    if (!packed_jobs_.pack(record, text_)) {
        std::array<std::string, 3> rows;
        write_rows(record, rows[0], rows[1], rows[2]);
        const std::array<std::size_t, 2> sizes{rows[0].size(), rows[1].size()};
        std::array<char, sizeof sizes> bytes{};
        std::memcpy(bytes.data(), &sizes, sizeof sizes);
        text_.assign(1, has_rows).append(bytes.data(), bytes.size());
        for (const std::string& part : rows) {
            text_ += part;
        }
    }
    order_.put(record.arrival, text_);
}

void CsvRecorder::take_in_order() {
    while (order_.take(text_)) {
        if (text_.front() == is_packed) {
            write_rows(packed_jobs_.unpack(std::string_view(text_).substr(1)));
        } else {
            std::array<std::size_t, 2> sizes{};
            std::memcpy(sizes.data(), text_.data() + 1, sizeof sizes);
            const std::size_t begin = 1 + sizeof sizes;
            rows_[jobs].append(text_, begin, sizes[0]);
            rows_[groups].append(text_, begin + sizes[0], sizes[1]);
            rows_[pods].append(text_, begin + sizes[0] + sizes[1]);
        }
        flush(written_at_once);
    }
}

std::map<std::string, core::LogicalTree> CsvRecorder::placements() const {
    std::map<std::string, core::LogicalTree> by_name;
    for (const auto& [arrival, placed] : placements_) {
        by_name.emplace(placed.name, placed.tree);
    }
    return by_name;
}

void CsvRecorder::quota_held(const sim::QuotaHold& hold) {
    write_admissions_row(rows_[admissions], replication_, hold);
    flush(written_at_once);
}

void CsvRecorder::scheduler_row(std::size_t table, std::span<const sim::RowField> fields) {
    TableRow row(scheduler_rows_[table]);
    row.integer(replication_);
    for (const sim::RowField& field : fields) {
        if (const auto* number = std::get_if<std::int64_t>(&field)) {
            row.integer(*number);
        } else if (const auto* time = std::get_if<sim::SimTime>(&field)) {
            row.seconds(*time);
        } else {
            row.text(std::get<std::string_view>(field));
        }
    }
    row.end();
    flush(written_at_once);
}

void CsvRecorder::evicted(const JobRecord& record, const sim::Eviction& eviction) {
    if (spec_.record_placements) {
        write_evictions_rows(rows_[evictions], spec_, replication_, record, eviction);
    }
}

void CsvRecorder::quota_changed(const sim::QuotaChangeRecord& change) {
    TableRow(rows_[quota_changes])
        .integer(replication_)
        .seconds(change.at)
        .plain(change.change)
        .text(change.quota)
        .truth(!change.refusal)
        .text(change.refusal.value_or(""))
        .end();
}

void CsvRecorder::outage(const sim::Outage& outage) {
    TableRow(rows_[failures])
        .integer(replication_)
        .seconds(outage.at)
        .text(outage.component)
        .text(outage.level)
        .text(spec_.settings.failure_causes[outage.cause])
        .seconds(outage.back)
        .integer(outage.jobs)
        .end();
    flush(written_at_once);
}

void CsvRecorder::drain(const sim::DrainRecord& drain) {
    const core::Topology& tree = *spec_.topology;
    const core::NodeId node = drain.window.node;
    TableRow(rows_[drains])
        .integer(replication_)
        .seconds(drain.window.at)
        .text(tree.name(node))
        .text(tree.level_name(tree.level_of(node)))
        .seconds(drain.window.until)
        .seconds(drain.emptied)
        .integer(drain.jobs)
        .end();
    flush(written_at_once);
}

void CsvRecorder::gpu_time(const std::vector<sim::GpuTime>& times) {
    for (const sim::GpuTime& time : times) {
        TableRow(rows_[gpu_times])
            .integer(replication_)
            .plain(to_string(time.use))
            .number(time.gpu_seconds)
            .number(time.share)
            .end();
    }
}

void CsvRecorder::interruptions(const std::vector<sim::InterruptionsOfSize>& sizes) {
    for (const sim::InterruptionsOfSize& size : sizes) {
        const report::TimeToFailure time =
            report::time_to_failure(size.interruptions, size.running_s);
        TableRow(rows_[mttf])
            .integer(replication_)
            .plain(size.in_gpus ? "gpus" : "pods")
            .integer(size.from)
            .integer(size.to)
            .integer(size.jobs)
            .integer(size.interruptions)
            .number(size.running_s)
            .number(size.size_running_s)
            .number(time.mean_s)
            .number(time.low_s)
            .number(time.high_s)
            .end();
    }
}

void CsvRecorder::quota_sample(sim::SimTime at, sim::QuotaManager& manager) {
    core::QuotaTrees& trees = manager.trees();
    const core::ResourceSchema& schema = spec_.topology->resources();
    const auto listed = [](const core::ResourceList& list, std::size_t r) {
        return list.has(r) ? std::optional(list[r]) : std::nullopt;
    };
    for (const core::QuotaId quota : manager.parents_first()) {
        const core::QuotaSpec& spec = trees.spec(quota);
        for (std::size_t r = 0; r < schema.size(); ++r) {
            const auto scaled =
                spec.min.has(r) ? std::optional(trees.scaled_min(quota, r)) : std::nullopt;
            TableRow(rows_[quotas])
                .integer(replication_)
                .seconds(at)
                .text(spec.name)
                .plain(schema.name(r))
                .amount(listed(spec.min, r), r, schema)
                .amount(listed(spec.max, r), r, schema)
                .amount(trees.runtime(quota, r), r, schema)
                .amount(trees.request(quota, r), r, schema)
                .amount(trees.used(quota, r), r, schema)
                .amount(scaled, r, schema)
                .text(trees.name(trees.parent(quota)))
                .end();
        }
    }
    flush(written_at_once);
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
    flush(written_at_once);
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
    for (std::size_t table = 0; table < scheduler_rows_.size(); ++table) {
        if (scheduler_rows_[table].size() >= bytes_min) {
            files_.append(replication_, scheduler_place_ + table, scheduler_rows_[table]);
        }
    }
}

void CsvRecorder::finish() {
    flush(0);
    files_.finish(replication_);
}

}  // namespace berth::experiments
