#include "workloads/trace/slurm_state.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace berth::workloads {

std::optional<TraceStatus> status_of_slurm_state(std::string_view state) {
    using enum TraceStatus;
    using Entry = std::pair<std::string_view, TraceStatus>;
    static constexpr std::array table{Entry{"BOOT_FAIL", node_failed},
                                      Entry{"CANCELLED", cancelled},
                                      Entry{"COMPLETED", completed},
                                      Entry{"COMPLETING", running},
                                      Entry{"CONFIGURING", running},
                                      Entry{"DEADLINE", timed_out},
                                      Entry{"FAILED", failed},
                                      Entry{"NODE_FAIL", node_failed},
                                      Entry{"OUT_OF_MEMORY", failed},
                                      Entry{"PENDING", pending},
                                      Entry{"PREEMPTED", cancelled},
                                      Entry{"REQUEUED", pending},
                                      Entry{"RESIZING", running},
                                      Entry{"REVOKED", cancelled},
                                      Entry{"RUNNING", running},
                                      Entry{"SUSPENDED", running},
                                      Entry{"TIMEOUT", timed_out}};
    const std::string_view word = state.substr(0, state.find_first_of(" +"));
    const auto* found = std::ranges::find(table, word, &Entry::first);
    return found == table.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace berth::workloads
