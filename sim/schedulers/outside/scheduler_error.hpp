#pragma once

#include <stdexcept>

namespace berth::sim {

/// A scheduler that the user wrote breaks a rule of the seam. The message is one line: when, which
/// job, what the scheduler asked for, and the rule.
class SchedulerError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace berth::sim
