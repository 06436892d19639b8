#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace berth::workloads {

/// The waiting tasks of a job array, which Slurm writes as one job: `[2-20]`, `[1,3-9:2%4]`.
/// Cost: memory for the ranges, however many tasks they have.
class ArrayTasks {
public:
    /// Returns nothing for a text that names no tasks, or not all of them: Slurm ends long texts
    /// with `...`. `text` may also be a bitmap such as `0x1e`, as in Slurm's database.
    [[nodiscard]] static std::optional<ArrayTasks> parse(std::string_view text);

    /// The number of the next task; nothing after the last.
    [[nodiscard]] std::optional<std::int64_t> next();

private:
    struct Range {
        std::int64_t next;
        std::int64_t last;
        std::int64_t step;
    };
    bool add_range(std::string_view text);
    bool add_bits(std::string_view digits);

    std::vector<Range> ranges_;
    std::size_t at_ = 0;
};

}  // namespace berth::workloads
