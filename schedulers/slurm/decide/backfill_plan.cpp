#include "schedulers/slurm/decide/backfill_plan.hpp"

#include <algorithm>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::core::slurm {
namespace {

std::int64_t count_of(const Licenses& licenses, const std::string& name) {
    const auto found = licenses.find(name);
    return found == licenses.end() ? 0 : found->second;
}

}  // namespace

BackfillPlan::BackfillPlan(
    Seconds begin, Seconds end, std::size_t nodes, std::int64_t room, Licenses licenses)
    : slots_{{begin, end, NodeSet(nodes).set(), std::move(licenses)}}, room_(room) {
    BERTH_ASSERT(nodes > 0, "a cluster has nodes");
}

BackfillPlan::Usable BackfillPlan::usable(Seconds start,
                                          Seconds end,
                                          const NodeSet& nodes,
                                          const Licenses& licenses) const {
    Usable found{nodes, std::nullopt};
    const auto offers_more = [&](const Slot& next, const Slot& slot) {
        return !next.nodes.is_subset_of(slot.nodes) ||
               std::ranges::any_of(licenses, [&](const auto& wanted) {
                   return count_of(next.licenses, wanted.first) >
                          count_of(slot.licenses, wanted.first);
               });
    };
    const auto first = std::ranges::upper_bound(slots_, start, {}, &Slot::end);
    for (auto i = static_cast<std::size_t>(first - slots_.begin()); i < slots_.size(); ++i) {
        const Slot& slot = slots_[i];
        if (!found.later && i + 1 < slots_.size() && offers_more(slots_[i + 1], slot)) {
            found.later = slot.end;
        }
        if (slot.begin > end || (found.later && found.nodes.none())) {
            break;
        }
        found.nodes &= slot.nodes;
        for (const auto& [name, count] : licenses) {
            if (count_of(slot.licenses, name) < count) {
                found.nodes.reset();
            }
        }
    }
    return found;
}

bool BackfillPlan::overlaps(const NodeSet& nodes, Seconds begin, Seconds end) const {
    return std::ranges::any_of(slots_, [&](const Slot& slot) {
        return slot.end > begin && slot.begin < end && !nodes.is_subset_of(slot.nodes);
    });
}

void BackfillPlan::split_at(Seconds at) {
    const auto slot = std::ranges::find_if(
        slots_, [at](const Slot& each) { return each.begin < at && at < each.end; });
    if (slot != slots_.end()) {
        Slot second = *slot;
        second.begin = at;
        slot->end = at;
        slots_.insert(slot + 1, std::move(second));
        ++used_;
    }
}

void BackfillPlan::reserve(Seconds begin,
                           Seconds end,
                           const NodeSet& nodes,
                           const Licenses& licenses) {
    begin = std::max(begin, slots_.front().begin);
    split_at(begin);
    split_at(end);
    for (Slot& slot : slots_) {
        if (slot.begin >= begin && slot.end <= end) {
            slot.nodes -= nodes;
            for (const auto& [name, count] : licenses) {
                slot.licenses[name] -= count;
            }
        }
    }
    merge_once();
}

void BackfillPlan::merge_once() {
    const auto same = std::ranges::adjacent_find(slots_, [](const Slot& a, const Slot& b) {
        return a.nodes == b.nodes && a.licenses == b.licenses;
    });
    if (same != slots_.end()) {
        same->end = (same + 1)->end;
        slots_.erase(same + 1);
    }
}

}  // namespace berth::core::slurm
