#include "experiments/program/config/workload/read_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/tree/topology.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/workload/job_amounts.hpp"
#include "experiments/program/config/workload/job_ties.hpp"
#include "experiments/program/config/workload/pod_lifetimes.hpp"
#include "experiments/program/config/workload/pod_requests.hpp"
#include "experiments/program/config/workload/pods_of_object.hpp"
#include "experiments/program/config/workload/read_background.hpp"
#include "experiments/program/config/workload/read_running.hpp"
#include "experiments/program/config/workload/read_trace.hpp"
#include "experiments/program/config/workload/read_training.hpp"
#include "experiments/program/config/workload/slurm_state.hpp"
#include "workloads/sources.hpp"

namespace berth::experiments {
namespace {

using core::Amount;
using core::Diagnostics;
using core::MapReader;
using core::Value;

/// Reads a duration above 0.
sim::SimTime read_time(MapReader& map, const std::string& key, sim::SimTime otherwise) {
    const auto time = read_duration(map, key);
    if (time && time->count() == 0) {
        expected(*map.take(key), "a duration above 0", map.diagnostics());
    }
    return time && time->count() > 0 ? *time : otherwise;
}

/// Bursts between which hardly anything arrives change nothing but how long a run takes: each of
/// them is drawn. `mean`: the seconds from one arrival to the next, which may be infinite.
void check_bursts(const Value& value,
                  const workloads::Bursts& bursts,
                  double mean,
                  Diagnostics& diagnostics) {
    constexpr double bursts_between_arrivals_max = 1000;
    const double apart = sim::seconds(bursts.every) + sim::seconds(bursts.length);
    if (std::isfinite(mean) && apart * bursts_between_arrivals_max < mean) {
        expected(value,
                 "bursts of which at most 1000 are between two arrivals: a greater every or length",
                 diagnostics);
    }
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
        check_bursts(*value, bursts, renewal.arrivals.mean(), process.diagnostics());
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
        if (const Value* document = entry.is_map() ? entry.find("document") : nullptr) {
            objects_entry(entry, *document);
            return;
        }
        MapReader map(entry, "an entry of pods", diagnostics_);
        const Value* training = map.take("training");
        add_pods(entry, map, training != nullptr ? trained(*training, map) : pod(map, "pod"), 1);
    }

    /// Reads a job that trains, which is a pod for each of its GPUs.
    sim::Job trained(const Value& training, MapReader& map) {
        sim::Job job = read_training(training, tree_, diagnostics_);
        read_common(map, "job", job);
        for (const char* key : {"type", "lifetime"}) {
            if (const Value* value = map.take(key)) {
                diagnostics_.error(value->span,
                                   fmt::format("{} beside training, which says what the job asks "
                                               "for and for how long: expected none",
                                               key));
            }
        }
        check_amounts(job, map.span(), tree_.resources(), diagnostics_);
        return job;
    }

    /// Reads pods that a Deployment or another object keeps, or several of them.
    void objects_entry(const Value& entry, const Value& document) {
        const std::vector<const Value*> objects = objects_with_pods(document);
        if (objects.empty()) {
            expected(document,
                     "an object of kind Deployment, ReplicaSet, StatefulSet or Job",
                     diagnostics_);
        }
        for (const char* key : {"name", "count"}) {
            if (const Value* value = entry.find(key); value != nullptr && objects.size() > 1) {
                diagnostics_.error(
                    value->span,
                    fmt::format("{} of {} objects: expected it for one alone, or none",
                                key,
                                objects.size()));
                return;
            }
        }
        for (const Value* object : objects) {
            object_entry(entry, *object);
        }
    }

    void object_entry(const Value& entry, const Value& object) {
        MapReader map(entry, "an entry of pods with a document", diagnostics_);
        (void)map.take("file");
        (void)map.take("document");
        auto pods = pods_of_object(object, map.text("namespace", ""), diagnostics_);
        if (!pods) {
            return;
        }
        sim::Job job;
        job.name = map.text("name", pods->name);
        job.duration = pods->most;
        job.estimate = read_duration(map, "estimate");
        labels_.complete_priority(entry.find("priority") != nullptr, pods->pod);
        labels_.read(map, job, &pods->pod);
        types_.ask_for(object.span,
                       pod_amounts(pods->pod, object.span, tree_.resources(), diagnostics_),
                       job,
                       diagnostics_);
        check_amounts(job, object.span, tree_.resources(), diagnostics_);
        if (pods->count == 0 && entry.find("count") == nullptr) {
            diagnostics_.warning(object.span, fmt::format("{} asks for no pods", pods->name));
        }
        add_pods(entry, map, std::move(job), pods->count);
    }

    /// Adds the pods of an entry, `count` unless it says another number. None runs for longer than
    /// `job` does.
    void add_pods(const Value& entry, MapReader& map, sim::Job job, std::int64_t otherwise) {
        job.submit = read_duration(map, "at").value_or(sim::SimTime(0));
        job.duration = shorter(read_duration(map, "lifetime"), job.duration);
        const std::int64_t count = map.integer("count", otherwise, 1, INT64_MAX);
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

    /// Reads what all entries have that name no object.
    void read_common(MapReader& map, const std::string& otherwise, sim::Job& job) {
        job.name = map.text("name", otherwise);
        job.estimate = read_duration(map, "estimate");
        labels_.read(map, job);
    }

    /// Reads what pods of a list and of a generator have in common.
    sim::Job pod(MapReader& map, const std::string& otherwise) {
        sim::Job job;
        job.demand.resize(tree_.resources().size());
        read_common(map, otherwise, job);
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
            sim::Job& job = renewal.mix.emplace_back(mix_entry(map, renewal.name)).job;
            // Of two sources with one stated name, the second has another, and so have its jobs.
            job.name = job.group ? job.name : renewal.name;
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
