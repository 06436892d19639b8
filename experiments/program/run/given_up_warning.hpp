#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace berth::experiments {

/// A sentence, with its remedy, that so many jobs were given up in all replications, since failures
/// had interrupted them `give_up_after` times: they are in no mean of jobs that finished. Nothing
/// where there are none.
[[nodiscard]] std::optional<std::string> given_up_warning(std::uint64_t jobs,
                                                          std::uint32_t give_up_after);

}  // namespace berth::experiments
