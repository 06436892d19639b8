#pragma once

namespace berth::core {

/// How a profile wants devices to be chosen.
struct MachineRules {
    bool published = false;  ///< As the program does; otherwise as the document says.
    bool exact = false;      ///< The best that exists; otherwise what the system finds.
};

}  // namespace berth::core
