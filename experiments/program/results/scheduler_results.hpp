#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace berth::report {

/// What the files of one scheduler in a run directory tell. Its page knows more about it.
class SchedulerResults {
public:
    virtual ~SchedulerResults() = default;
};

/// Reads the files of all schedulers that wrote some. `end_s`: the end of replication 0, if known.
/// Errors: core::InputError with the file, the line and the column.
[[nodiscard]] std::vector<std::shared_ptr<const SchedulerResults>> read_scheduler_results(
    const std::filesystem::path& directory, std::int64_t replications, std::optional<double> end_s);

}  // namespace berth::report
