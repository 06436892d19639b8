#pragma once

#include <optional>
#include <string>

#include "tests/model/plain_case.hpp"

namespace berth::tests {

/// Runs a case with sim::Simulation and with the plain model, and describes their first difference;
/// absent if there is none.
[[nodiscard]] std::optional<std::string> difference(const PlainCase& of);

}  // namespace berth::tests
