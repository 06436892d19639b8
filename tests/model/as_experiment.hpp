#pragma once

#include <string>

#include "tests/model/plain_case.hpp"

namespace berth::tests {

/// The case as a document for `berth run`. Anything that a document cannot express stands in
/// comments.
[[nodiscard]] std::string as_experiment(const PlainCase& of);

}  // namespace berth::tests
