#pragma once

#include "core/group_allocator/group_state.hpp"
#include "core/group_allocator/grouped_request.hpp"

namespace berth::core {

/// The location with a part's base requests charged to it, all requests for one resource summed, or
/// nullptr when that is too much. To be sealed.
[[nodiscard]] GroupState* charge_part(const GroupedRequest& request,
                                      const GroupedRequest::Part& part,
                                      const GroupState& state,
                                      bool init,
                                      GroupStateMaker& maker);

}  // namespace berth::core
