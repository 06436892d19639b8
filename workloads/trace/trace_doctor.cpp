#include "workloads/trace/trace_doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <string_view>

namespace berth::workloads {

using sim::SimTime;

namespace {

constexpr SimTime hour = std::chrono::hours(1);
/// Traces that write times in whole seconds may differ by so much.
constexpr SimTime rounding = std::chrono::seconds(2);
/// Sets of GPU models that are told apart.
constexpr std::size_t model_sets_max = 256;

bool has_ended(TraceStatus status) {
    return status != TraceStatus::unknown && status != TraceStatus::pending &&
           status != TraceStatus::running;
}

/// When it began to run, or would have, had nobody made it wait.
std::optional<SimTime> begin_of(const TraceJob& job) {
    return job.start ? job.start : job.submit;
}

/// When it was over, had it begun then; nothing: it goes on, or nobody knows.
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

TraceDoctor::TraceDoctor(const core::Topology* tree, TraceTimes times) : times_(times) {
    if (tree != nullptr) {
        limits_.emplace(*tree);
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
    if (job.status == TraceStatus::pending && job.start) {
        faults_[TraceFault::pending_with_start].note(job.name, line);
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
    if (begin && job.status != TraceStatus::pending && times_ == TraceTimes::recorded) {
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

TraceReport examine(TraceReader& reader, const core::Topology* tree, TraceTimes times) {
    TraceDoctor doctor(tree, times);
    ExaminedReader examined(reader, doctor);
    for (TraceJob job; examined.next(job);) {
    }
    return doctor.report(reader.skipped());
}

}  // namespace berth::workloads
