#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/support/value.hpp"

namespace berth::experiments {

/// `Experiment`, ...; empty for a document without a kind.
[[nodiscard]] std::string kind_of(const core::Value& document);

/// The one document whose kind is among `kinds`. Several documents of Kubernetes' own objects, such
/// as Nodes with `---` between them, are one List.
/// `take(i)` gives the i-th document, and is asked once for each that is found.
/// Errors: InputError with what to do with the documents that are there instead.
[[nodiscard]] core::Value one_of_kind(const std::vector<core::Value>& documents,
                                      const std::shared_ptr<const core::SourceText>& source,
                                      const std::vector<std::string>& kinds,
                                      const std::function<core::Value(std::size_t)>& take);

}  // namespace berth::experiments
