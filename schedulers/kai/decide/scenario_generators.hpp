#pragma once

#include <functional>

#include "schedulers/kai/decide/scenario_states.hpp"

namespace berth::core::kai {

/// Is given one scenario after the other, until it returns true.
using TryScenario = std::function<bool(const Scenario&)>;

/// For each state, all victims of the jobs on one node, node by node.
bool try_node_by_node(const Session& session, ScenarioStates& states, const TryScenario& try_one);

/// For each state, the victims on the fewest and emptiest nodes, and then on more of them.
/// `feasible`: the nodes that may have room without victims.
bool try_several_nodes(const Session& session,
                       ScenarioStates& states,
                       const NodeSet& feasible,
                       const TryScenario& try_one);

}  // namespace berth::core::kai
