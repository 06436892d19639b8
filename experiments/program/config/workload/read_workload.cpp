#include "experiments/program/config/workload/read_workload.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>

#include "core/support/csv_record.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/workload/job_amounts.hpp"
#include "experiments/program/config/workload/job_ties.hpp"
#include "experiments/program/config/workload/read_running.hpp"
#include "experiments/program/config/workload/read_trace.hpp"
#include "experiments/program/config/workload/slurm_state.hpp"
#include "workloads/sources.hpp"

namespace berth::experiments {
namespace {

using core::Amount;
using core::CsvField;
using core::Diagnostics;
using core::MapReader;
using core::Value;
using Fields = std::span<const CsvField>;

class BackgroundReader {
public:
    BackgroundReader(const core::Value& csv,
                     const core::Topology& tree,
                     core::Diagnostics& diagnostics)
        : csv_(csv),
          tree_(tree),
          servers_(tree.servers_by_name()),
          diagnostics_(diagnostics),
          own_file_(csv.span.source && csv.span.source->text == csv.text) {}

    GivenBackground read() {
        std::istringstream lines(csv_.text);
        std::string line;
        core::CsvRecord record;
        for (int number = 1; std::getline(lines, line); ++number) {
            if (line.ends_with('\r')) {
                line.pop_back();
            }
            if (line.empty()) {
                continue;
            }
            line_ = number;
            if (const auto fault = record.split(line)) {
                diagnostics_.error(span_of({{}, fault->at, 1}), std::string(fault->message));
            } else if (!columns_.empty()) {
                read_row(record.fields());
            } else if (!read_header(record.fields())) {
                break;
            }
        }
        if (columns_.empty() && !diagnostics_.failed()) {
            diagnostics_.error(csv_.span, "no header: expected server,RESOURCE,...");
        }
        return std::move(given_);
    }

private:
    /// The place of a field, if the lines are those of a file itself and not those of a text in
    /// another.
    [[nodiscard]] core::SourceSpan span_of(const CsvField& field) const {
        core::SourceSpan at = csv_.span;
        if (own_file_) {
            at.line = line_;
            at.column = 1 + static_cast<int>(field.begin);
            at.length = static_cast<int>(std::max<std::size_t>(field.length, 1));
        }
        return at;
    }
    [[nodiscard]] core::SourceSpan span_of(Fields fields) const {
        const CsvField& last = fields.back();
        return span_of({{}, fields[0].begin, last.begin + last.length - fields[0].begin});
    }

    /// Reads the header. Returns whether it is one.
    bool read_header(Fields header) {
        if (header.size() < 2 || header[0].text != "server") {
            diagnostics_.error(span_of(header), "no header: expected server,RESOURCE,...");
            return false;
        }
        std::vector<std::size_t> columns;
        for (const CsvField& field : header.subspan(1)) {
            const std::string name(field.text);
            const auto resource = tree_.resources().find(name);
            if (!resource) {
                diagnostics_.error(span_of(header),
                                   fmt::format("unknown resource '{}': expected {}{}",
                                               name,
                                               core::alternatives(tree_.resources().names()),
                                               core::suggestion(name, tree_.resources().names())));
                return false;
            }
            if (std::ranges::find(columns, *resource) != columns.end()) {
                diagnostics_.error(span_of(header),
                                   fmt::format("'{}' a second time: expected it once", name));
                return false;
            }
            columns.push_back(*resource);
        }
        columns_ = std::move(columns);
        return true;
    }

    void read_row(Fields cells) {
        const std::string name(cells[0].text);
        const auto server = servers_.find(name);
        if (cells.size() != columns_.size() + 1) {
            diagnostics_.error(
                span_of(cells),
                fmt::format(
                    "{} fields: expected {} as in the header", cells.size(), columns_.size() + 1));
        } else if (server == servers_.end()) {
            diagnostics_.error(
                span_of(cells),
                fmt::format("unknown server '{}': expected one of the topology", name));
        } else if (!seen_.insert(server->second.index).second) {
            diagnostics_.error(span_of(cells),
                               fmt::format("server '{}' a second time: expected it once", name));
        } else {
            read_amounts(cells, server->second);
        }
    }

