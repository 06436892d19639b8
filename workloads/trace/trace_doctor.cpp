#include "workloads/trace/trace_doctor.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>
#include <string_view>
#include <utility>

#include "workloads/trace/trace_scan.hpp"

namespace berth::workloads {
namespace {

using core::Amount;
using core::Members;

constexpr Amount unlimited = std::numeric_limits<Amount>::max();
/// A cluster does not hold more members than this; products with it do not overflow.
constexpr Members members_most = Members{1} << 30;

std::vector<std::pair<std::string, std::int64_t>> gpus_of(const core::MachineType& type,
                                                          std::optional<std::size_t> resource) {
    std::vector<std::pair<std::string, std::int64_t>> gpus;
    for (const core::DeviceGroup& group : type.devices) {
        if (group.kind == "gpu") {
            gpus.emplace_back(group.model, group.count);
        }
    }
    const Amount counted = resource ? type.capacity(static_cast<Eigen::Index>(*resource)) : 0;
    if (gpus.empty() && counted > 0) {
        gpus.emplace_back("", counted / core::gpu_whole_milli);
    }
    return gpus;
}

}  // namespace

using sim::SimTime;

namespace {

constexpr std::size_t steps_max = 4096;

/// A stretch of time with a constant amount in use.
struct Stretch {
    std::int64_t begin = 0;  ///< First step of the stretch.
    double level = 0;
    double length = 0;
};

double median_level(std::vector<Stretch> stretches) {
    std::ranges::sort(stretches, {}, &Stretch::level);
    double whole = 0;
    for (const Stretch& stretch : stretches) {
        whole += stretch.length;
    }
    double so_far = 0;
    for (const Stretch& stretch : stretches) {
        so_far += stretch.length;
        if (2 * so_far >= whole) {
            return stretch.level;
        }
    }
    return 0;
}

}  // namespace

std::int64_t DemandCurve::step_of(SimTime at) const {
    const std::int64_t step = at / width_;
    return at < step * width_ ? step - 1 : step;  // rounds down below zero too
}

void DemandCurve::add(SimTime at, double amount) {
    changes_[step_of(at)] += amount;
    while (changes_.size() > steps_max) {
        widen();
    }
}

void DemandCurve::widen() {
    width_ *= 2;
    std::map<std::int64_t, double> wider;
    // The steps come in their new order already, and their map nodes are reused.
    while (!changes_.empty()) {
        auto change = changes_.extract(changes_.begin());
        change.key() >>= 1;
        if (!wider.empty() && wider.rbegin()->first == change.key()) {
            wider.rbegin()->second += change.mapped();
        } else {
            wider.insert(wider.end(), std::move(change));
        }
    }
    changes_ = std::move(wider);
}

std::optional<SimTime> DemandCurve::warm_up(SimTime end) const {
    const std::int64_t last = step_of(end);
    std::vector<Stretch> stretches;
    double level = 0;
    for (auto at = changes_.begin(); at != changes_.end() && at->first <= last; ++at) {
        level += at->second;
        const auto next = std::next(at);
        const std::int64_t until =
            next != changes_.end() ? std::min(next->first, last + 1) : last + 1;
        stretches.push_back({at->first, level, static_cast<double>(until - at->first)});
    }
    const double median = median_level(stretches);
    const auto reached = std::ranges::find_if(
        stretches, [&](const Stretch& stretch) { return stretch.level >= median; });
    if (median <= 0 || reached == stretches.end()) {
        return std::nullopt;
    }
    return (reached->begin - stretches.front().begin) * width_;
}

ClusterLimits::ClusterLimits(const core::Topology& tree, std::span<const core::ServerId> left_out) {
    const core::ResourceSchema& schema = tree.resources();
    const auto cpu = schema.find("cpu");
    const auto memory = schema.find("memory");
    const auto gpu = schema.find("nvidia.com/gpu");
    const auto amount = [](const core::MachineType& type, std::optional<std::size_t> resource) {
        return resource ? type.capacity(static_cast<Eigen::Index>(*resource)) : unlimited;
    };
    for (const core::MachineType& type : tree.machine_types()) {
        kinds_.push_back({amount(type, cpu), amount(type, memory), gpus_of(type, gpu), 0});
    }
    for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
        if (std::ranges::binary_search(left_out, core::ServerId{server})) {
            continue;
        }
        Kind& kind = kinds_[tree.machine_type_index(core::ServerId{server})];
        ++kind.servers;
        if (cpu) {
            cpu_ = cpu_.value_or(0) + static_cast<double>(kind.cpu_milli);
        }
        if (memory) {
            memory_ = memory_.value_or(0) + static_cast<double>(kind.memory_bytes);
        }
    }
    std::erase_if(kinds_, [](const Kind& kind) { return kind.servers == 0; });
}

