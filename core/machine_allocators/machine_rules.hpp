#pragma once

namespace berth::core {

/// How a profile wants devices to be chosen.
struct MachineRules {
    bool published = false;  ///< Follows the published program; otherwise the document.
    /// Takes the best choice that exists; otherwise the one that the system finds.
    bool exact = false;
};

}  // namespace berth::core
