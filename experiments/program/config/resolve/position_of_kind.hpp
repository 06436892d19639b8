#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/support/value.hpp"

namespace berth::experiments {

/// The kind of a document, such as `Experiment`; empty for a document without a kind.
[[nodiscard]] std::string kind_of(const core::Value& document);

/// Adds an object, or the items of a list, which get the kind that the API omits.
void add_objects(core::Value document, std::vector<core::Value>& objects);

/// The only document whose kind is among `kinds`. Several documents with Kubernetes objects, such
/// as Nodes with `---` between them, count as one List.
/// `take(i)` returns the i-th document, and is called once for each that is found.
/// Errors: InputError that tells what to do with the documents that were found instead.
[[nodiscard]] core::Value one_of_kind(const std::vector<core::Value>& documents,
                                      const std::shared_ptr<const core::SourceText>& source,
                                      const std::vector<std::string>& kinds,
                                      const std::function<core::Value(std::size_t)>& take);

}  // namespace berth::experiments
