#include "experiments/program/forecast/past_of_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "core/support/source.hpp"
#include "workloads/trace/trace_pods.hpp"

namespace berth::experiments {
namespace {

using sim::SimTime;
using workloads::TraceJob;

[[nodiscard]] core::InputError error(std::string_view name, const std::string& what) {
    return core::InputError(fmt::format("{}: error: {}", name, what));
}

/// The instants that the history tells of a job.
std::vector<SimTime> instants_of(const TraceJob& job) {
    std::vector<SimTime> out;
    const auto seen = job.conditions ? job.conditions->seen : std::nullopt;
    for (const auto& instant : {job.submit, job.start, job.finish, seen}) {
        if (instant) {
            out.push_back(*instant);
        }
    }
    return out;
}

/// Has the history begin at 0, whichever of its jobs comes first in its list.
void begin_at_zero(std::vector<TraceJob>& history) {
    std::optional<SimTime> first;
    for (const TraceJob& job : history) {
        for (const SimTime instant : instants_of(job)) {
            first = std::min(first.value_or(instant), instant);
        }
    }
    for (TraceJob& job : history) {
        for (std::optional<SimTime>* time : {&job.submit, &job.start, &job.finish}) {
            if (*time) {
                **time -= *first;
            }
        }
        if (job.conditions && job.conditions->seen) {
            *job.conditions->seen -= *first;
        }
    }
}

/// The latest instant that a history tells, and the job that tells it.
struct LastInstant {
    SimTime at{};
    const TraceJob* job = nullptr;
    SimTime before{};  ///< The latest instant of all other jobs.
};

LastInstant last_instant(const std::vector<TraceJob>& history) {
    LastInstant last;
    for (const TraceJob& job : history) {
        const std::vector<SimTime> instants = instants_of(job);
        if (instants.empty()) {
            continue;
        }
        const SimTime latest = *std::ranges::max_element(instants);
        if (last.job == nullptr || latest > last.at) {
            last = {latest, &job, last.at};
        } else {
            last.before = std::max(last.before, latest);
        }
    }
    return last;
}

/// A job of the history that ended, if its run time is known.
std::optional<PastJob> ended_job(const TraceJob& from, workloads::TracePods& pods) {
    const auto duration = from.duration();
    if (from.status == workloads::TraceStatus::running ||
        from.status == workloads::TraceStatus::pending || !duration || *duration <= SimTime(0) ||
        (!from.start && !from.submit)) {
        return std::nullopt;
    }
    PastJob job{pods.job_of(from)};
    job.start = from.start.value_or(from.submit.value_or(SimTime(0)));
    job.job.submit = std::min(from.submit.value_or(*job.start), SimTime(*job.start));
    job.job.duration = *duration;
    job.job.estimate = from.time_limit;
    job.end = *job.start + *duration;
    job.finished = true;
    return job;
}

class StateReader {
public:
    StateReader(const ExperimentSpec& spec, const std::vector<TraceJob>& history)
        : spec_(spec), pods_(spec.topology->resources(), workloads::TraceQuota::queue) {
        const LastInstant last = last_instant(history);
        out_.now = last.at;
        constexpr SimTime far = std::chrono::hours(1);
        if (last.at - last.before > far) {
            out_.now_alone = {last.job->name, last.at - last.before};
        }
        for (const TraceJob& job : history) {
            by_name_.insert_or_assign(job.name, &job);
            by_name_.insert_or_assign(job.name_space.value_or(job.queue) + "/" + job.name, &job);
            if (auto ended = ended_job(job, pods_); ended && *ended->end <= out_.now) {
                out_.jobs.push_back(std::move(*ended));
            }
        }
    }

    StateAndPast read(bool some_proposed) {
        for (const WorkloadSource& source : spec_.workload) {
            if (const auto* list = std::get_if<JobList>(&source.what)) {
                for (const sim::Job& job : list->jobs) {
                    add(job);
                }
            } else if (!std::holds_alternative<workloads::BackgroundLoad>(source.what) &&
                       !std::holds_alternative<GivenBackground>(source.what)) {
                throw error(spec_.name,
                            "its workload has a trace or a generator, which is no state: expected "
                            "running with pending: true, and the past with --history; or a run "
                            "directory with --at");
            }
        }
        if (waiting_ == 0 && !some_proposed) {
            throw error(spec_.name,
                        "no job waits: expected running with pending: true and waiting jobs in its "
                        "file, or --job FILE with a job that is only proposed");
        }
        date_the_others();
        return std::move(out_);
    }

private:
    /// A waiting job that nothing dates keeps its place in the queue: it came no later than the one
    /// behind it.
    void date_the_others() {
        SimTime next = out_.now;
        for (std::size_t i = out_.jobs.size(); i > 0; --i) {
            PastJob& job = out_.jobs[i - 1];
            if (!job.start) {
                job.job.submit = job.dated ? job.job.submit : next;
                next = job.job.submit;
            }
        }
    }

    void add(const sim::Job& from) {
        if (from.submit > SimTime(0)) {
            ++out_.later;
            return;
        }
        const auto found = by_name_.find(from.name);
        const TraceJob* known = found == by_name_.end() ? nullptr : found->second;
        PastJob job{from};
        job.dated = known != nullptr && known->submit.has_value();
        job.job.submit = job.dated ? std::min(*known->submit, out_.now) : out_.now;
        job.job.duration = {};
        if (known != nullptr) {
            if (!known->user.empty()) {
                job.job.user = known->user;
            }
            if (known->time_limit) {
                job.job.estimate = *known->time_limit;
            }
        }
        if (from.servers) {
            run(job, known);
        } else {
            ++waiting_;
        }
        out_.jobs.push_back(std::move(job));
    }

    void run(PastJob& job, const TraceJob* known) {
        ++out_.running;
        SimTime start = out_.now;
        if (known == nullptr || !known->start) {
            ++out_.unknown;
        } else if (known->duration() && known->finish && *known->finish <= out_.now &&
                   known->status != workloads::TraceStatus::running) {
            throw error(job.job.name,
                        "it runs by the state and has ended by the history: expected both of the "
                        "same moment");
        } else {
            start = std::min(SimTime(*known->start), out_.now);
        }
        job.start = start;
        job.dated = job.dated || (known != nullptr && known->start);
        job.job.submit = std::min(job.job.submit, start);
        for (const core::ServerId server : *job.job.servers) {
            job.places.push_back({server, 1, start, {}});
        }
    }

    const ExperimentSpec& spec_;
    workloads::TracePods pods_;
    std::map<std::string, const TraceJob*, std::less<>> by_name_;
    StateAndPast out_;
    std::size_t waiting_ = 0;
};

}  // namespace

std::vector<TraceJob> read_history(const TraceOrigin& origin) {
    return with_likely_format(origin, [&] {
        std::vector<TraceJob> jobs;
        const auto reader = open(origin);
        for (TraceJob job; reader->next(job);) {
            jobs.push_back(job);
        }
        begin_at_zero(jobs);
        return jobs;
    });
}

StateAndPast past_of_state(const ExperimentSpec& spec,
                           const std::vector<TraceJob>& history,
                           bool some_proposed) {
    return StateReader(spec, history).read(some_proposed);
}

}  // namespace berth::experiments
