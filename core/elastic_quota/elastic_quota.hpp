#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/elastic_quota/quota_names.hpp"
#include "core/tree/resources.hpp"

namespace berth::core {

/// An ElasticQuota object as it was written, with typed fields. Nothing is checked here: QuotaRules
/// does that.
///
/// Source: `scheduling.sigs.k8s.io/v1alpha1`; labels and annotations of Koordinator.
struct ElasticQuota {
    std::string name;
    std::string object_namespace;  ///< The object's namespace; quotas are known by name alone.
    std::string parent;            ///< Empty if not stated: the root.
    bool is_parent = false;
    bool allow_lent_resource = true;
    bool allow_force_update = false;  ///< The quota is exempt from the rules about sums of min.
    /// The quota is the root of its own tree, with `total_resource` to share.
    bool is_root = false;
    bool ignore_default_tree = false;
    std::string tree_id;  ///< Empty: the default tree.
    Quantities min;
    Quantities max;
    Quantities used;  ///< The use that the object's status states.
    std::optional<Quantities> shared_weight;
    std::optional<Quantities> total_resource;
    /// Pods of these namespaces belong to the quota without a label.
    std::vector<std::string> namespaces;
    std::vector<std::string> max_strict_check_resource_keys;

    /// Annotations that could not be read: what was found and what was expected. An update that
    /// changes nothing else is accepted in spite of them, so the rules report them in turn.
    std::string shared_weight_fault;
    std::string strict_keys_fault;

    /// The texts that an update compares.
    struct Written {
        std::string is_parent;
        std::string namespaces;
        std::map<std::string, std::string> min;
        std::map<std::string, std::string> max;
        friend bool operator==(const Written&, const Written&) = default;
    };
    Written written;
};

/// The name of the parent, or of the root if none is stated; "" for the root itself.
[[nodiscard]] std::string_view parent_of(const ElasticQuota& quota);

/// Whether an update from one to the other leaves everything unchanged that is checked: parent,
/// tree, is-parent, namespaces, min and max, to the letter.
[[nodiscard]] bool states_the_same(const ElasticQuota& a, const ElasticQuota& b);

/// Why a change is refused, in one line: what is wrong and what was expected. Nothing if the change
/// is allowed.
using Refusal = std::optional<std::string>;

/// The rules that look at one quota alone: no negative amounts, a shared-weight that can be read,
/// min at most max, and max at least what is used of the resources that are to be checked.
[[nodiscard]] Refusal check_alone(const ElasticQuota& quota);

/// What the rules need to know of a pod.
struct LabelledPod {
    std::string name;
    std::string pod_namespace;
    std::string quota;        ///< The value of the quota label; empty without one.
    std::string preemptible;  ///< The value of the preemptible label; empty without one.
};

}  // namespace berth::core
