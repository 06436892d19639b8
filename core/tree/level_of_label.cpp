#include "core/tree/level_of_label.hpp"

namespace berth::core {

std::optional<Level> level_of_label(std::string_view label,
                                    const Topology& tree,
                                    const std::map<std::string, std::string>& given) {
    if (const auto named = given.find(std::string(label)); named != given.end()) {
        return tree.find_level(named->second);
    }
    if (label == hostname_label) {
        return tree.server_level();
    }
    std::string_view name = label.substr(label.rfind('/') + 1);
    if (const auto level = tree.find_level(name)) {
        return level;
    }
    constexpr std::string_view prefix = "topology-";
    name.remove_prefix(name.starts_with(prefix) ? prefix.size() : 0);
    return tree.find_level(name);
}

}  // namespace berth::core
