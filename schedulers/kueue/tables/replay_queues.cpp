#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/support/interner.hpp"
#include "schedulers/kueue/decide/quota_tree.hpp"
#include "schedulers/kueue/tables/queues.hpp"
#include "schedulers/kueue/tables/shown_resources.hpp"

namespace berth::report {
namespace {

namespace kueue = core::kueue;

using Key = std::pair<QueueKind, std::string>;

/// An amount in Kueue's units: CPUs in thousandths, all else in whole numbers.
core::Amount kueue_amount(const std::string& resource, double amount) {
    constexpr double most = 4e18;
    return static_cast<core::Amount>(
        std::min(most, std::round(resource == "cpu" ? amount * 1000 : amount)));
}

double whole_units(const std::string& resource, core::Amount amount) {
    return amount == kueue::unlimited ? QuotaStep::not_stated
           : resource == "cpu"        ? static_cast<double>(amount) / 1000
                                      : static_cast<double>(amount);
}

/// An event at one instant.
struct Happening {
    double time_s = 0;
    enum class Kind : std::uint8_t { object, comes, takes, gives_back } kind{};
    std::size_t index = 0;  ///< Index into the objects or the stays.
    bool leaves = false;    ///< The job stops waiting: it got quota, or left without any.
};

class Replay {
public:
    Replay(const std::vector<QueueObject>& objects,
           const std::vector<QueueStay>& stays,
           std::optional<double> end_s)
        : objects_(objects), stays_(stays), resources_(objects, stays) {
        out_.quotas.resources = resources_.names();
        out_.quotas.replications = 1;
        out_.quotas.last_s = end_s.value_or(last_time());
        make_nodes();
    }

    Queues run() && {
        const std::vector<Happening> happenings = all_happenings();
        for (std::size_t i = 0; i < happenings.size();) {
            const double now = happenings[i].time_s;
            if (now > out_.quotas.last_s) {
                break;
            }
            bool changed = false;
            for (; i < happenings.size() && happenings[i].time_s == now; ++i) {
                changed = handle(happenings[i]) || changed;
            }
            if (changed) {
                build_tree();
            }
            note_all(now);
        }
        if (!tree_) {  // if no object exists by then, an empty tree is shown
            build_tree();
            note_all(out_.quotas.last_s);
        }
        for (const QueueStay& stay : stays_) {
            if (stay.is_preempted()) {
                out_.preempted.push_back(stay);
            }
        }
        std::ranges::stable_sort(out_.preempted, {}, [](const QueueStay& stay) {
            return stay.told_s.value_or(stay.until_s.value_or(0));
        });
        out_.quotas.samples = happenings.size();
        return std::move(out_);
    }

private:
    struct Node {
        /// Its current object; nullptr: it does not exist yet.
        const QueueObject* object = nullptr;
        std::optional<std::uint32_t> parent{};
        // Amounts by shown resource, in Kueue's units. Sums of whole numbers are exact, so rounding
        // never makes a queue seem to borrow.
        std::vector<core::Amount> used;
        std::vector<core::Amount> nominal;  ///< The nominal quota in and below the node.
        std::vector<std::optional<core::Amount>> most;  ///< The most that a ClusterQueue can use.
        std::vector<core::Amount> kept;  ///< The part of its quota that it does not lend.
        std::int64_t waiting = 0;
        kueue::FlavorResourceAmounts held{};  ///< The amounts that a ClusterQueue's jobs hold.
    };

    double last_time() const {
        double last = 0;
        for (const QueueStay& stay : stays_) {
            last =
                std::max({last, stay.queued_s, stay.from_s.value_or(0), stay.until_s.value_or(0)});
        }
        return last;
    }

    std::vector<Happening> all_happenings() const {
        using Kind = Happening::Kind;
        std::vector<Happening> all;
        for (std::size_t i = 0; i < objects_.size(); ++i) {
            all.push_back({objects_[i].time_s, Kind::object, i, false});
        }
        for (std::size_t i = 0; i < stays_.size(); ++i) {
            const QueueStay& stay = stays_[i];
            if (stay.waits()) {
                all.push_back({stay.queued_s, Kind::comes, i, false});
            }
            if (stay.from_s) {
                all.push_back({*stay.from_s, Kind::takes, i, stay.waits()});
            }
            if (stay.until_s) {
                all.push_back({*stay.until_s, Kind::gives_back, i, !stay.admitted_s});
            }
        }
        std::ranges::stable_sort(all, {}, &Happening::time_s);
        return all;
    }

