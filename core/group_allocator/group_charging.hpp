#pragma once

#include "core/group_allocator/group_state.hpp"
#include "core/group_allocator/grouped_request.hpp"

namespace berth::core {

/// The location with a part's base requests charged to it, where all requests for one resource are
/// summed; nullptr if that is too much. It still has to be sealed.
[[nodiscard]] GroupState* charge_part(const GroupedRequest& request,
                                      const GroupedRequest::Part& part,
                                      const GroupState& state,
                                      bool init,
                                      GroupStateMaker& maker);

}  // namespace berth::core
