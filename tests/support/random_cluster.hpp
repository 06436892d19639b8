#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/ledger/ledger.hpp"
#include "core/placement/placement_group.hpp"
#include "core/tree/topology.hpp"
#include "tests/support/dice.hpp"

namespace berth::tests {

/// An irregular tree of `levels` levels below the root: up to `fanout` children per node, and
/// servers with up to `capacity` units of each of `resources` resources.
inline std::shared_ptr<const core::Topology> random_tree(
    Dice& dice, int levels, int fanout, core::Amount capacity, int resources = 1) {
    core::ResourceSchema schema;
    for (int resource = 0; resource < resources; ++resource) {
        schema.add("r" + std::to_string(resource));
    }
    core::TopologyBuilder builder(schema);
    const int types = 3;
    for (int type = 0; type < types; ++type) {
        core::Amounts amounts(resources);
        for (int resource = 0; resource < resources; ++resource) {
            amounts(resource) = dice.roll(1, capacity);
        }
        builder.add_machine_type({"type-" + std::to_string(type), amounts, {}});
    }
    builder.begin_level("level-0");
    builder.add_node(0, "root");
    std::uint32_t above = 1;
    for (int level = 1; level <= levels; ++level) {
        builder.begin_level("level-" + std::to_string(level));
        std::uint32_t count = 0;
        for (std::uint32_t parent = 0; parent < above; ++parent) {
            for (std::int64_t child = dice.roll(1, fanout); child > 0; --child) {
                const std::string name =
                    "n" + std::to_string(level) + "-" + std::to_string(count++);
                if (level == levels) {
                    builder.add_server(
                        parent, name, static_cast<std::uint32_t>(dice.roll(0, types - 1)));
                } else {
                    builder.add_node(parent, name);
                }
            }
        }
        above = count;
    }
    return std::make_shared<const core::Topology>(builder.build());
}

/// Random constraints on some levels, of every kind that the solvers support.
inline core::LevelConstraints random_constraints(Dice& dice, std::uint32_t levels, bool options) {
    core::LevelConstraints constraints(levels);
    for (std::uint32_t level = 1; level < levels; ++level) {
        if (dice.chance(40)) {
            continue;
        }
        core::LevelConstraint constraint;
        constraint.affinity = dice.chance(50) ? core::Affinity::pack : core::Affinity::spread;
        constraint.hard = dice.chance(40);
        if (options && dice.chance(30)) {
            const core::Members min = dice.roll(1, 3);
            constraint.range = {min, min + dice.roll(0, 3)};
        }
        if (options && dice.chance(25)) {
            constraint.partitions = static_cast<std::uint32_t>(dice.roll(1, 3));
        }
        if (options && dice.chance(20)) {
            constraint.factor = dice.roll(1, 3);
        }
        constraints.set(core::Level{level}, constraint);
    }
    return constraints;
}

}  // namespace berth::tests
