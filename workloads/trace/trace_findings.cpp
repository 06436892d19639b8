#include "workloads/trace/trace_findings.hpp"

#include <fmt/format.h>

namespace berth::workloads {
namespace {

struct Words {
    std::string_view name;
    std::string_view what;
    bool harmless = false;
};

/// Indexed by TraceFault.
constexpr std::array<Words, trace_fault_count> words{{
    {"unknown_gpu_model", "name GPU models of which the cluster has none"},
    {"too_many_gpus", "want more GPUs on one server than any has of a model that they accept"},
    {"too_much_cpu", "want more CPUs on one server than any has with GPUs that they accept"},
    {"too_much_memory", "want more memory on one server than any has with GPUs that they accept"},
    {"never_together", "want GPUs, CPUs and memory that no server has together"},
    {"group_too_large", "have more members than the empty cluster holds"},
    {"ends_before_start", "end before they start"},
    {"starts_before_submit", "start before they are submitted"},
    {"negative_duration", "have a run time below zero"},
    {"duration_differs", "have a run time that is not from start to finish"},
    {"no_times", "have no times at all"},
    {"no_submit",
     "have no submit time, though other times: they may have been there before the trace begins"},
    {"start_without_finish", "have a start and no finish"},
    {"finish_without_start", "have a finish and no start"},
    {"never_started", "ended before they started, so their run time is unknown"},
    {"completed_without_finish", "have ended, as their status says, and have no finish"},
    {"pending_with_start", "are pending, as their status says, and have started"},
    {"over_limit", "ran longer than their time limit"},
    {"running_at_start", "were running before the trace begins"},
    {"running_at_end", "are still running where the trace ends"},
    {"ends_with_trace", "end at the very last instant, cut off there rather than over"},
    {"finish_while_running", "are running or pending, as their status says, and have a finish"},
    {"duplicate_name", "have a name that a job before has"},
    {"unsorted", "are submitted earlier than a job before them in the file", true},
    {"no_duration", "run for no time at all"},
    {"asks_for_nothing", "ask for no CPU, memory or GPU"},
}};

}  // namespace

std::vector<TraceFinding> TraceFaults::findings(std::uint64_t jobs) const {
    std::vector<TraceFinding> out;
    for (std::size_t fault = 0; fault < trace_fault_count; ++fault) {
        const TraceFaultCount& entry = entries_[fault];
        if (entry.count == 0) {
            continue;
        }
        const double part = static_cast<double>(entry.count) / static_cast<double>(jobs);
        out.push_back(
            {std::string(words[fault].name),
             fmt::format(
                 "{} of {} jobs ({}) {}", entry.count, jobs, percent_text(part), words[fault].what),
             entry.count,
             entry.first,
             entry.line,
             words[fault].harmless,
             is_of_times(static_cast<TraceFault>(fault))});
    }
    return out;
}

std::string percent_text(double part) {
    return part < 10 ? fmt::format("{:.3g} %", 100 * part) : fmt::format("{:.0f} %", 100 * part);
}

}  // namespace berth::workloads
