#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/elastic_quota/resource_list.hpp"
#include "core/elastic_quota/water_filling.hpp"
#include "core/support/violation.hpp"
#include "core/tree/ids.hpp"

namespace berth::core {

/// A quota of a tree. Quotas are numbered in the order of addition, and a number is never used
/// again.
using QuotaId = Id<struct QuotaTag>;

/// A quota in the amounts of a resource schema. (core/elastic_quota/elastic_quota.hpp has the
/// object as people write it.)
struct QuotaSpec {
    std::string name;
    std::string parent;  ///< Empty: the root of its tree.
    std::string tree_id;
    bool is_parent = false;
    bool allow_lent_resource = true;
    ResourceList min;
    ResourceList max;
    ResourceList shared_weight;  ///< If it is empty or all 0, max serves as the weight.
    /// The total of a tree, stated by its first-level quota; never in the default tree.
    std::optional<ResourceList> total_resource;
    /// `total_resource` is not taken out of the default tree's total.
    bool ignore_default_tree = false;
};

/// Trees of elastic quotas, side by side: how much each quota asks for, how much it uses, and its
/// runtime, which is how much it may use now.
///
/// Shape:  every tree has an inner root, which has only the tree's total; the default tree also has
///         the groups `system` and `default`, whose use is taken from the total and which take no
///         part in sharing. Amounts are per resource of one schema.
/// Cost:   a change of a request or of use is O(depth). It marks the families (a parent's children)
///         whose sharing it can change. A family that is marked, or whose parent's runtime changed,
///         is shared anew when one of its runtimes is read: O(siblings). A change that leaves a
///         sibling asking for more than it gets marks nothing.
/// Order:  siblings are ordered by name, bytewise; the order of additions never matters.
/// Source: Koordinator's "Multi Hierarchy Elastic Quota Management" v1.1; its program at a7a1b76b
///         (`pkg/scheduler/plugins/elasticquota/core`).
/// Limits: guarantee mode (gate ElasticQuotaGuaranteeUsage) is left out: with it no quota lends.
class QuotaTrees {
public:
    static constexpr QuotaId default_root{0};
    static constexpr QuotaId system_quota{1};
    static constexpr QuotaId default_quota{2};

    /// `scale_min`: if the sum of the siblings' mins exceeds what their parent has, all of them
    /// shrink in proportion (enableMinQuotaScale).
    explicit QuotaTrees(std::size_t resource_count, bool scale_min = true);

    /// Makes trees share a resource in pieces of `unit`, such as 1000 for GPUs that are counted in
    /// thousandths. A tree stops doing so once a pod in it asks for a part of a piece, or a quota
    /// has such a part in its min or max. Call it before quotas are added.
    void share_whole(std::size_t resource, Amount unit);

    /// Adds a quota. Its parent must exist.
    QuotaId add(const QuotaSpec& spec);
    /// Gives a quota another spec, and another parent if the spec says so, but never another name
    /// or tree.
    /// Cost: O(depth + siblings).
    void update(QuotaId quota, const QuotaSpec& spec);
    /// Removes a quota that has no children. What its own pods ask for and use is removed with it.
    void remove(QuotaId quota);
    /// Sets the most that the system or the default group may use. Without it they have no limit.
    void set_special_max(QuotaId special, const ResourceList& max);

    [[nodiscard]] std::optional<QuotaId> find(std::string_view name) const;
    /// The number of all quotas, including removed ones: their ids are 0 .. count - 1.
    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(quotas_.size()); }
    [[nodiscard]] bool exists(QuotaId quota) const { return at(quota).exists; }
    [[nodiscard]] std::size_t resource_count() const { return resource_count_; }
    [[nodiscard]] const QuotaSpec& spec(QuotaId quota) const { return at(quota).spec; }
    [[nodiscard]] const std::string& name(QuotaId quota) const { return at(quota).spec.name; }
    /// The parent; for a root, the root itself.
    [[nodiscard]] QuotaId parent(QuotaId quota) const { return at(quota).parent; }
    [[nodiscard]] bool is_root(QuotaId quota) const { return at(quota).parent == quota; }
    [[nodiscard]] bool is_special(QuotaId quota) const {
        return quota == system_quota || quota == default_quota;
    }
    /// Whether what the quota's own pods ask for and use counts in a resource. It counts in the
    /// resources of its max, and in all resources for a special group without a max.
    [[nodiscard]] bool counts(QuotaId quota, std::size_t resource) const;
    /// The children, by name.
    [[nodiscard]] const std::vector<QuotaId>& children(QuotaId quota) const {
        return at(quota).children;
    }
    /// The roots: first that of the default tree, then the others by tree id.
    [[nodiscard]] std::vector<QuotaId> roots() const;

