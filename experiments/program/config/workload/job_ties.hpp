#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Reads which jobs of a document come after others, and ties them together by name: `after: NAME`,
/// or a list of names and of `{afterok: NAME, delay: 5m}`, with `afterany` or `afterstart` in place
/// of `afterok`. A name is that of a job in any list of the workload, or that of an entry with
/// several jobs, which all have to come before.
class JobTies {
public:
    explicit JobTies(core::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    /// Notes an entry of a list. `after`: its value, or nullptr; `source`: index of the list in the
    /// workload; `first`: index of the entry's first job in the list.
    void read(const core::Value* after,
              const std::string& name,
              std::size_t source,
              std::size_t first,
              std::size_t jobs);
    /// Ties the jobs in the workload's lists. Errors: recorded for an unknown name, and for jobs
    /// that come after each other in a circle.
    void tie(std::vector<WorkloadSource>& workload);

private:
    struct Entry {
        std::string name;
        std::size_t source = 0;
        std::size_t first = 0;
        std::size_t jobs = 0;
        std::vector<sim::Dependency> after;
        std::vector<core::SourceSpan> spans;  ///< Place of each dependency.
    };
    void read_one(const core::Value& item, Entry& entry);
    void refuse_circles(const std::vector<std::vector<std::size_t>>& before);

    core::Diagnostics& diagnostics_;
    std::vector<Entry> entries_;
    bool any_ = false;  ///< Whether some entry comes after another.
};

}  // namespace berth::experiments