    /// The ClusterQueues with several LocalQueues, which are then shown one by one.
    std::set<std::string> with_several_local_queues() const {
        std::map<std::string, std::set<std::string>> locals;
        for (const QueueObject& object : objects_) {
            if (object.kind == QueueKind::local_queue) {
                locals[object.parent].insert(object.name);
            }
        }
        std::set<std::string> several;
        for (const auto& [queue, names] : locals) {
            if (names.size() > 1) {
                several.insert(queue);
            }
        }
        return several;
    }

    /// Makes the nodes. The root is the only top-level Cohort, or else a node above all trees.
    void make_nodes() {
        std::set<Key> roots;
        for (const QueueObject& object : objects_) {
            if (object.parent.empty() && object.kind != QueueKind::local_queue) {
                roots.insert({object.kind, object.name});
            }
        }
        const bool has_one = roots.size() == 1 && roots.begin()->first == QueueKind::cohort;
        add_node(has_one ? *roots.begin() : Key{QueueKind::all, "all ClusterQueues"});
        const std::set<std::string> several = with_several_local_queues();
        // Cohorts come first, then ClusterQueues, then LocalQueues. Within each kind, names are
        // sorted.
        for (const QueueKind kind :
             {QueueKind::cohort, QueueKind::cluster_queue, QueueKind::local_queue}) {
            std::set<std::string> names;
            for (const QueueObject& object : objects_) {
                if (object.kind == kind &&
                    (kind != QueueKind::local_queue || several.contains(object.parent))) {
                    names.insert(object.name);
                }
            }
            for (const std::string& name : names) {
                add_node({kind, name});
            }
        }
    }

    void add_node(const Key& key) {
        if (!ids_.try_emplace(key, static_cast<std::uint32_t>(nodes_.size())).second) {
            return;
        }
        const std::size_t count = resources_.names().size();
        nodes_.push_back({.used = std::vector<core::Amount>(count),
                          .nominal = std::vector<core::Amount>(count),
                          .most = std::vector<std::optional<core::Amount>>(count),
                          .kept = std::vector<core::Amount>(count)});
        Quota quota{key.second, {}, {}};
        quota.steps.resize(count);
        out_.quotas.quotas.push_back(std::move(quota));
        out_.kinds.push_back(key.first);
        out_.stop_policies.emplace_back();
        out_.weights.emplace_back();
        out_.borrowing_limits.emplace_back(count);
        out_.lending_limits.emplace_back(count);
        out_.waiting.emplace_back();
        out_.shares.emplace_back();
    }

    std::optional<std::uint32_t> find(QueueKind kind, const std::string& name) const {
        const auto found = ids_.find({kind, name});
        return found == ids_.end() ? std::nullopt : std::optional(found->second);
    }

    /// Visits the nodes to which a stay counts: its LocalQueue if that is shown, its ClusterQueue,
    /// and every node above.
    template <class Visit>
    void each_above(const QueueStay& stay, const Visit& visit) {
        if (const auto local = find(QueueKind::local_queue, stay.local_queue)) {
            visit(*local);
        }
        std::optional<std::uint32_t> at = find(QueueKind::cluster_queue, stay.cluster_queue);
        for (; at; at = nodes_[*at].parent) {
            visit(*at);
        }
    }

    /// Returns whether the tree has changed.
    bool handle(const Happening& happening) {
        using Kind = Happening::Kind;
        if (happening.kind == Kind::object) {
            const QueueObject& object = objects_[happening.index];
            if (const auto node = find(object.kind, object.name)) {
                nodes_[*node].object = &object;
            }
            return true;
        }
        const QueueStay& stay = stays_[happening.index];
        each_above(stay, [&](std::uint32_t node) {
            nodes_[node].waiting += happening.kind == Kind::comes ? 1 : happening.leaves ? -1 : 0;
            touched_.insert(node);
        });
        if (stay.from_s && happening.kind != Kind::comes) {
            hold(stay, happening.kind == Kind::takes);
        }
        return false;
    }

    void hold(const QueueStay& stay, bool takes) {
        kueue::FlavorResourceAmounts amounts;
        for (const QueueStay::Held& one : stay.amounts) {
            const core::Amount amount = kueue_amount(one.resource, one.amount);
            resources_.each(one.flavor, one.resource, [&](std::size_t r) {
                each_above(stay, [&](std::uint32_t node) {
                    nodes_[node].used[r] += takes ? amount : -amount;
                });
            });
            kueue::add_to(amounts, what(one.flavor, one.resource), amount);
        }
        const std::uint32_t queue = *find(QueueKind::cluster_queue, stay.cluster_queue);
        for (const auto& [each, amount] : amounts) {
            kueue::add_to(nodes_[queue].held, each, takes ? amount : -amount);
        }
        if (!tree_) {
            return;
        }
        if (takes) {
            tree_->add_usage(kueue::QuotaNode{queue}, amounts);
        } else {
            tree_->remove_usage(kueue::QuotaNode{queue}, amounts);
        }
    }

