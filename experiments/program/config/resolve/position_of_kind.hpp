#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/support/value.hpp"

namespace berth::experiments {

/// `Experiment`, ...; empty for a document without a kind.
[[nodiscard]] std::string kind_of(const core::Value& document);

/// Where the one document stands whose kind is among `kinds`.
/// Errors: InputError with what to do with the documents that are there instead.
[[nodiscard]] std::size_t position_of_kind(const std::vector<core::Value>& documents,
                                           const std::shared_ptr<const core::SourceText>& source,
                                           const std::vector<std::string>& kinds);

}  // namespace berth::experiments
