#pragma once

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "workloads/failures/failure_model.hpp"

namespace berth::experiments {

/// Reads what failed and was repaired when, as somebody recorded it. The text is a CSV table with
/// the columns `time_s,component,event,cause`, of which `cause` may be missing; or it is one that
/// read_node_events() reads. A component is a node of any level, of the lowest one that has the
/// name. What fails while it is out, and is repaired while it is not, changes nothing. `zero`: of
/// node events, the date at which the run begins; what was over by then is left out.
/// Errors: InputError at the field; node events without `zero`, or a table with it.
void read_failure_file(const core::Value& csv,
                       const core::Value* zero,
                       const core::Topology& tree,
                       workloads::FailureModel& model);

}  // namespace berth::experiments
