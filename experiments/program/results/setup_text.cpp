#include "experiments/program/results/setup_text.hpp"

#include <cstddef>

namespace berth::report {

std::string text_of(const YAML::Node& node) {
    return node && node.IsScalar() ? node.Scalar() : std::string();
}

YAML::Node child(const YAML::Node& node, std::string_view key) {
    return node && node.IsMap() ? node[std::string(key)] : YAML::Node(YAML::NodeType::Undefined);
}

std::string joined(const std::vector<std::string>& parts, std::string_view last) {
    std::string out;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        out += i == 0 ? "" : (i + 1 == parts.size() ? std::string(last) : ", ");
        out += parts[i];
    }
    return out;
}

}  // namespace berth::report
