#include "schedulers/kueue/decide/flavor_mode.hpp"

#include <array>
#include <cstddef>

namespace berth::core::kueue {

std::string_view to_string(AssignmentMode mode) {
    constexpr std::array<std::string_view, 4> names{"NoFit", "Preempt", "DeferredFit", "Fit"};
    return names[static_cast<std::size_t>(mode)];
}

AssignmentMode assignment_mode(FlavorFit fit) {
    return fit == FlavorFit::no_fit ? AssignmentMode::no_fit
           : fit == FlavorFit::fit  ? AssignmentMode::fit
                                    : AssignmentMode::preempt;
}

bool is_preferred(FlavorMode a, FlavorMode b, const FlavorFungibility& rules) {
    if (a.fit == FlavorFit::no_fit || b.fit == FlavorFit::no_fit) {
        return a.fit != FlavorFit::no_fit;
    }
    if ((a.fit == FlavorFit::no_candidates) != (b.fit == FlavorFit::no_candidates)) {
        return b.fit == FlavorFit::no_candidates;
    }
    if (rules.prefers_preemption && a.height != b.height) {
        return a.height < b.height;
    }
    return a.fit != b.fit ? a.fit > b.fit : a.height < b.height;
}

bool tries_next(FlavorMode mode, const FlavorFungibility& rules) {
    switch (mode.fit) {
        case FlavorFit::no_fit:
        case FlavorFit::no_candidates:
            return true;
        case FlavorFit::preempt:
        case FlavorFit::reclaim:
            if (rules.preempt_tries_next) {
                return true;
            }
            break;
        case FlavorFit::fit:
            break;
    }
    return mode.height != 0 && rules.borrow_tries_next;
}

}  // namespace berth::core::kueue
