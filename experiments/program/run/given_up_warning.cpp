#include "experiments/program/run/given_up_warning.hpp"

#include <fmt/format.h>

namespace berth::experiments {

std::optional<std::string> given_up_warning(std::uint64_t jobs, std::uint32_t give_up_after) {
    if (jobs == 0) {
        return std::nullopt;
    }
    return fmt::format(
        "given up: {} {} after {} {} by failures; jobs.csv says which. Have checkpoints keep what "
        "is done between two interruptions, or raise scheduler.onFailure.giveUpAfter",
        jobs,
        jobs == 1 ? "job was dropped" : "jobs were dropped",
        give_up_after,
        give_up_after == 1 ? "interruption" : "interruptions");
}

}  // namespace berth::experiments