    kueue::FlavorResource what(const std::string& flavor, const std::string& resource) {
        return {kueue::FlavorId{flavors_.number(flavor)},
                kueue::ResourceId{kinds_.number(resource)}};
    }

    /// The parent of a node; nothing if it has none, or if it is its own ancestor and so has no
    /// root.
    std::optional<std::uint32_t> parent_of(std::uint32_t node) const {
        const auto above = [&](std::uint32_t at) -> std::optional<std::uint32_t> {
            const QueueObject* object = nodes_[at].object;
            if (object == nullptr || object->parent.empty()) {
                return std::nullopt;
            }
            return find(object->kind == QueueKind::local_queue ? QueueKind::cluster_queue
                                                               : QueueKind::cohort,
                        object->parent);
        };
        const std::optional<std::uint32_t> parent = above(node);
        std::size_t steps = 0;
        for (auto at = parent; at; at = above(*at)) {
            if (*at == node || ++steps > nodes_.size()) {
                return std::nullopt;
            }
        }
        return parent;
    }

    /// Rebuilds the tree after objects came or changed, and adds to it the amounts that are held.
    void build_tree() {
        std::vector<kueue::QuotaNodeSpec> specs(nodes_.size());
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            Node& node = nodes_[i];
            const auto parent = parent_of(i);
            kueue::QuotaNodeSpec& spec = specs[i];
            spec.name = out_.quotas.quotas[i].name;
            spec.is_queue = out_.kinds[i] == QueueKind::cluster_queue;
            if (parent && out_.kinds[i] != QueueKind::local_queue) {
                spec.parent = kueue::QuotaNode{*parent};
            }
            node.parent = parent || i == 0 ? parent : std::optional(std::uint32_t{0});
            std::ranges::fill(node.nominal, 0);
            std::ranges::fill(node.kept, 0);
            if (node.object == nullptr) {
                continue;
            }
            spec.weight = node.object->weight.value_or(1);
            for (const QueueObject::Limits& one : node.object->limits) {
                spec.quotas[what(one.flavor, one.resource)] = quota_of(one);
            }
        }
        tree_.emplace(std::move(specs));
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            if (out_.kinds[i] == QueueKind::cluster_queue) {
                tree_->add_usage(kueue::QuotaNode{i}, nodes_[i].held);
            }
        }
        sum_up();
    }

    static kueue::Quota quota_of(const QueueObject::Limits& limits) {
        const auto limit = [&](const std::optional<double>& amount) {
            return amount ? std::optional(kueue_amount(limits.resource, *amount)) : std::nullopt;
        };
        return {kueue_amount(limits.resource, limits.nominal),
                limit(limits.borrowing),
                limit(limits.lending)};
    }

