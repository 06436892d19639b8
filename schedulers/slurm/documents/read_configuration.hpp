#pragma once

#include <compare>
#include <map>
#include <string>
#include <vector>

#include "schedulers/slurm/requests/slurm_setting.hpp"

namespace berth::experiments {

/// The clocks of the two loops, which the driver of a Controller follows.
struct SlurmClocks {
    std::int64_t batch_sched_delay_s = 3;
    std::int64_t sched_interval_s = 60;
    std::int64_t bf_interval_s = 30;
    std::int64_t priority_period_min = 5;
    std::int64_t over_time_min = 0;
    bool defer = false;
};

/// A version of Slurm, such as 22.05, of which defaults are.
struct SlurmVersion {
    int year = 22;
    int month = 5;

    [[nodiscard]] auto operator<=>(const SlurmVersion&) const = default;
};

/// The keys of slurm.conf that have one value.
struct SlurmConfiguration {
    core::slurm::Configuration configuration;
    SlurmClocks clocks;
    std::map<std::string, std::int64_t> licenses;
    /// EnforcePartLimits, and AccountingStorageEnforce for associations.
    bool limits_refuse = false;
    bool associations_matter = false;
    /// Keys that berth does not follow, each with what it would do.
    std::vector<std::string> not_followed;
};

/// Reads all keys of slurm.conf but those of nodes and partitions.
/// Errors: SlurmFault.
[[nodiscard]] SlurmConfiguration read_configuration(const std::vector<SlurmSetting>& settings,
                                                    SlurmVersion version);

}  // namespace berth::experiments
