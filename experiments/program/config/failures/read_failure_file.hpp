#pragma once

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "workloads/failures/failure_model.hpp"

namespace berth::experiments {

/// Reads recorded failures and repairs. The text is a CSV table with the columns
/// `time_s,component,event,cause`, of which `cause` may be missing, or a text that
/// read_node_events() reads. A component is a node of any level; if several levels have the name,
/// the node of the lowest one counts. A failure of a component that is out, and a repair of one
/// that is not, change nothing. `zero`: for node events, the date at which the run begins; outages
/// that were over by then are left out.
/// Errors: InputError at the field, for node events without `zero`, and for a table with it.
void read_failure_file(const core::Value& csv,
                       const core::Value* zero,
                       const core::Topology& tree,
                       workloads::FailureModel& model);

}  // namespace berth::experiments
