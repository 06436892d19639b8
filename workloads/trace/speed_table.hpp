#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/job/training.hpp"

namespace berth::workloads {

/// How fast models train, as it was measured.
struct SpeedTable {
    std::string file;  ///< Named in messages.
    std::map<std::string, std::shared_ptr<const sim::ModelSpeeds>, std::less<>> models;
    /// The machine types on which jobs may run; one that is empty stands for all.
    std::vector<std::string> machine_types;
    /// Whether speeds for a number of GPUs between two rows are computed from those rows.
    bool interpolates = false;

    /// The speeds with which a job can train with these batch sizes wherever it may run; nullptr
    /// if a row is missing, and `lack` then says which.
    /// Cost: O(batch sizes x types x log rows), and a copy of the model's rows to interpolate.
    [[nodiscard]] std::shared_ptr<const sim::ModelSpeeds> speeds_of(
        std::string_view model,
        std::int64_t gpus,
        const std::vector<std::int64_t>& batch_sizes,
        std::string& lack) const;
};

/// Reads a table with the columns `model`, `batch_size`, `gpus` and `steps_per_s`, and, if rows are
/// for one machine type, or for jobs whose pods are apart, `machine_type` and `consolidated` (yes
/// or no). `file` names the text in messages.
/// Errors: InputError with file, line and column.
[[nodiscard]] SpeedTable read_speed_table(const std::string& text, const std::string& file);

}  // namespace berth::workloads