    void read_amounts(Fields cells, core::ServerId server) {
        const core::ResourceSchema& resources = tree_.resources();
        const core::Amounts& capacity = tree_.machine_type(server).capacity;
        GivenBackground::Row row{server, std::vector<core::Amount>(resources.size(), 0)};
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const std::size_t resource = columns_[i];
            const CsvField& cell = cells[i + 1];
            const std::string text(cell.text);
            core::Amount& amount = row.amounts[resource];
            amount = read_amount(span_of(cell), text, resource, resources, diagnostics_);
            const core::Amount whole = capacity(static_cast<Eigen::Index>(resource));
            if (amount > whole) {
                diagnostics_.error(
                    span_of(cell),
                    fmt::format("{} of {} on '{}': expected at most its capacity, {}",
                                text,
                                resources.name(resource),
                                cells[0].text,
                                resources.format(resource, whole)));
            }
        }
        given_.rows.push_back(std::move(row));
    }

    const core::Value& csv_;
    const core::Topology& tree_;
    decltype(tree_.servers_by_name()) servers_;
    core::Diagnostics& diagnostics_;
    bool own_file_;
    int line_ = 0;
    std::vector<std::size_t> columns_;  ///< The resource of each column behind the first.
    std::set<std::uint32_t> seen_;
    GivenBackground given_;
};

/// Reads lines of `server,RESOURCE,...`: what is in use on each named server, in the units of
/// capacities.
///
/// Errors: recorded at their places, in the file if the text is all of one.
GivenBackground read_background(const core::Value& csv,
                                const core::Topology& tree,
                                core::Diagnostics& diagnostics) {
    return BackgroundReader(csv, tree, diagnostics).read();
}

/// Reads a duration above 0.
sim::SimTime read_time(MapReader& map, const std::string& key, sim::SimTime otherwise) {
    const auto time = read_duration(map, key);
    if (time && time->count() == 0) {
        expected(*map.take(key), "a duration above 0", map.diagnostics());
    }
    return time && time->count() > 0 ? *time : otherwise;
}

/// Reads `diurnal` and `bursts` of a process. Errors: recorded.
void read_intensity(MapReader& process, workloads::Renewal& renewal) {
    constexpr double factor_max = 1e6;
    constexpr sim::SimTime day = std::chrono::hours(24);
    if (const Value* value = process.take("diurnal")) {
        MapReader map(*value, "diurnal", process.diagnostics());
        workloads::Diurnal& diurnal = renewal.diurnal.emplace();
        diurnal.period = read_time(map, "period", day);
        (void)map.need("amplitude");
        diurnal.amplitude = map.number("amplitude", 0, 0, 1);
        diurnal.peak = read_duration(map, "peak").value_or(sim::SimTime(0));
        map.report_unknown_keys();
    }
    if (const Value* value = process.take("bursts")) {
        MapReader map(*value, "bursts", process.diagnostics());
        workloads::Bursts& bursts = renewal.bursts.emplace();
        (void)map.need("every");
        bursts.every = read_time(map, "every", day);
        (void)map.need("length");
        bursts.length = read_time(map, "length", day);
        (void)map.need("factor");
        bursts.factor = map.number("factor", 1, 0, factor_max);
        map.report_unknown_keys();
    }
}

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double variation_max = 1000;

class WorkloadReader {
public:
    WorkloadReader(const PodTypes& types,
                   PodLabels& labels,
                   const core::Topology& tree,
                   Diagnostics& diagnostics)
        : types_(types),
          labels_(labels),
          tree_(tree),
          diagnostics_(diagnostics),
          ties_(diagnostics) {}

    std::vector<WorkloadSource> read(const Value& sources) {
        if (!sources.is_list()) {
            expected(sources, "a list of sources, such as [{generate: ...}]", diagnostics_);
            return {};
        }
        for (const Value& item : sources.items) {
            MapReader map(item, "a workload source", diagnostics_);
            const Value* background_value = map.take("background");
            const Value* groups = map.take("groups");
            const Value* pods = map.take("pods");
            const Value* generate = map.take("generate");
            const Value* running = map.take("running");
            if (map.take("trace") != nullptr) {
                trace(item);
                continue;
            }
            map.report_unknown_keys();
            if (item.is_map() && item.members.size() != 1) {
                diagnostics_.error(
                    item.span,
                    "expected one of background, groups, pods, generate, running, trace");
            } else if (background_value != nullptr) {
                background(*background_value);
            } else if (groups != nullptr) {
                jobs("groups", *groups, [&](const Value& entry) { group_entry(entry); });
            } else if (pods != nullptr) {
                jobs("pods", *pods, [&](const Value& entry) { pod_entry(entry); });
            } else if (generate != nullptr) {
                renewal(*generate);
            } else if (running != nullptr) {
                JobList pods_there =
                    is_of_slurm(*running)
                        ? read_slurm_state(*running, labels_, tree_, diagnostics_)
                        : read_running(*running, types_, labels_, tree_, diagnostics_);
                out_.push_back({name_of("running"), std::move(pods_there)});
            }
        }
        if (!diagnostics_.failed()) {
            ties_.tie(out_);
        }
        return std::move(out_);
    }

private:
    /// The name of a source: the one that its document states, or that of its kind. A further
    /// source with the same kind and name gets `-1` behind it, and so on.
    std::string name_of(const std::string& kind, const std::string& stated = "") {
        const std::string& wanted = stated.empty() ? kind : stated;
        for (std::size_t n = 0;; ++n) {
            std::string name = n == 0 ? wanted : fmt::format("{}-{}", wanted, n);
            if (names_.emplace(kind, name).second) {
                return name;
            }
        }
    }