std::int64_t ClusterLimits::accepted_gpus(const Kind& kind,
                                          const std::vector<std::string>& models) {
    std::int64_t count = 0;
    for (const auto& [model, of_model] : kind.gpus) {
        if (models.empty() || std::ranges::find(models, model) != models.end()) {
            count += of_model;
        }
    }
    return count;
}

/// How many members an idle server holds.
Members ClusterLimits::room_on(const Kind& kind, const TraceJob& job) {
    Members room = std::min(job.members, members_most);
    if (job.cpu_milli > 0) {
        room = std::min(room, kind.cpu_milli / job.cpu_milli);
    }
    if (job.memory_bytes > 0) {
        room = std::min(room, kind.memory_bytes / job.memory_bytes);
    }
    if (job.gpus.count > 0) {
        const std::int64_t gpus = accepted_gpus(kind, job.gpus.models);
        const Amount share = std::clamp<Amount>(job.gpus.milli, 1, core::gpu_whole_milli);
        room = std::min(
            room,
            job.gpus.count == 1 ? gpus * (core::gpu_whole_milli / share) : gpus / job.gpus.count);
    }
    return room;
}

std::optional<TraceFault> ClusterLimits::obstacle(const TraceJob& job) const {
    Members room = 0;
    for (const Kind& kind : kinds_) {
        room += kind.servers * room_on(kind, job);
        if (room >= job.members) {
            return std::nullopt;
        }
    }
    if (room > 0) {
        return TraceFault::group_too_large;
    }
    std::int64_t gpus_max = 0;
    Amount cpu_max = 0;
    Amount memory_max = 0;
    for (const Kind& kind : kinds_) {
        const std::int64_t gpus = accepted_gpus(kind, job.gpus.models);
        if (job.gpus.count > 0 && gpus == 0) {
            continue;
        }
        gpus_max = std::max(gpus_max, gpus);
        cpu_max = std::max(cpu_max, kind.cpu_milli);
        memory_max = std::max(memory_max, kind.memory_bytes);
    }
    return job.gpus.count > 0 && gpus_max == 0 && !job.gpus.models.empty()
               ? TraceFault::unknown_gpu_model
           : job.gpus.count > gpus_max     ? TraceFault::too_many_gpus
           : job.cpu_milli > cpu_max       ? TraceFault::too_much_cpu
           : job.memory_bytes > memory_max ? TraceFault::too_much_memory
                                           : TraceFault::never_together;
}

double ClusterLimits::gpus(const std::vector<std::string>& models) const {
    double milli = 0;
    for (const Kind& kind : kinds_) {
        milli += static_cast<double>(kind.servers) *
                 static_cast<double>(accepted_gpus(kind, models)) *
                 static_cast<double>(core::gpu_whole_milli);
    }
    return milli;
}

using sim::SimTime;

namespace {

constexpr SimTime hour = std::chrono::hours(1);
/// Times may differ by this much in traces that write them in whole seconds.
constexpr SimTime rounding = std::chrono::seconds(2);
/// How many sets of GPU models are told apart.
constexpr std::size_t model_sets_max = 256;

/// How much longer than its limit a job may run: schedulers check limits only now and then, and
/// give a job time to end.
SimTime slack_of_limit(const TraceJob& job) {
    return job.status == TraceStatus::timed_out ? std::chrono::minutes(2) : rounding;
}

bool has_ended(TraceStatus status) {
    return status != TraceStatus::unknown && status != TraceStatus::pending &&
           status != TraceStatus::running;
}

/// When the job began to run, or would have begun if it had not had to wait.
std::optional<SimTime> begin_of(const TraceJob& job) {
    return job.start ? job.start : job.submit;
}

/// When the job ended, or would have ended after that beginning; nothing if it goes on or if its
/// end is not known.
std::optional<SimTime> end_of(const TraceJob& job) {
    const auto begin = begin_of(job);
    const auto duration = job.duration();
    if (!begin || !duration || *duration < SimTime(0)) {
        return job.finish;
    }
    return *begin <= sim::never - *duration ? *begin + *duration : sim::never;
}

}  // namespace

