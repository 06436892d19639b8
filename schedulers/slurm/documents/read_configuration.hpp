#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/slurm/decide/own_clock.hpp"
#include "schedulers/slurm/documents/slurm_setting.hpp"

namespace berth::experiments {

/// A version of Slurm, such as 22.05, of which defaults are.
struct SlurmVersion {
    int year = 22;
    int month = 5;

    [[nodiscard]] auto operator<=>(const SlurmVersion&) const = default;
};

/// The version in a text such as `slurm 22.05.8`; nothing if it is none from 20.11 to 26.05.
[[nodiscard]] std::optional<SlurmVersion> version_in(std::string_view text);

/// The keys of slurm.conf that have one value.
struct SlurmConfiguration {
    core::slurm::Configuration configuration;
    core::slurm::Clocks clocks;
    std::map<std::string, std::int64_t> licenses;
    /// Keys that berth does not follow, each with what it would do.
    std::vector<std::string> not_followed;
};

/// The keys of all lines of slurm.conf but those of nodes and partitions.
[[nodiscard]] std::vector<SlurmSetting> settings_of_conf(
    const std::vector<std::vector<SlurmSetting>>& lines);

/// Reads all keys of slurm.conf but those of nodes and partitions.
/// Errors: SlurmFault.
[[nodiscard]] SlurmConfiguration read_configuration(const std::vector<SlurmSetting>& settings,
                                                    SlurmVersion version);

}  // namespace berth::experiments
