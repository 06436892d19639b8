#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "schedulers/kube/decide/objects.hpp"
#include "schedulers/kube/decide/verdict.hpp"

// Changes of a pod or a node that may let the pod be placed.

namespace berth::core::kube {

/// What a change concerns. The order is that in which changes are tried: what lets the pod onto
/// more nodes as it is comes first, then what it wants less of, then what a node changes.
enum class ChangedField : std::uint8_t {
    tolerations,
    max_skew,
    when_unsatisfiable,
    anti_affinity,
    affinity,
    node_selector,
    node_affinity,
    host_ports,
    claims,
    requests,
    unschedulable,
};

/// One operation of a JSON Patch (RFC 6902) on an object as Kubernetes writes it.
struct PatchStep {
    struct EmptyList {};
    std::string operation;  ///< It is add, remove, replace or move.
    std::string path;
    /// Labels stand for a map of texts.
    std::variant<std::monostate, bool, std::int64_t, std::string, Labels, EmptyList> value;
    std::string from;  ///< It is the path from which `move` takes the value.
};

/// A key as a part of the path of a step.
[[nodiscard]] std::string in_path(const std::string& key);

struct ChangedNode {
    std::size_t position = 0;
    Node node;
};

/// A change that may help.
struct Candidate {
    ChangedField field = ChangedField::tolerations;
    /// How many things are changed: two for tolerations of two taints.
    std::size_t parts = 1;
    Pod pod;  ///< It is the pod as changed.
    std::optional<ChangedNode> node = std::nullopt;
    /// What to do, as a sentence without its capital and its full stop.
    std::string text = {};
    /// Labels that the pod no longer selects. A node that gets them helps as well.
    Labels labels = {};
    std::vector<PatchStep> pod_steps = {};
    std::vector<PatchStep> node_steps = {};
    std::vector<std::size_t> among = {};  ///< It may help at these nodes.
};

/// A node that a filter rejected for a pod.
struct Rejection {
    std::size_t node = 0;
    Verdict verdict;
};

/// Texts as in a sentence: `a`, `a and b`, `a, b and c`.
[[nodiscard]] std::string enumerate(const std::vector<std::string>& texts);

}  // namespace berth::core::kube
