#pragma once

#include <ostream>

#include "core/tree/topology.hpp"

namespace berth::topologies {

/// Writes the tree for Graphviz: each node with its `label`, `level` and, for a server, `type`.
void write_dot(std::ostream& out, const core::Topology& topology);

/// Writes the tree as GraphML, which read_graphml() reads back: each node with its `name` and
/// `level`, and each server with its `type` and an attribute with a Kubernetes quantity for each
/// resource. Limits: GraphML has no place for a machine's devices; write_json() keeps them.
void write_graphml(std::ostream& out, const core::Topology& topology);

/// Writes the tree as a `kind: Topology` that lists its nodes, one on each line. read_topology()
/// reads it back as the same tree. Nodes have an `id` only if names repeat.
void write_json(std::ostream& out, const core::Topology& topology);

/// Writes the resource providers of a cluster, as core::for_each_provider() lists them, as the JSON
/// that `berth candidates` reads, one on each line.
void write_providers(std::ostream& out, const core::Topology& topology);

/// Writes a Device object (YAML, scheduling.koordinator.sh/v1alpha1) for each server that has
/// devices of a kind that such objects support, as core::device_object_view() describes them.
///
/// Order: the order of the servers.
/// Cost:  O(servers x devices); the text for a machine type is made once.
void write_devices(std::ostream& out, const core::Topology& topology);

/// Writes what a server of each machine type offers to the group allocator: a YAML map from types
/// to the names and amounts of core::group_key_view(), in byte order.
void write_group_keys(std::ostream& out, const core::Topology& topology);

/// Writes an indented summary for people: neighbours with equal contents share a line, and the
/// first of them stands for all in the lines below it. Contents are equal if they have the same
/// number of children of each kind, in whatever order.
///
/// Shape: about a hundred lines at most, however large the tree is; what is left out is counted.
/// Cost:  O(nodes log nodes).
void write_text(std::ostream& out, const core::Topology& topology);

}  // namespace berth::topologies
