#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::workloads {

/// What may be wrong with one job of a trace.
enum class TraceFault : std::uint8_t {
    // The job can never run on the cluster:
    unknown_gpu_model,
    too_many_gpus,
    too_much_cpu,
    too_much_memory,
    never_together,
    group_too_large,
    // The job's times contradict each other:
    ends_before_start,
    starts_before_submit,
    negative_duration,
    duration_differs,
    // Times are missing, or contradict its status:
    no_times,
    no_submit,
    start_without_finish,
    finish_without_start,
    never_started,
    completed_without_finish,
    pending_with_start,
    over_limit,
    // The trace's window cuts the job off:
    running_at_start,
    running_at_end,
    ends_with_trace,
    finish_while_running,
    // Other:
    duplicate_name,
    unsorted,
    no_duration,
    asks_for_nothing,
    count,
};
inline constexpr std::size_t trace_fault_count = static_cast<std::size_t>(TraceFault::count);

[[nodiscard]] constexpr bool never_runs(TraceFault fault) {
    return fault <= TraceFault::group_too_large;
}
[[nodiscard]] constexpr bool contradicts_itself(TraceFault fault) {
    return fault >= TraceFault::ends_before_start && fault <= TraceFault::duration_differs;
}

[[nodiscard]] constexpr bool is_of_times(TraceFault fault) {
    return fault >= TraceFault::ends_before_start && fault != TraceFault::duplicate_name &&
           fault != TraceFault::asks_for_nothing;
}

/// A finding that users of the trace should know of.
struct TraceFinding {
    std::string name;         ///< For programs, such as `too_much_cpu`.
    std::string text;         ///< One line for people.
    std::uint64_t count = 0;  ///< Number of jobs; 0: the finding is about the trace as a whole.
    std::string first{};      ///< The name of the first such job.
    std::uint64_t line = 0;   ///< The line of that job.
    bool harmless = false;    ///< Whether it is no reason for care by itself.
    bool of_times = false;    ///< Whether it matters only to users of the trace's times.
};

/// How many jobs have a fault, and which of them is the first.
struct TraceFaultCount {
    std::uint64_t count = 0;
    std::string first{};
    std::uint64_t line = 0;

    void note(std::string_view job, std::uint64_t at) {
        if (count++ == 0) {
            first = job;
            line = at;
        }
    }
};

/// The faults of a trace.
class TraceFaults {
public:
    [[nodiscard]] TraceFaultCount& operator[](TraceFault fault) {
        return entries_[static_cast<std::size_t>(fault)];
    }
    /// The faults that occur, in the order of TraceFault. `jobs` is the number of jobs in the
    /// trace.
    [[nodiscard]] std::vector<TraceFinding> findings(std::uint64_t jobs) const;

private:
    std::array<TraceFaultCount, trace_fault_count> entries_;
};

/// Such as `12.4 %`.
[[nodiscard]] std::string percent_text(double part);

}  // namespace berth::workloads
