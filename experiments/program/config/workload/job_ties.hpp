#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Reads which jobs of a document come after others, and ties them together by their names:
/// `after: NAME`, or a list of names and of `{afterok: NAME, delay: 5m}`, with `afterany` or
/// `afterstart` in place of `afterok`. A name is that of a job in any list of the workload, or of
/// an entry that stands for several, after all of which it comes then.
class JobTies {
public:
    explicit JobTies(core::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    /// Notes an entry of a list. `after`: what it says of others, or nullptr; `source`: the list's
    /// place in the workload; `first`: the place of the entry's first job in the list.
    void read(const core::Value* after,
              const std::string& name,
              std::size_t source,
              std::size_t first,
              std::size_t jobs);
    /// Ties the jobs of the workload's lists. Errors: recorded: an unknown name, and jobs that come
    /// after each other in a circle.
    void tie(std::vector<WorkloadSource>& workload);

private:
    struct Entry {
        std::string name;
        std::size_t source = 0;
        std::size_t first = 0;
        std::size_t jobs = 0;
        std::vector<sim::Dependency> after;
        std::vector<core::SourceSpan> spans;  ///< By dependency.
    };
    void read_one(const core::Value& item, Entry& entry);
    void refuse_circles(const std::vector<std::vector<std::size_t>>& before);

    core::Diagnostics& diagnostics_;
    std::vector<Entry> entries_;
    bool any_ = false;  ///< Some entry comes after another.
};

}  // namespace berth::experiments
