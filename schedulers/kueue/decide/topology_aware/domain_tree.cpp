#include "schedulers/kueue/decide/topology_aware/domain_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace berth::core::kueue {
namespace {

bool begin_alike(const DomainPath& a, const DomainPath& b, std::size_t length) {
    return std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(length), b.begin());
}

/// Adds each distinct beginning of a path up to a level once.
void add_level(TopologyBuilder& builder,
               std::size_t level,
               bool last,
               std::span<const DomainPath> paths,
               std::span<const std::uint32_t> type_of_leaf) {
    std::uint32_t parent = 0;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        if (i > 0 && !begin_alike(paths[i - 1], paths[i], level)) {
            ++parent;
        }
        if (last) {
            builder.add_server(parent, paths[i][level], type_of_leaf[i]);
        } else if (i == 0 || !begin_alike(paths[i - 1], paths[i], level + 1)) {
            builder.add_node(parent, paths[i][level]);
        }
    }
}

}  // namespace

Topology make_domain_tree(const ResourceSchema& resources,
                          std::span<const std::string> levels,
                          std::span<const DomainPath> paths,
                          std::vector<MachineType> types,
                          std::span<const std::uint32_t> type_of_leaf) {
    TopologyBuilder builder(resources);
    builder.reserve(paths.size() + 1, paths.size(), 0);
    for (MachineType& type : types) {
        (void)builder.add_machine_type(std::move(type));
    }
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    for (std::size_t level = 0; level < levels.size(); ++level) {
        builder.begin_level(levels[level]);
        add_level(builder, level, level + 1 == levels.size(), paths, type_of_leaf);
    }
    return builder.build();
}

}  // namespace berth::core::kueue
