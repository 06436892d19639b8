#pragma once

#include <ostream>

#include "core/topology.hpp"

namespace berth::topologies {

/// Writes the resource providers of a cluster, those of core::for_each_provider(), as the JSON that
/// `berth candidates` reads, one a line.
void write_providers(std::ostream& out, const core::Topology& topology);

}  // namespace berth::topologies
