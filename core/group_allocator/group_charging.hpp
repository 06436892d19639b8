#pragma once

#include "core/group_allocator/group_request.hpp"
#include "core/group_allocator/group_state.hpp"

namespace berth::core {

/// The location with a part's base requests charged to it, all requests for one resource summed, or
/// nullptr when that is too much. To be sealed.
[[nodiscard]] GroupState* charge_part(const GroupRequest& request,
                                      const GroupRequest::Part& part,
                                      const GroupState& state,
                                      bool init,
                                      GroupStateMaker& maker);

}  // namespace berth::core