std::string_view to_string(TraceVerdict verdict) {
    return verdict == TraceVerdict::usable      ? "usable"
           : verdict == TraceVerdict::with_care ? "usable with care"
                                                : "not usable as it is";
}

std::string_view to_string(TraceStatus status) {
    constexpr std::array<std::string_view, trace_status_count> names{"unknown",
                                                                     "pending",
                                                                     "running",
                                                                     "completed",
                                                                     "failed",
                                                                     "cancelled",
                                                                     "timed_out",
                                                                     "node_failed"};
    return names[static_cast<std::size_t>(status)];
}

TraceDoctor::TraceDoctor(const core::Topology* tree,
                         TraceTimes times,
                         std::span<const core::ServerId> left_out)
    : times_(times) {
    if (tree != nullptr) {
        limits_.emplace(*tree, left_out);
    }
}

void TraceDoctor::look(const TraceJob& job, std::uint64_t line) {
    ++report_.jobs;
    report_.pods += static_cast<std::uint64_t>(job.members);
    ++report_.by_status[static_cast<std::size_t>(job.status)];
    ++report_.by_size[static_cast<core::Members>(
        std::bit_ceil(static_cast<std::uint64_t>(std::max<core::Members>(job.members, 1))))];
    if (!job.name.empty() && !names_.insert(fingerprint_of(job.name))) {
        faults_[TraceFault::duplicate_name].note(job.name, line);
    }
    check_times(job, line);
    check_status(job, line);
    count_arrival(job, line);
    count_demand(job, line);
}

void TraceDoctor::check_times(const TraceJob& job, std::uint64_t line) {
    bool contradictory = false;
    const auto note = [&](bool is_so, TraceFault fault) {
        if (is_so) {
            faults_[fault].note(job.name, line);
            contradictory = contradictory || contradicts_itself(fault);
        }
    };
    const bool both = job.start && job.finish;
    const bool some = job.start || job.finish || job.run_time;
    note(both && *job.finish < *job.start, TraceFault::ends_before_start);
    note(job.start && job.submit && *job.start < *job.submit, TraceFault::starts_before_submit);
    note(job.run_time && *job.run_time < SimTime(0), TraceFault::negative_duration);
    note(both && job.run_time && *job.finish >= *job.start &&
             std::chrono::abs(*job.run_time - (*job.finish - *job.start)) > rounding,
         TraceFault::duration_differs);
    note(!job.submit && !some, TraceFault::no_times);
    note(!job.submit && some, TraceFault::no_submit);
    const bool waited = job.status == TraceStatus::pending || job.status == TraceStatus::cancelled;
    note(job.finish && !job.start && !job.run_time,
         waited ? TraceFault::never_started : TraceFault::finish_without_start);
    note(job.submit && *job.submit < SimTime(0), TraceFault::running_at_start);
    note(job.duration() == SimTime(0), TraceFault::no_duration);
    note(job.time_limit && job.duration() > *job.time_limit + slack_of_limit(job),
         TraceFault::over_limit);
    contradictory_ += contradictory ? 1 : 0;
    if (const auto duration = job.duration(); duration && *duration >= SimTime(0)) {
        run_time_s_ += sim::seconds(*duration);
        ++with_run_time_;
    }
    if (job.finish && (!last_instant_ || *job.finish >= *last_instant_)) {
        if (job.finish != last_instant_) {
            at_last_instant_ = {};
        }
        last_instant_ = job.finish;
        at_last_instant_.note(job.name, line);
    }
}