    /// Sets what the nodes have to allocate. A first total that is 0 in every resource does not
    /// count as known yet: no min is scaled down for it. Any later total is known.
    void set_cluster_total(const ResourceList& total);
    /// What a tree has to distribute: its part of the cluster, less what the special groups use. It
    /// may be negative. An absent resource is not known.
    [[nodiscard]] ResourceList total(QuotaId root) const;

    /// Adds `pods` times `amounts` to what a quota's own pods ask for, whether they wait or run;
    /// takes it away if `pods` is negative.
    void add_request(QuotaId quota, std::span<const Amount> amounts, Members pods);
    /// Does the same for what its own running pods use.
    void add_used(QuotaId quota, std::span<const Amount> amounts, Members pods, bool preemptible);

    /// What the quota's own pods and its children ask for, where each child counts up to its max.
    [[nodiscard]] Amount child_request(QuotaId quota, std::size_t resource) const {
        return at(quota).child_request[resource];
    }
    /// The same, but at least min if the quota does not lend.
    [[nodiscard]] Amount request(QuotaId quota, std::size_t resource) const {
        return request_of(at(quota), resource);
    }
    /// The same, but at most max: what the quota asks its parent for.
    [[nodiscard]] Amount limited_request(QuotaId quota, std::size_t resource) const {
        return at(quota).limited_request[resource];
    }
    /// What the quota's own pods and its children use.
    [[nodiscard]] Amount used(QuotaId quota, std::size_t resource) const {
        return at(quota).used[resource];
    }
    [[nodiscard]] Amount non_preemptible_used(QuotaId quota, std::size_t resource) const {
        return at(quota).fixed[resource];
    }
    [[nodiscard]] Amount weight(QuotaId quota, std::size_t resource) const;

    /// The min in force.
    [[nodiscard]] Amount scaled_min(QuotaId quota, std::size_t resource);
    /// How much the quota may use now; nothing if it has no limit: in a resource that its parent's
    /// max lacks, for a special group, and for a root whose total is not known.
    /// Cost: O(depth) if nothing on the way to the root changed, else O(siblings) for each family
    ///       that did.
    [[nodiscard]] std::optional<Amount> runtime(QuotaId quota, std::size_t resource);

    /// Brings all runtimes up to date.
    /// Cost: O(parents), and O(siblings) for each family that changed.
    void refresh();
    /// Brings all runtimes up to date and sets, for each quota, whether it uses more than its
    /// runtime.
    /// Cost: that of refresh(), and O(quotas x resources).
    void find_over_use(std::vector<bool>& over);
    /// The result of runtime(), in O(1). Nothing may have changed since refresh().
    [[nodiscard]] std::optional<Amount> refreshed_runtime(QuotaId quota,
                                                          std::size_t resource) const;

    /// What the own pods of one quota ask for and use, by resource.
    struct OfPods {
        std::vector<Amount> request;
        std::vector<Amount> used;
        std::vector<Amount> non_preemptible;
    };
    /// Compares what is recorded of each quota's own pods with `pods` (by quota), every sum with
    /// its parts, and every runtime with that of trees that are built anew.
    /// Cost: O(quotas x resources), several times.
    [[nodiscard]] std::optional<Violation> find_violation(std::span<const OfPods> pods) const;

