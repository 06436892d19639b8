#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schedulers/slurm/documents/slurm_setting.hpp"

namespace berth::experiments {

/// The keys of one line of slurm.conf or gres.conf, in their order.
using ConfLine = std::vector<SlurmSetting>;

/// The lines of a file of Slurm, without comments and empty ones. A line that ends in a backslash
/// goes on in the next. `name`: of the file, for places such as `slurm.conf:3`.
///
/// Errors: SlurmFault: a word without `=`, a quote that does not end, an Include, since only the
///         text is here.
[[nodiscard]] std::vector<ConfLine> conf_lines(std::string_view text, std::string_view name);

}  // namespace berth::experiments
