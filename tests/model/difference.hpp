#pragma once

#include <optional>
#include <string>

#include "tests/model/plain_case.hpp"

namespace berth::tests {

/// Runs a case with sim::Simulation and with the plain model, and tells the first difference.
[[nodiscard]] std::optional<std::string> difference(const PlainCase& of);

}  // namespace berth::tests
