#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::report {

/// What the files of one scheduler in a run directory tell. Its page knows more about it.
class SchedulerResults {
public:
    virtual ~SchedulerResults() = default;
};

/// A scheduler's settings, as parts of the sentence that says what a run asks.
struct SchedulerWords {
    std::string admits;       ///< `admitted by NAME`.
    std::string places;       ///< `placed by ...`; empty: it places nothing itself.
    bool places_all = false;  ///< Whether the profile places nothing.
};

/// What a scheduler knows about run directories.
struct SchedulerTables {
    std::string_view key;  ///< The key of its settings in `spec.scheduler`.
    /// Returns: nullptr if it has no files in the directory.
    std::shared_ptr<const SchedulerResults> (*read)(const std::filesystem::path& directory,
                                                    std::int64_t replications,
                                                    std::optional<double> end_s);
    SchedulerWords (*in_words)(const YAML::Node& settings);
};

/// Those of all schedulers that have a folder `tables`, in the order of schedulers/schedulers.def.
[[nodiscard]] std::span<const SchedulerTables> scheduler_tables();

/// Reads the files of all schedulers that wrote some. `end_s`: the end of replication 0, if known.
/// Errors: core::InputError with the file, the line and the column.
[[nodiscard]] std::vector<std::shared_ptr<const SchedulerResults>> read_scheduler_results(
    const std::filesystem::path& directory, std::int64_t replications, std::optional<double> end_s);

}  // namespace berth::report