    /// Recomputes the quota, the use and the waiting jobs in and below each node, since parents may
    /// have changed.
    void sum_up() {
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            touched_.insert(i);
            std::optional<std::uint32_t>& parent = nodes_[i].parent;
            std::vector<QuotaParent>& parents = out_.quotas.quotas[i].parents;
            const std::uint32_t above = parent.value_or(no_quota);
            if (parents.empty() || parents.back().parent != above) {
                moves_.push_back({i, above});
            }
            if (out_.kinds[i] == QueueKind::cohort || out_.kinds[i] == QueueKind::all) {
                std::ranges::fill(nodes_[i].used, 0);
                nodes_[i].waiting = 0;
            }
        }
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            add_quota(i);
            if (out_.kinds[i] != QueueKind::cluster_queue) {
                continue;
            }
            for (auto at = nodes_[i].parent; at; at = nodes_[*at].parent) {
                nodes_[*at].waiting += nodes_[i].waiting;
                for (std::size_t r = 0; r < nodes_[i].used.size(); ++r) {
                    nodes_[*at].used[r] += nodes_[i].used[r];
                }
            }
        }
    }

    void add_quota(std::uint32_t i) {
        Node& node = nodes_[i];
        std::ranges::fill(node.most, std::nullopt);
        if (node.object == nullptr) {
            return;
        }
        out_.weights[i] = node.object->weight;
        out_.stop_policies[i] = node.object->stop_policy;
        out_.borrowing_limits[i] = limits_of(*node.object, &QueueObject::Limits::borrowing);
        out_.lending_limits[i] = limits_of(*node.object, &QueueObject::Limits::lending);
        for (const QueueObject::Limits& one : node.object->limits) {
            const core::Amount most =
                tree_->potential(kueue::QuotaNode{i}, what(one.flavor, one.resource));
            const kueue::Quota quota = quota_of(one);
            const core::Amount lent = quota.lending_limit.value_or(quota.nominal);
            resources_.each(one.flavor, one.resource, [&](std::size_t r) {
                for (std::optional<std::uint32_t> at = i; at; at = nodes_[*at].parent) {
                    nodes_[*at].nominal[r] += quota.nominal;
                }
                node.kept[r] += std::max<core::Amount>(0, quota.nominal - lent);
                if (out_.kinds[i] == QueueKind::cluster_queue) {
                    node.most[r] = kueue::plus(node.most[r].value_or(0), most);
                }
            });
        }
    }

    /// The limits by shown resource. A resource has a limit over all flavors only if each of them
    /// has one.
    [[nodiscard]] std::vector<std::optional<double>> limits_of(
        const QueueObject& object, std::optional<double> QueueObject::Limits::* limit) const {
        std::vector<std::optional<double>> sums(resources_.names().size());
        std::set<std::size_t> without;
        for (const QueueObject::Limits& one : object.limits) {
            resources_.each(one.flavor, one.resource, [&](std::size_t r) {
                if (one.*limit) {
                    sums[r] = sums[r].value_or(0) + *(one.*limit);
                } else {
                    without.insert(r);
                }
            });
        }
        for (const std::size_t r : without) {
            sums[r].reset();
        }
        return sums;
    }

    /// Records all values that have changed by the end of an instant.
    void note_all(double now) {
        for (const auto& [node, parent] : std::exchange(moves_, {})) {
            out_.quotas.quotas[node].parents.push_back({now, parent});
        }
        for (const std::uint32_t i : std::exchange(touched_, {})) {
            const Node& node = nodes_[i];
            for (std::size_t r = 0; r < node.used.size(); ++r) {
                note_step(i, r, now);
            }
            note_value(out_.waiting[i], now, static_cast<double>(node.waiting));
            note_share(i, now);
        }
    }

    void note_step(std::uint32_t i, std::size_t r, double now) {
        const Node& node = nodes_[i];
        const bool has_quota = out_.kinds[i] != QueueKind::local_queue &&
                               (node.nominal[r] > 0 || node.object != nullptr);
        const bool is_cohort =
            out_.kinds[i] == QueueKind::cohort || out_.kinds[i] == QueueKind::all;
        const auto shown = [&](std::optional<core::Amount> amount) {
            return amount ? whole_units(resources_.resource(r), *amount) : QuotaStep::not_stated;
        };
        QuotaStep step;
        step.time_s = now;
        step.used = shown(node.used[r]);
        step.min = has_quota ? shown(node.nominal[r]) : QuotaStep::not_stated;
        step.max = shown(node.most[r]);
        step.runtime =
            is_cohort ? shown(std::max(node.used[r], node.nominal[r])) : QuotaStep::not_stated;
        step.request = shown(std::max(node.used[r], node.kept[r]));
        std::vector<QuotaStep>& steps = out_.quotas.quotas[i].steps[r];
        const auto same = [](double a, double b) {
            return a == b || (std::isnan(a) && std::isnan(b));
        };
        if (steps.empty() || steps.back().used != step.used || !same(steps.back().min, step.min) ||
            !same(steps.back().max, step.max) || steps.back().request != step.request) {
            steps.push_back(step);
        }
    }

    static void note_value(std::vector<ValueStep>& steps, double now, double value) {
        if (steps.empty() || steps.back().value != value) {
            steps.push_back({now, value});
        }
    }

    void note_share(std::uint32_t i, double now) {
        const QueueObject* object = nodes_[i].object;
        if (!tree_ || object == nullptr || !object->weight ||
            object->kind == QueueKind::local_queue || !nodes_[i].parent) {
            return;
        }
        constexpr double thousandths = 1000;
        const kueue::DominantShare share = tree_->share(kueue::QuotaNode{i});
        note_value(out_.shares[i],
                   now,
                   share.is_infinite() ? std::numeric_limits<double>::infinity()
                   : share.ratio == 0  ? 0
                                       : share.ratio / share.weight / thousandths);
    }

    const std::vector<QueueObject>& objects_;
    const std::vector<QueueStay>& stays_;
    ShownResources resources_;
    std::map<Key, std::uint32_t> ids_;
    std::vector<Node> nodes_;  ///< The nodes, by quota.
    std::optional<kueue::QuotaTree> tree_;
    core::Interner<std::string> flavors_;
    core::Interner<std::string> kinds_;
    std::set<std::uint32_t> touched_;
    /// Nodes that get another parent at this instant, with the new parent.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> moves_;
    Queues out_;
};

}  // namespace

Queues replay_queues(const std::vector<QueueObject>& objects,
                     const std::vector<QueueStay>& stays,
                     std::optional<double> end_s) {
    return Replay(objects, stays, end_s).run();
}

}  // namespace berth::report
