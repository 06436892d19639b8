#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/results/time_to_failure.hpp"

namespace berth::report {

/// Jobs of one class of sizes: a row of mttf.csv, over all replications.
struct SizeFailures {
    std::int64_t size_min = 0;
    std::int64_t size_max = 0;
    std::uint64_t jobs = 0;
    std::uint64_t interruptions = 0;
    double running_s = 0;
    double size_running_s = 0;

    /// The mean size of a job at a moment at which one of them runs.
    [[nodiscard]] double mean_size() const { return size_running_s / running_s; }
    [[nodiscard]] TimeToFailure time() const { return time_to_failure(interruptions, running_s); }
};

/// Something was out in replication 0: a row of failures.csv.
struct OutageRow {
    double from_s = 0;
    double to_s = 0;        ///< Infinite where it was not back before the end of the run.
    std::string component;  ///< A node, or a device in a server: `server-0/rdma-1`.
    std::string level;      ///< Of that node, or the kind of the device.
    std::string cause;
    std::uint64_t jobs = 0;  ///< Those that lost their places to it.
};

/// A use of the GPUs' time: a row of gpu_time.csv, mean over the replications.
struct GpuUse {
    std::string use;
    double gpu_seconds = 0;
};

/// What failed in a run, and whom it interrupted.
struct Failures {
    std::string size_of;              ///< `gpus` or `pods`.
    std::vector<SizeFailures> sizes;  ///< Those that ran for some time, the smallest first.
    std::vector<OutageRow> outages;   ///< In the order in which they began.
    std::vector<GpuUse> gpu_time;     ///< Empty in a cluster without GPUs.
    double server_size = 1;           ///< The GPUs of the largest server; 1 where pods count.

    /// How long a job of so many GPUs, or pods, would run between two interruptions if each of them
    /// brought as many as it did on average in jobs that take a whole server or more; where these
    /// had none, in all jobs. Nothing without interruptions.
    [[nodiscard]] std::optional<double> projected_s(double size) const;
};

/// What a run directory says of failures; nothing where it has no mttf.csv.
/// Errors: core::InputError when a table is malformed.
[[nodiscard]] std::optional<Failures> read_failures(const std::filesystem::path& run);

}  // namespace berth::report
