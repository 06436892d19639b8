#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/tree/topology.hpp"
#include "sim/job/job.hpp"
#include "sim/job/quota_hold.hpp"

namespace berth::experiments {

/// Writes a row of admissions.csv at the end of a text.
void write_admissions_row(std::string& out, std::uint32_t replication, const sim::QuotaHold& hold);

/// What a QuotaHold counts of a resource, in whole units as in all tables: CPUs are counted in
/// thousandths.
[[nodiscard]] std::string held_amount_text(std::string_view resource, core::Amount amount);

/// Where a group asked to lie, as `required rack` or `preferred rack` for each level that it
/// states; of a constraint to spread `spread` is said before it. Empty for one that states nothing.
[[nodiscard]] std::string asked_for(const sim::Job& job, const core::Topology& tree);

}  // namespace berth::experiments
