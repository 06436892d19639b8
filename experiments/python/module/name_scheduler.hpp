#pragma once

#include <string>

#include "core/support/value.hpp"

namespace berth::python {

/// Has an experiment's document, before it is resolved, name this scheduler in Python in the place
/// of what decides there. What `spec.scheduler` says of things that happen whoever decides stays.
void name_scheduler(core::Value& experiment, const std::string& scheduler);

}  // namespace berth::python