    /// A number that grows whenever the runtime or the use of some quota may have changed.
    [[nodiscard]] std::uint64_t changes() const { return changes_; }
    /// How many families were shared anew so far, and how many siblings were looked at for that.
    [[nodiscard]] std::uint64_t sharings() const { return sharings_; }
    [[nodiscard]] std::uint64_t visits() const { return filling_.visits(); }

private:
    __extension__ using Wide = __int128;
    /// A parent's children in one resource, as they last shared it.
    struct Sharing {
        std::vector<Share> shares;  ///< The shares, in the order of the children.
        /// The min of each child before scaling, in the same order.
        std::vector<Amount> declared_min;
        Wide declared_min_sum = 0;
        Amount unit = 1;              ///< Each runtime is a multiple of this.
        std::optional<Amount> total;  ///< The total that was shared.
        bool stale = true;
    };
    struct Quota {
        QuotaSpec spec;
        QuotaId parent;
        std::uint32_t position = 0;  ///< The position among its siblings.
        bool exists = true;
        std::vector<QuotaId> children;  ///< The children, by name, without the special groups.
        std::vector<QuotaId> inner_children;  ///< The children that have children, once settled.
        bool unsettled = false;               ///< The sharings are out of date for these children.
        std::vector<Sharing> sharings;  ///< For each resource, the sharing among the children.
        std::vector<Amount> own_request;
        std::vector<Amount> own_used;
        std::vector<Amount> own_fixed;  ///< The use by pods that cannot be preempted.
        std::vector<Amount> child_request;
        std::vector<Amount> limited_request;
        std::vector<Amount> used;
        std::vector<Amount> fixed;
    };
    struct Root {
        QuotaId quota;
        std::vector<std::uint32_t> limited_by;  ///< For each resource, how many quotas' max has it.
        std::uint64_t keys = 0;                 ///< The resources that some max has, one bit each.
        ResourceList total;
        /// The size of a piece of each resource; 1: amounts are shared.
        std::vector<Amount> units;
        bool ignore_default_tree = false;
    };

    [[nodiscard]] const Quota& at(QuotaId quota) const { return quotas_[quota.index]; }
    [[nodiscard]] Quota& at(QuotaId quota) { return quotas_[quota.index]; }
    QuotaId add_root(const std::string& tree_id);
    QuotaId new_quota(const QuotaSpec& spec);
    [[nodiscard]] Root& root_of(QuotaId quota) { return roots_.at(at(quota).spec.tree_id); }
    [[nodiscard]] const Root& root_of(QuotaId quota) const {
        return roots_.at(at(quota).spec.tree_id);
    }
    [[nodiscard]] std::uint64_t shared_keys(QuotaId parent) const;
    void count_keys(const QuotaSpec& spec, bool added);
    void attach(QuotaId quota);
    void detach(QuotaId quota);
    void count_own(QuotaId quota, Amount sign);
    void update_tree_total(const QuotaSpec& spec, bool exists);
    void update_default_total();
    [[nodiscard]] static Amount request_of(const Quota& quota, std::size_t resource) {
        const Amount asked = quota.child_request[resource];
        return quota.spec.allow_lent_resource ? asked : std::max(asked, quota.spec.min[resource]);
    }
    [[nodiscard]] static Amount limited(const Quota& quota, std::size_t resource) {
        const Amount asked = request_of(quota, resource);
        return quota.spec.max.has(resource) ? std::min(asked, quota.spec.max[resource]) : asked;
    }
    void see_parts(QuotaId quota, std::size_t resource, Amount amount);
    void settle(Quota& parent);
    void add_child_request(QuotaId quota, std::size_t resource, Amount amount);
    void add_to_used(QuotaId quota, std::size_t resource, Amount amount, Amount fixed);
    [[nodiscard]] std::optional<Amount> total_of(QuotaId root, std::size_t resource) const;
    [[nodiscard]] Sharing& brought_up_to_date(Quota& family,
                                              std::size_t resource,
                                              std::optional<Amount> total);
    [[nodiscard]] std::optional<Amount> handed_down(QuotaId child,
                                                    const Sharing& sharing,
                                                    std::size_t resource) const;
    void refresh_below(QuotaId parent, std::size_t resource, std::optional<Amount> total);
    [[nodiscard]] Sharing& current(QuotaId parent, std::size_t resource);
    [[nodiscard]] std::optional<Violation> find_wrong_pods(std::span<const OfPods> pods) const;
    [[nodiscard]] std::optional<Violation> find_wrong_sum() const;
    [[nodiscard]] std::optional<Violation> find_wrong_runtime() const;
    [[nodiscard]] std::optional<Violation> find_excess(QuotaId parent, std::size_t resource);
    [[nodiscard]] QuotaTrees built_anew() const;
    void scale(Sharing& sharing, std::optional<Amount> total) const;

    std::size_t resource_count_;
    bool scale_min_;
    std::vector<Amount> units_;  ///< The units that share_whole() was given, by resource.
    std::vector<Quota> quotas_;
    std::map<std::string, QuotaId, std::less<>> by_name_;
    std::map<std::string, Root> roots_;  ///< The roots, by tree id.
    ResourceList cluster_total_;
    bool cluster_total_set_ = false;
    bool total_known_ = false;
    WaterFilling filling_;
    std::uint64_t changes_ = 0;
    std::uint64_t sharings_ = 0;
    std::vector<QuotaId> path_;
};

}  // namespace berth::core
