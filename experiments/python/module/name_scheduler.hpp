#pragma once

#include <string>

#include "core/support/value.hpp"

namespace berth::python {

/// Has an experiment's document, before it is resolved, name this scheduler in Python in the place
/// of what decides there, or beside its profile. What `spec.scheduler` says of things that happen
/// whoever decides stays.
void name_scheduler(core::Value& experiment, const std::string& scheduler, bool keep_profile);

}  // namespace berth::python
