#pragma once

#include "core/group_allocator/group_amounts.hpp"
#include "core/tree/topology.hpp"

namespace berth::core {

/// A machine type as the group allocator sees it: the resources that a server of the type has to
/// give.
///
///   resource/group/gpugrp1/numa0/gpugrp0/nvlink0/gpu/3/cards: 1
///   resource/group/gpugrp1/numa0/gpugrp0/nvlink0/gpu/3/memory: 85899345920   (bytes, if known)
///   resource/group/gpugrp1/numa1/rdma/0/cards: 1
///   resource/group/gpugrp1/numa1/rdma/0/vfs: 8                               (if any)
///
/// A GPU's `gpugrp0` is the tightest known group around it: its NVLink island (`nvlink0`), else its
/// PCIe switch (`pcie0`), else its NUMA node (`numa0`), else the GPU itself (`single0`). Its
/// `gpugrp1` is its NUMA node, or `machine` if that is not known. If none of the three is known,
/// GPUs are flat, `resource/group/gpu/3/cards`. Islands, switches and GPUs are numbered throughout
/// the machine.
///
/// An NVLink island that spans several NUMA nodes joins them into one `gpugrp1`, `numa0-1`, that
/// contains it; the names then do not tell which of its devices are on which NUMA node.
///
/// Other devices are in the `gpugrp1` of their NUMA node, or flat if that is not known: a request
/// for a GPU and a NIC in one `gpugrp1` gets both from one NUMA node.
///
/// Source: Mehrotra, "Group Allocator", section IV, where `gpugrp0` is the fast interconnect and
///         `gpugrp1` the slower one.
/// Limits: models are not in the names, and neither are the switches of GPUs on islands and of
///         other devices. A `/` in a kind becomes a `.`.
[[nodiscard]] GroupAmounts group_key_view(const MachineType& type);

}  // namespace berth::core
