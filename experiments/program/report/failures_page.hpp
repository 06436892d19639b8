#pragma once

#include <cstddef>

#include "experiments/program/results/run_directory.hpp"
#include "experiments/program/support/typed_json.hpp"

namespace berth::report {

/// The failures of a run in which something may fail, and their cost; otherwise null. The strip is
/// about replication 0, and null if its servers or its end are not known. It has at most `hits_max`
/// interruptions. Everything else is about all replications.
[[nodiscard]] Maybe<"Failures"> failures_data(const RunDirectory& run, std::size_t hits_max);

}  // namespace berth::report