    void background(const Value& value) {
        MapReader map(value, "background", diagnostics_);
        (void)map.take("file");
        const std::string stated = map.text("name", "");
        if (const Value* csv = map.take("csv")) {
            out_.push_back(
                {name_of("background", stated), read_background(*csv, tree_, diagnostics_)});
            map.report_unknown_keys();
            return;
        }
        workloads::BackgroundLoad load;
        load.load = map.number("load", 0, 0, 1);
        load.full = map.number("full", 0, 0, 1);
        load.idle = map.number("idle", 0, 0, 1);
        load.variation = map.number("variation", 0, 0, variation_max);
        if (load.full + load.idle > 1) {
            diagnostics_.error(map.span(), "full and idle above 1 together: expected at most 1");
        }
        map.report_unknown_keys();
        out_.push_back({name_of("background", stated), load});
    }

    template <class Entry>
    void jobs(const std::string& kind, const Value& list, Entry entry) {
        if (!list.is_list()) {
            expected(list, fmt::format("a list of {}", kind), diagnostics_);
            return;
        }
        jobs_ = {};
        for (const Value& item : list.items) {
            entry(item);
        }
        out_.push_back({name_of(kind), std::move(jobs_)});
    }

    void group_entry(const Value& entry) {
        const Value* document = entry.find("document");
        if (document == nullptr) {
            diagnostics_.error(entry.span,
                               fmt::format("an entry of groups has {}: expected file: with the "
                                           "name of a GroupPlacement's file, or document: {{spec: "
                                           "{{group: ...}}}}",
                                           entry.is_map() && entry.find("spec") != nullptr
                                               ? "a spec without a document around it"
                                               : "neither file nor document"));
            return;
        }
        jobs_.jobs.push_back(read_group(*document, &entry, types_, labels_, tree_, diagnostics_));
        const std::size_t last = jobs_.jobs.size() - 1;
        ties_.read(entry.find("after"), jobs_.jobs.back().name, out_.size(), last, 1);
    }

    void pod_entry(const Value& entry) {
        MapReader map(entry, "an entry of pods", diagnostics_);
        sim::Job job = pod(map, "pod");
        job.submit = read_duration(map, "at").value_or(sim::SimTime(0));
        job.duration = read_duration(map, "lifetime");
        const std::int64_t count = map.integer("count", 1, 1, INT64_MAX);
        const Value* after = map.take("after");
        map.report_unknown_keys();
        if (count > pods_max - std::ssize(jobs_.jobs)) {
            diagnostics_.error(entry.span,
                               fmt::format("more than {} pods in one list, which is held in "
                                           "memory: expected fewer, or generate, which brings "
                                           "them one by one",
                                           pods_max));
            return;
        }
        ties_.read(
            after, job.name, out_.size(), jobs_.jobs.size(), static_cast<std::size_t>(count));
        for (std::int64_t n = 0; n < count; ++n) {
            sim::Job copy = job;
            copy.name = count == 1 ? job.name : fmt::format("{}-{}", job.name, n);
            jobs_.jobs.push_back(std::move(copy));
        }
    }

    static constexpr std::int64_t pods_max = 10'000'000;  ///< At some 500 bytes each.

    /// Reads what pods of a list and of a generator have in common.
    sim::Job pod(MapReader& map, const std::string& otherwise) {
        sim::Job job;
        job.demand.resize(tree_.resources().size());
        job.name = map.text("name", otherwise);
        job.estimate = read_duration(map, "estimate");
        labels_.read(map, job);
        if (const Value* type = map.need("type")) {
            types_.ask(*type, job, diagnostics_);
        }
        check_amounts(job, map.span(), tree_.resources(), diagnostics_);
        return job;
    }

