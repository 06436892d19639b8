#pragma once

namespace berth::core {

/// How a profile wants devices to be chosen.
struct MachineRules {
    bool published = false;  ///< As the program does; otherwise as the document says.
    bool exact = false;      ///< What exists and is best; otherwise as the system finds it.
};

}  // namespace berth::core
