#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"

namespace berth::tests {

/// The only document of a text, which counts as the file `test.yaml`.
[[nodiscard]] core::Value parsed(const std::string& text);

/// What reading a document gave: a topology or messages.
struct Reading {
    std::optional<core::Topology> topology;
    std::string errors;
    std::vector<std::string> warnings;
};
[[nodiscard]] Reading read(const std::string& text, const core::ResourceSchema& also = {});

/// The topology of a text that is known to be right.
[[nodiscard]] core::Topology topology_of(const std::string& text);

/// Everything that one can ask of a topology, as text.
[[nodiscard]] std::string dump(const core::Topology& topology);

}  // namespace berth::tests
