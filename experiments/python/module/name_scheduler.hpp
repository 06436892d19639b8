#pragma once

#include <string>

#include "core/support/value.hpp"

namespace berth::python {

/// Makes an experiment's document, which is not resolved yet, name this Python scheduler: instead
/// of the experiment's own scheduler, or beside its profile. The parts of `spec.scheduler` that
/// apply to any scheduler stay.
void name_scheduler(core::Value& experiment, const std::string& scheduler, bool keep_profile);

}  // namespace berth::python
