#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/elastic_quota/elastic_quota.hpp"

namespace berth::core {

/// The known quotas and pods, and the rules that keep them a tree in which every min can be
/// granted. A refused change has no effect.
///
/// Cost:   O(log n), and the keys of the quota; a changed quota also looks at its children, and a
///         quota that moves also climbs to the root. The sums of min are kept for each parent.
/// Source: Koordinator's "Multi Hierarchy Elastic Quota Management" v1.1, "Configuration Limit";
///         order and detail from its program at a7a1b76b (`pkg/webhook/elasticquota`), with every
///         feature gate at its default. It lets a quota move below its own descendants; here that
///         is refused.
class QuotaRules {
public:
    QuotaRules() = default;
    /// The rules of Koordinator, by which a quota may become its own parent. Such a quota is cut
    /// off from the root, and no tree can be built with it.
    [[nodiscard]] static QuotaRules with_own_parents();

    /// Fills in what is not stated (the parent, the tree's id from the parent, missing weights from
    /// max), checks the quota, and adds it.
    [[nodiscard]] Refusal create(ElasticQuota quota);
    /// Replaces the quota of this name. A quota that states the same parent, tree, namespaces, min
    /// and max is accepted without checking the rest.
    [[nodiscard]] Refusal update(ElasticQuota quota);
    [[nodiscard]] Refusal remove(const std::string& name);

    [[nodiscard]] Refusal add_pod(const LabelledPod& pod);
    /// Only checks the change: the pod stays bound to the quota of add_pod().
    [[nodiscard]] Refusal update_pod(const LabelledPod& before, const LabelledPod& after) const;

    /// The quota that a pod belongs to: the one that its label names; else the one named like the
    /// pod's namespace, in that namespace; else the one with the namespace in its annotation. The
    /// default group if there is none or it is unknown.
    [[nodiscard]] std::string quota_of(const LabelledPod& pod) const;
    /// The same, without checking that such a quota exists; "" if no quota is named.
    [[nodiscard]] std::string named_quota_of(const LabelledPod& pod) const;

    /// The quota as it is in force; nullptr if it is unknown.
    [[nodiscard]] const ElasticQuota* find(std::string_view name) const;
    /// All quotas: parents before their children, siblings by name. Valid until the next change.
    [[nodiscard]] std::vector<const ElasticQuota*> parents_first() const;

private:
    struct Children {
        std::set<std::string, std::less<>> names;
        Quantities min_sum;
    };
    using Quotas = std::map<std::string, ElasticQuota, std::less<>>;

    [[nodiscard]] Refusal fill_in(ElasticQuota& quota) const;
    [[nodiscard]] Refusal check_namespaces(const ElasticQuota& quota) const;
    [[nodiscard]] Refusal check_place(const ElasticQuota* old, const ElasticQuota& quota) const;
    [[nodiscard]] Refusal check_role(const ElasticQuota& old, const ElasticQuota& quota) const;
    [[nodiscard]] Refusal check_tree(const ElasticQuota* old, const ElasticQuota& quota) const;
    [[nodiscard]] Refusal check_parent(const ElasticQuota* old, const ElasticQuota& quota) const;
    [[nodiscard]] Refusal check_keys(const ElasticQuota& quota) const;
    [[nodiscard]] Refusal check_min_sums(const ElasticQuota* old, const ElasticQuota& quota) const;
    [[nodiscard]] Refusal check_pod(const LabelledPod& pod) const;
    [[nodiscard]] bool is_below(std::string_view name, std::string_view ancestor) const;

    [[nodiscard]] const Children& children_of(std::string_view name) const;
    void attach(const ElasticQuota& quota);
    void detach(const ElasticQuota& quota);

    bool own_parents_ = false;
    Quotas quotas_;
    /// The children of each parent; only parents with children have an entry.
    std::map<std::string, Children, std::less<>> children_;
    std::map<std::string, std::string, std::less<>> quota_of_namespace_;
    std::map<std::string, std::vector<std::string>, std::less<>> pods_by_label_;
    std::set<std::string, std::less<>> namespaces_with_pods_;
};

}  // namespace berth::core
