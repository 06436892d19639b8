#pragma once

#include <optional>

#include "workloads/trace/trace_job.hpp"

namespace berth::workloads {

/// Turns dates into times since the trace's own zero: the time when the first job was submitted, or
/// otherwise started. A job that was submitted before that has a negative time.
class TraceClock {
public:
    void set_to_zero(TraceJob& job) {
        if (!zero_) {
            zero_ = job.submit ? job.submit : job.start ? job.start : job.finish;
        }
        for (std::optional<sim::SimTime>* time : {&job.submit, &job.start, &job.finish}) {
            if (*time) {
                **time -= *zero_;
            }
        }
        if (job.conditions && job.conditions->seen) {
            *job.conditions->seen -= *zero_;
        }
    }

private:
    std::optional<sim::SimTime> zero_;
};

}  // namespace berth::workloads
