#include "sim/measure/times.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::sim {
namespace {

using State = Times::State;

/// The state of a time that had not ended when the job's record was complete.
State unended(Outcome outcome) {
    const bool goes_on = outcome == Outcome::waiting || outcome == Outcome::running;
    return goes_on ? State::going_on : State::given_up;
}

double value_of(TimeStatistic statistic, const Times& times) {
    const double completion = seconds(times.completion);
    const double run = seconds(times.run);
    switch (statistic) {
        case TimeStatistic::wait:
            return seconds(times.wait);
        case TimeStatistic::completion:
            return completion;
        case TimeStatistic::slowdown:
            return times.completion_state == State::ended ? completion / run
                                                          : std::max(completion / run, 1.0);
        case TimeStatistic::bounded_slowdown:
            return std::max(completion / std::max(run, bounded_slowdown_threshold_s), 1.0);
    }
    return 0;
}

}  // namespace

Times times_of(const JobRecord& record, SimTime now) {
    const Job& job = record.job;
    BERTH_ASSERT(!record.finish || record.start, "a job that finished had started");
    Times times;
    times.never_started = !record.ever_started();
    times.wait_state = record.start                         ? State::ended
                       : record.outcome == Outcome::waiting ? State::going_on
                                                            : State::given_up;
    if (times.wait_state != State::given_up) {
        times.wait = record.waited_until(record.start.value_or(now));
    }
    if (record.finish || job.duration) {
        times.completion_state = record.finish ? State::ended : unended(record.outcome);
        times.completion = record.finish.value_or(now) - job.submit;
        times.run = job.duration ? *job.duration : *record.finish - *record.start;
    }
    return times;
}

Times times_of(const Member& member, const JobRecord& record, SimTime now) {
    Times times;
    times.never_started = !member.ever_started();
    times.wait_state = member.stint != nullptr              ? State::ended
                       : member.outcome == Outcome::waiting ? State::going_on
                                                            : State::given_up;
    if (times.wait_state != State::given_up) {
        times.wait = member.waited_by(member.stint != nullptr ? member.stint->start : now);
    }
    if (member.finished() || record.job.duration) {
        times.completion_state = member.finished() ? State::ended : unended(member.outcome);
        times.completion = member.finished() ? member.completion() : now - member.past.submit;
        times.run = member.finished() ? member.run_time(record) : *record.job.duration;
    }
    return times;
}

void add(CensoredSample& sample, TimeStatistic statistic, const Times& times, std::int64_t weight) {
    const State state =
        statistic == TimeStatistic::wait ? times.wait_state : times.completion_state;
    const bool has_none = statistic == TimeStatistic::slowdown && times.run == SimTime(0);
    if (state == State::none || has_none) {
        return;
    }
    if (state == State::ended) {
        sample.ended(value_of(statistic, times), weight);
    } else if (state == State::going_on) {
        sample.going_on(value_of(statistic, times), weight);
    } else {
        sample.never(weight);
    }
    if (times.never_started) {
        sample.never_started(weight);
    }
}

}  // namespace berth::sim
