#include <algorithm>
#include <iterator>

#include "schedulers/kai/decide/job.hpp"

// Which pods of a job are placed or evicted next.

namespace berth::core::kai {

/// Chooses among a job's pods, leaf by leaf.
class PodSelection {
public:
    PodSelection(const Job& job, const std::vector<Pod>& pods) : job_(job), pods_(pods) {}

    /// Whether one member is served before another one.
    [[nodiscard]] bool is_before(GroupIndex a, GroupIndex b) const {
        const std::int64_t needs_a = job_.needed(a);
        const std::int64_t needs_b = job_.needed(b);
        const std::int64_t has_a = job_.active_members(a, pods_);
        const std::int64_t has_b = job_.active_members(b, pods_);
        const bool satisfied_a = has_a >= needs_a;
        const bool satisfied_b = has_b >= needs_b;
        if (satisfied_a != satisfied_b) {
            return !satisfied_a;
        }
        if (satisfied_a && (needs_a == 0) != (needs_b == 0)) {
            return needs_b == 0;
        }
        if (satisfied_a) {
            const double part_a = part(has_a, needs_a);
            const double part_b = part(has_b, needs_b);
            if (part_a != part_b) {
                return part_a < part_b;
            }
        }
        return job_.group(a).name < job_.group(b).name;
    }

    [[nodiscard]] std::vector<PodIndex> to_place(GroupIndex group, bool is_real) const {
        if (job_.group(group).is_leaf) {
            return of_leaf_to_place(group, is_real);
        }
        const std::vector<GroupIndex> members = job_.ordered_members(group, pods_);
        const bool is_satisfied = job_.is_satisfied(group, pods_);
        const std::size_t most =
            is_satisfied ? members.size()
                         : std::min(members.size(), static_cast<std::size_t>(job_.needed(group)));
        std::vector<PodIndex> all;
        for (std::size_t i = 0; i < most; ++i) {
            if (!is_satisfied && job_.is_satisfied(members[i], pods_)) {
                continue;
            }
            const std::vector<PodIndex> some = to_place(members[i], is_real);
            all.insert(all.end(), some.begin(), some.end());
            if (is_satisfied && !all.empty()) {
                break;
            }
        }
        return all;
    }

    /// The last pods above what is needed, or nothing if there are none.
    [[nodiscard]] std::vector<PodIndex> surplus(GroupIndex group) const {
        if (job_.group(group).is_leaf) {
            return job_.active_members(group, pods_) > job_.needed(group)
                       ? of_leaf_to_evict(group, 1)
                       : std::vector<PodIndex>{};
        }
        const std::int64_t satisfied = job_.active_members(group, pods_);
        if (satisfied == 0) {
            return {};
        }
        std::vector<GroupIndex> members = job_.ordered_members(group, pods_);
        std::ranges::reverse(members);
        for (const GroupIndex member : members) {
            if (std::vector<PodIndex> some = surplus(member); !some.empty()) {
                return some;
            }
        }
        if (job_.needed(group) < satisfied) {
            for (const GroupIndex member : members) {
                if (std::vector<PodIndex> whole = whole_of(member); !whole.empty()) {
                    return whole;
                }
            }
        }
        return {};
    }

    /// All active pods of a member.
    [[nodiscard]] std::vector<PodIndex> whole_of(GroupIndex group) const {
        std::vector<PodIndex> all;
        for (const GroupIndex leaf : job_.leaves_below(group)) {
            const std::vector<PodIndex> some = of_leaf_to_evict(leaf, SIZE_MAX);
            all.insert(all.end(), some.begin(), some.end());
        }
        return all;
    }

private:
    static double part(std::int64_t has, std::int64_t needs) {
        return needs == 0 ? static_cast<double>(has)
                          : static_cast<double>(has) / static_cast<double>(needs);
    }

    [[nodiscard]] bool goes_before(PodIndex a, PodIndex b) const {
        const std::optional<std::int64_t>& order_a = pods_[a].order;
        const std::optional<std::int64_t>& order_b = pods_[b].order;
        if (order_a != order_b) {
            return order_a && (!order_b || *order_a > *order_b);
        }
        return a < b;
    }

    [[nodiscard]] std::vector<PodIndex> of_leaf_to_place(GroupIndex leaf, bool is_real) const {
        std::vector<PodIndex> some;
        std::ranges::copy_if(job_.members(leaf).pods, std::back_inserter(some), [&](PodIndex pod) {
            return pods_[pod].is_to_place(is_real);
        });
        std::ranges::sort(some, [&](PodIndex a, PodIndex b) { return goes_before(a, b); });
        const std::int64_t lacks = job_.needed(leaf) - job_.active_members(leaf, pods_);
        const std::size_t most = lacks > 0 ? static_cast<std::size_t>(lacks) : 1;
        some.resize(std::min(some.size(), most));
        return some;
    }

    [[nodiscard]] std::vector<PodIndex> of_leaf_to_evict(GroupIndex leaf, std::size_t most) const {
        std::vector<PodIndex> some;
        std::ranges::copy_if(job_.members(leaf).pods, std::back_inserter(some), [&](PodIndex pod) {
            return pods_[pod].is(active);
        });
        std::ranges::sort(some, [&](PodIndex a, PodIndex b) { return goes_before(b, a); });
        some.resize(std::min(some.size(), most));
        return some;
    }

    const Job& job_;
    const std::vector<Pod>& pods_;
};

std::vector<GroupIndex> Job::ordered_members(GroupIndex set, const std::vector<Pod>& pods) const {
    std::vector<GroupIndex> members = spec_->groups[set].members;
    if (members.size() > 1) {
        const PodSelection selection(*this, pods);
        std::ranges::sort(members,
                          [&](GroupIndex a, GroupIndex b) { return selection.is_before(a, b); });
    }
    return members;
}

const std::vector<PodIndex>& Job::pods_to_place(bool is_real, const std::vector<Pod>& pods) {
    if (to_place_.empty()) {
        to_place_ = PodSelection(*this, pods).to_place(0, is_real);
    }
    return to_place_;
}

const Vector& Job::request(bool is_real, const std::vector<Pod>& pods) {
    if (!has_request_) {
        Vector sum{};
        for (const PodIndex pod : pods_to_place(is_real, pods)) {
            if (pods[pod].is_to_place(is_real)) {
                add_to(sum, pods[pod].request);
            }
        }
        request_ = sum;
        has_request_ = true;
    }
    return request_;
}

Job::Chunk Job::pods_to_evict(const std::vector<Pod>& pods) const {
    const PodSelection selection(*this, pods);
    Chunk chunk;
    chunk.pods = selection.surplus(0);
    if (chunk.pods.empty()) {
        chunk.pods = selection.whole_of(0);
    }
    chunk.some_remain = static_cast<std::int64_t>(chunk.pods.size()) < count(active, pods) - drift;
    return chunk;
}

}  // namespace berth::core::kai