    void renewal(const Value& value) {
        MapReader map(value, "generate", diagnostics_);
        workloads::Renewal renewal;
        renewal.name = name_of("generate", map.text("name", ""));
        if (const Value* arrivals = map.need("arrivals")) {
            renewal.arrivals = read_distribution(*arrivals, diagnostics_);
            if (renewal.arrivals.mean() <= 0) {
                expected(*arrivals, "times above 0 between arrivals", diagnostics_);
            }
        }
        const bool all_end = read_service(map, renewal.service);
        renewal.count = static_cast<std::uint64_t>(map.integer("count", 0, 1, INT64_MAX));
        renewal.start = read_duration(map, "start").value_or(sim::SimTime(0));
        renewal.until = read_duration(map, "until").value_or(sim::never);
        read_intensity(map, renewal);
        const bool ends = map.take("count") != nullptr || map.take("until") != nullptr;
        if (!ends && value.is_map()) {
            diagnostics_.error(map.span(), "generate has no end: expected count or until");
        }
        if (const Value* mix = map.take("mix")) {
            refuse_beside_mix(map, value);
            double weights = 0;
            for (const Value& item : mix->items) {
                MapReader entry(item, "an entry of mix", diagnostics_);
                renewal.mix.push_back(mix_entry(entry, renewal.name));
                renewal.mix.back().weight = entry.number("weight", 1, 0, infinite);
                weights += renewal.mix.back().weight;
                if (!read_service(entry, renewal.mix.back().service) && !all_end) {
                    warn_of_endless_jobs(item);
                }
                if (const Value* none = entry.take("service");
                    none != nullptr && !renewal.mix.back().service && renewal.service) {
                    expected(*none, "a distribution where generate has one too", diagnostics_);
                }
                entry.report_unknown_keys();
            }
            if (renewal.mix.empty()) {
                expected(*mix, "a list of what arrives", diagnostics_);
            } else if (!(weights > 0) || weights == infinite) {
                diagnostics_.error(mix->span, "the weights are all 0: expected one above 0");
            }
        } else {
            renewal.mix.push_back(mix_entry(map, renewal.name));
            if (!all_end && value.is_map()) {
                warn_of_endless_jobs(value);
            }
        }
        map.report_unknown_keys();
        out_.push_back({renewal.name, std::move(renewal)});
    }

    /// Reads how long jobs run. Returns: whether it is stated; `none` means until the run ends.
    bool read_service(MapReader& map, std::optional<workloads::Distribution>& out) {
        const Value* service = map.take("service");
        if (service != nullptr && service->text != "none") {
            out = read_distribution(*service, diagnostics_);
        }
        return service != nullptr;
    }

    void warn_of_endless_jobs(const Value& value) {
        diagnostics_.warning(value.span,
                             "no service, so that the jobs never end: expected service: "
                             "{distribution: exponential, mean: 1h}, or service: none for jobs "
                             "that run until the run ends");
    }

    /// Refuses keys beside a mix that belong into its entries.
    void refuse_beside_mix(MapReader& map, const Value& generate) {
        for (const char* key : {"type",
                                "group",
                                "quota",
                                "namespace",
                                "priority",
                                "preemptible",
                                "class",
                                "user",
                                "estimate",
                                "checkpoint"}) {
            if (generate.find(key) != nullptr) {
                (void)map.take(key);
                const core::Member& member =
                    *std::ranges::find(generate.members, key, &core::Member::key);
                diagnostics_.error(
                    member.key_span,
                    fmt::format("'{}' beside mix: expected it in the entries of mix", key));
            }
        }
    }

    void trace(const Value& source) {
        if (auto file = read_trace(source, labels_, tree_, diagnostics_)) {
            out_.push_back({name_of("trace", file->name), std::move(*file)});
        }
    }

    /// Reads a pod type, or a group.
    workloads::Renewal::Template mix_entry(MapReader& map, const std::string& name) {
        workloads::Renewal::Template entry;
        if (const Value* group = map.take("group")) {
            entry.job = read_group(*group, nullptr, types_, labels_, tree_, diagnostics_);
            entry.job.estimate = read_duration(map, "estimate");
            labels_.read(map, entry.job);
        } else {
            entry.job = pod(map, name);
        }
        return entry;
    }

    const PodTypes& types_;
    PodLabels& labels_;
    const core::Topology& tree_;
    Diagnostics& diagnostics_;
    std::vector<WorkloadSource> out_;
    std::set<std::pair<std::string, std::string>> names_;  ///< Kind and name of each source; they
                                                           ///< seed random series.
    JobTies ties_;
    JobList jobs_;
};

}  // namespace

std::vector<WorkloadSource> read_workload(const Value& sources,
                                          const PodTypes& types,
                                          PodLabels& labels,
                                          const core::Topology& tree,
                                          Diagnostics& diagnostics) {
    return WorkloadReader(types, labels, tree, diagnostics).read(sources);
}

}  // namespace berth::experiments
