#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/profile/settings.hpp"

namespace berth::experiments {

/// A file that a scheduler writes at the beginning of a run, such as that of its objects.
struct SchedulerFile {
    std::string_view name;
    std::string (*text)(const sim::Settings& settings);  ///< Makes the content for these settings.
};

/// The files of all schedulers that take part in a run.
[[nodiscard]] std::vector<SchedulerFile> scheduler_files(const sim::Settings& settings);

}  // namespace berth::experiments
