#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <string_view>
#include <vector>

namespace berth::report {

/// The text of a scalar; empty for anything else.
[[nodiscard]] std::string text_of(const YAML::Node& node);

/// The value of a key; undefined if the node has none.
[[nodiscard]] YAML::Node child(const YAML::Node& node, std::string_view key);

/// `a, b and c`, where `last` is what stands before the last part.
[[nodiscard]] std::string joined(const std::vector<std::string>& parts,
                                 std::string_view last = " and ");

}  // namespace berth::report
