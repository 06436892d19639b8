#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/tree/topology.hpp"
#include "sim/job/job.hpp"
#include "sim/job/quota_hold.hpp"

namespace berth::experiments {

/// Appends a row of admissions.csv to a text.
void write_admissions_row(std::string& out, std::uint32_t replication, const sim::QuotaHold& hold);

/// The amount of a resource in a QuotaHold, in whole units as in all tables: CPUs are counted in
/// thousandths.
[[nodiscard]] std::string held_amount_text(std::string_view resource, core::Amount amount);

/// Where a group asked to be placed: `required rack` or `preferred rack` for each level that it
/// states, preceded by `spread` for a constraint to spread. Empty if it states no level.
[[nodiscard]] std::string asked_for(const sim::Job& job, const core::Topology& tree);

}  // namespace berth::experiments
