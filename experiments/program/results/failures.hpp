#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/results/time_to_failure.hpp"

namespace berth::report {

/// The jobs of one range of sizes: a row of mttf.csv, over all replications.
struct SizeFailures {
    std::int64_t size_min = 0;
    std::int64_t size_max = 0;
    std::uint64_t jobs = 0;
    std::uint64_t interruptions = 0;
    double running_s = 0;
    double size_running_s = 0;

    /// The mean size of the jobs, weighted by the time for which they run.
    [[nodiscard]] double mean_size() const { return size_running_s / running_s; }
    [[nodiscard]] TimeToFailure time() const { return time_to_failure(interruptions, running_s); }
};

/// An outage in replication 0: a row of failures.csv.
struct OutageRow {
    double from_s = 0;
    double to_s = 0;        ///< Infinite if it was not back before the end of the run.
    std::string component;  ///< A node, or a device in a server such as `server-0/rdma-1`.
    std::string level;      ///< The level of the node, or the kind of the device.
    std::string cause;
    std::uint64_t jobs = 0;  ///< How many jobs lost their places because of it.
};

/// A use of GPU time: a row of gpu_time.csv, as the mean over the replications.
struct GpuUse {
    std::string use;
    double gpu_seconds = 0;
};

/// The failures of a run, and the jobs that they interrupted.
struct Failures {
    std::string size_of;  ///< The unit of sizes: `gpus` or `pods`.
    /// The sizes of jobs that ran for some time, the smallest first.
    std::vector<SizeFailures> sizes;
    std::vector<OutageRow> outages;  ///< The outages, in the order of their beginnings.
    std::vector<GpuUse> gpu_time;    ///< Empty in a cluster without GPUs.
    /// The number of GPUs of the largest server; 1 where sizes are in pods.
    double server_size = 1;

    /// How long a job of this many GPUs (or pods) would run between two interruptions. It assumes
    /// that each GPU brings as many interruptions as on average in jobs of a whole server or more,
    /// or, if these had none, in all jobs. Nothing if there were no interruptions.
    [[nodiscard]] std::optional<double> projected_s(double size) const;
};

/// Reads the failures of a run directory; nothing if it has no mttf.csv.
/// Errors: core::InputError if a table is malformed.
[[nodiscard]] std::optional<Failures> read_failures(const std::filesystem::path& run);

}  // namespace berth::report