void TraceDoctor::check_status(const TraceJob& job, std::uint64_t line) {
    const bool over = job.finish || job.run_time;
    const bool goes_on = job.status == TraceStatus::pending || job.status == TraceStatus::running;
    if (job.status == TraceStatus::pending && job.start) {
        faults_[TraceFault::pending_with_start].note(job.name, line);
    } else if (goes_on && job.finish && !never_started(job)) {
        faults_[TraceFault::finish_while_running].note(job.name, line);
    } else if (job.status == TraceStatus::completed && !over) {
        faults_[TraceFault::completed_without_finish].note(job.name, line);
    } else if (job.status == TraceStatus::running && !over) {
        faults_[TraceFault::running_at_end].note(job.name, line);
    } else if (job.start && !over) {
        faults_[TraceFault::start_without_finish].note(job.name, line);
    }
}

void TraceDoctor::count_arrival(const TraceJob& job, std::uint64_t line) {
    if (!job.submit) {
        return;
    }
    if (latest_submit_ && *job.submit < *latest_submit_) {
        faults_[TraceFault::unsorted].note(job.name, line);
    }
    latest_submit_ = std::max(latest_submit_, job.submit);
    report_.last_submit = latest_submit_;
    report_.first_submit = std::min(report_.first_submit.value_or(*job.submit), *job.submit);
    ++by_hour_[*job.submit / hour - (*job.submit % hour < SimTime(0) ? 1 : 0)];
}

void TraceDoctor::count_demand(const TraceJob& job, std::uint64_t line) {
    const auto members = static_cast<double>(job.members);
    const double cpus = members * static_cast<double>(job.cpu_milli) / 1000;
    const double gpus = members * static_cast<double>(job.gpus.total_milli()) /
                        static_cast<double>(core::gpu_whole_milli);
    if (job.cpu_milli == 0 && job.memory_bytes == 0 && job.gpus.count == 0) {
        faults_[TraceFault::asks_for_nothing].note(job.name, line);
    } else if (const auto obstacle = limits_ ? limits_->obstacle(job) : std::nullopt) {
        faults_[*obstacle].note(job.name, line);
    }
    if (times_ == TraceTimes::recorded && never_started(job)) {
        return;
    }
    cpu_.add(cpus, job);
    memory_.add(members * static_cast<double>(job.memory_bytes), job);
    gpu_.add(gpus, job);
    if (gpus > 0) {
        std::vector<std::string> models = job.gpus.models;
        std::ranges::sort(models);
        const auto twice = std::ranges::unique(models);
        models.erase(twice.begin(), twice.end());
        if (by_models_.size() < model_sets_max || by_models_.contains(models)) {
            by_models_[std::move(models)].add(gpus, job);
        }
    }
    const auto begin = begin_of(job);
    const auto end = end_of(job);
    if (begin && times_ == TraceTimes::recorded) {
        curve_of_cpus_.add(*begin, cpus);
        curve_of_gpus_.add(*begin, gpus);
        if (end) {
            curve_of_cpus_.add(*end, -cpus);
            curve_of_gpus_.add(*end, -gpus);
        }
    }
}

void TraceDoctor::Sum::add(double amount, const TraceJob& job) {
    asked += amount;
    const auto begin = begin_of(job);
    if (const auto duration = job.duration()) {
        seconds += amount * std::max(0.0, sim::seconds(*duration));
    } else if (begin && !has_ended(job.status)) {
        endless += amount;
        endless_from += amount * sim::seconds(*begin);
    }
}

TraceLoad TraceDoctor::Sum::load(std::string name,
                                 std::optional<SimTime> begin,
                                 std::optional<SimTime> end,
                                 std::optional<double> capacity) const {
    TraceLoad out{std::move(name), asked, 0, capacity};
    if (begin && end && *end > *begin) {
        const double rest = std::max(0.0, endless * sim::seconds(*end) - endless_from);
        out.average = (seconds + rest) / sim::seconds(*end - *begin);
    }
    return out;
}

TraceReport examine(TraceReader& reader,
                    const core::Topology* tree,
                    TraceTimes times,
                    std::span<const core::ServerId> left_out) {
    TraceDoctor doctor(tree, times, left_out);
    ExaminedReader examined(reader, doctor);
    for (TraceJob job; examined.next(job);) {
    }
    return doctor.report(reader.skipped());
}

}  // namespace berth::workloads
