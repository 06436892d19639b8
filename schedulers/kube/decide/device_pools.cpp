#include "schedulers/kube/decide/device_pools.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace berth::core::kube {
namespace {

using Slices = std::vector<const ResourceSlice*>;
using PoolId = std::pair<std::string, std::string>;

PoolId pool_of(const ResourceSlice& slice) {
    return {slice.driver, slice.pool};
}

/// The node whose pools are gathered.
struct AskedNode {
    const std::string& name;
    const Labels& labels;
};

bool is_for_node(const ResourceSlice& slice,
                 const AskedNode& node,
                 const DeviceFeatures& features) {
    const auto matches = [&](const NodeChoice& nodes) {
        return nodes.matches(node.name, node.labels);
    };
    if (!features.partitionable_devices &&
        (slice.per_device_nodes || !slice.counter_sets.empty())) {
        return false;
    }
    if (!slice.counter_sets.empty()) {
        return true;
    }
    if (!slice.nodes.is_empty()) {
        return matches(slice.nodes);
    }
    return slice.per_device_nodes.value_or(false) &&
           std::ranges::any_of(slice.devices,
                               [&](const Device& device) { return matches(device.nodes); });
}

/// The slices for the node: its own first.
Slices slices_for_node(const AskedNode& node, const DeviceCatalog& catalog) {
    Slices own;
    Slices others;
    for (const ResourceSlice& slice : catalog.slices) {
        const bool is_nameless = !slice.nodes.node_name || slice.nodes.node_name->empty();
        const bool has_counters = !slice.counter_sets.empty();
        if (!is_nameless && *slice.nodes.node_name == node.name && !has_counters) {
            own.push_back(&slice);
        }
        if (is_nameless || has_counters) {
            others.push_back(&slice);
        }
    }
    own.insert(own.end(), others.begin(), others.end());
    std::erase_if(own,
                  [&](const auto* slice) { return !is_for_node(*slice, node, catalog.features); });
    return own;
}

/// Reads the counter sets of slices. Returns whether no name is there twice.
bool read_counters(const Slices& slices, Counters& counters, std::set<std::string>& sets) {
    for (const ResourceSlice* slice : slices) {
        for (const auto& [name, values] : slice->counter_sets) {
            if (!sets.insert(name).second) {
                return false;
            }
            for (const auto& [counter, value] : values) {
                counters[{name, counter}] = value;
            }
        }
    }
    return true;
}

bool has_known_counters(const Slices& slices, const DevicePool& pool) {
    return std::ranges::all_of(slices, [&](const ResourceSlice* slice) {
        return std::ranges::all_of(slice->devices, [&](const Device& device) {
            return std::ranges::all_of(device.consumes, [&](const auto& consumed) {
                return pool.counters.contains(consumed.first);
            });
        });
    });
}

bool has_distinct_devices(const Slices& slices) {
    std::set<std::string> names;
    return std::ranges::all_of(slices, [&](const ResourceSlice* slice) {
        return std::ranges::all_of(
            slice->devices, [&](const Device& device) { return names.insert(device.name).second; });
    });
}

/// Fills a pool with its slices. Returns whether they fit together.
bool fill(DevicePool& pool,
          Slices slices,
          const Slices& everywhere,
          const DeviceFeatures& features) {
    std::ranges::stable_sort(slices, {}, [](const auto* slice) { return slice->name; });
    std::ranges::copy_if(slices, std::back_inserter(pool.slices), [](const auto* slice) {
        return slice->counter_sets.empty();
    });
    if (!has_distinct_devices(pool.slices)) {
        return false;
    }
    if (!features.partitionable_devices) {
        return true;
    }
    std::set<std::string> sets;
    if (!read_counters(slices, pool.counters, sets) || !has_known_counters(slices, pool)) {
        return false;
    }
    std::set<std::string> names;
    for (const ResourceSlice* slice : slices) {
        names.insert(slice->name);
    }
    std::ranges::copy_if(everywhere, std::back_inserter(pool.elsewhere), [&](const auto* slice) {
        return !names.contains(slice->name);
    });
    return has_known_counters(pool.elsewhere, pool);
}

/// The slices of the newest generation of each pool, in the order in which pools are seen first.
std::vector<Slices> newest_slices(const Slices& slices) {
    std::vector<Slices> newest;
    std::map<PoolId, std::size_t> known;
    for (const ResourceSlice* slice : slices) {
        const auto [place, is_new] = known.try_emplace(pool_of(*slice), newest.size());
        if (is_new) {
            newest.emplace_back();
        }
        Slices& own = newest[place->second];
        if (!own.empty() && slice->generation > own.front()->generation) {
            own.clear();
        }
        if (own.empty() || slice->generation == own.front()->generation) {
            own.push_back(slice);
        }
    }
    return newest;
}

/// Whether a newer generation of the pool is published for other nodes. `everywhere` becomes all
/// slices of the generation.
bool is_obsolete(const ResourceSlice& first, const Slices& of_pool, Slices& everywhere) {
    for (const ResourceSlice* slice : of_pool) {
        if (slice->generation > first.generation) {
            return true;
        }
        if (slice->generation == first.generation) {
            everywhere.push_back(slice);
        }
    }
    return false;
}

bool has_binding_conditions(const DevicePool& pool) {
    return std::ranges::any_of(pool.slices, [](const ResourceSlice* slice) {
        return std::ranges::any_of(slice->devices, [](const Device& device) {
            return device.binding_conditions.has_value();
        });
    });
}

}  // namespace

SlicesOfPools slices_of_pools(const DeviceCatalog& catalog) {
    SlicesOfPools slices;
    for (const ResourceSlice& slice : catalog.slices) {
        slices[pool_of(slice)].push_back(&slice);
    }
    return slices;
}

std::vector<DevicePool> gather_pools(const std::string& node_name,
                                     const Labels& node_labels,
                                     const DeviceCatalog& catalog,
                                     const SlicesOfPools& of_pools) {
    std::vector<DevicePool> plain;
    std::vector<DevicePool> binding;
    for (Slices& own : newest_slices(slices_for_node({node_name, node_labels}, catalog))) {
        const ResourceSlice& first = *own.front();
        DevicePool pool;
        pool.driver = first.driver;
        pool.name = first.pool;
        Slices everywhere;
        if (static_cast<std::int64_t>(own.size()) != first.slices_in_pool) {
            if (is_obsolete(first, of_pools.at(pool_of(first)), everywhere)) {
                continue;
            }
            pool.is_incomplete =
                static_cast<std::int64_t>(everywhere.size()) != first.slices_in_pool;
        }
        if (!pool.is_incomplete && !fill(pool, std::move(own), everywhere, catalog.features)) {
            pool.is_invalid = true;
            pool.slices.clear();
            pool.elsewhere.clear();
        }
        (has_binding_conditions(pool) ? binding : plain).push_back(std::move(pool));
    }
    const auto id = [](const DevicePool& pool) { return PoolId(pool.driver, pool.name); };
    std::ranges::sort(plain, {}, id);
    std::ranges::sort(binding, {}, id);
    std::ranges::move(binding, std::back_inserter(plain));
    return plain;
}

}  // namespace berth::core::kube
