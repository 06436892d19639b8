#pragma once

#include <ostream>

#include "core/topology.hpp"

namespace berth::topologies {

/// Writes a Device object (YAML, scheduling.koordinator.sh/v1alpha1) for each server that has
/// devices of a kind that such objects know, as core::device_object_view() has them.
///
/// Order: that of the servers.
/// Cost:  O(servers x devices); the text of a machine type is made once.
void write_devices(std::ostream& out, const core::Topology& topology);

/// Writes what a server of each machine type has for the group allocator: a YAML map from types to
/// the names and amounts of core::group_key_view(), in byte order.
void write_group_keys(std::ostream& out, const core::Topology& topology);

}  // namespace berth::topologies
