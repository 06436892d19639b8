#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tree/ids.hpp"
#include "workloads/trace/trace_job.hpp"

namespace berth::workloads {

/// What notes about jobs begin with that mean a trace, and not a list of present jobs: their end is
/// not told, or they became eligible later than they were submitted.
inline constexpr std::string_view jobs_that_still_run =
    "jobs that still run, whose end is not known";
inline constexpr std::string_view jobs_eligible_later =
    "jobs that became eligible later than they were submitted";

inline constexpr std::string_view slurm_states =
    "a state of Slurm such as COMPLETED, FAILED, CANCELLED, TIMEOUT or NODE_FAIL";

/// The meaning of a state in Slurm's accounting, also of one that names the user who cancelled the
/// job: `CANCELLED by 1000`.
[[nodiscard]] std::optional<TraceStatus> status_of_slurm_state(std::string_view state);

/// Kinds of trackable resources that jobs of traces cannot have, one bit each.
enum class OtherTres : std::uint8_t {
    shard = 1,
    mps = 2,
    gres = 4,
    license = 8,
    burst_buffer = 16
};

/// The amounts of a Slurm job over all its nodes; 0: not told.
struct SlurmAmounts {
    core::Amount cpu_milli = 0;
    core::Amount memory_bytes = 0;
    std::int64_t nodes = 0;
    std::int64_t gpus = 0;
    std::uint8_t others = 0;  ///< Bits of OtherTres.
};

/// Parses trackable resources: `cpu=12,mem=33600M,node=1,gres/gpu=4`. GPUs may have a type,
/// `gres/gpu:a100=4`, which is appended to `models`. Other resources are left out; an empty text
/// has none.
[[nodiscard]] std::optional<SlurmAmounts> parse_tres(std::string_view text,
                                                     std::vector<std::string>& models);

/// Parses the GPUs in generic resources: `gpu:2` or `gpu:a100:2,gpu:t4:1`, also with `gres:` in
/// front. Their types are appended to `models`. Other resources are left out; an empty text has
/// none.
[[nodiscard]] std::optional<std::int64_t> parse_gres(std::string_view text,
                                                     std::vector<std::string>& models);

/// Parses ReqMem: `2800Mc` for each CPU, `4Gn` for each node, `16G` for the whole job.
/// Returns: bytes of the whole job.
[[nodiscard]] std::optional<core::Amount> parse_requested_memory(std::string_view text,
                                                                 core::Amount cpu_milli,
                                                                 core::Members nodes);

}  // namespace berth::workloads
