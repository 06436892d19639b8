#pragma once

#include <cstdint>
#include <string>

#include "experiments/program/config/experiment_spec.hpp"
#include "sim/job/records.hpp"

namespace berth::experiments {

/// Writes the row of a group in groups.csv at the end of a text, with its newline.
void write_groups_row(std::string& out,
                      const ExperimentSpec& spec,
                      std::uint32_t replication,
                      const sim::JobRecord& record);

}  // namespace berth::experiments
