#include "sim/quota/recycler.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::sim {

using core::QuotaId;

std::vector<QuotaId> Recycler::look(SimTime now) {
    core::QuotaTrees& trees = quotas_.trees();
    const bool changed = quotas_.changes() != seen_changes_;
    const SimTime before = std::max(now - settings_.period, SimTime(0));
    monitors_.resize(trees.count(), {before, false, false});
    waiting_for_patience_ = false;
    std::vector<QuotaId> due;
    const std::vector<bool>& over = quotas_.over();
    BERTH_ASSERT(over.size() == trees.count(), "of every quota it is known whether it is over");
    for (std::uint32_t i = 0; i < trees.count(); ++i) {
        Monitor& monitor = monitors_[i];
        if (changed) {
            const bool was_over = monitor.over;
            if (monitor.hopeless) {
                // It would have become due, without effect, each time its patience ran out.
                const SimTime cycle =
                    (settings_.patience / settings_.period + 1) * settings_.period;
                monitor.last_under +=
                    std::max((before - monitor.last_under) / cycle, SimTime::rep{0}) * cycle;
            }
            monitor.hopeless = false;
            monitor.over = over[i];
            // The ticks since the last change, at which no look was needed, saw the same as the
            // last look.
            if (!was_over && monitor.over) {
                monitor.last_under = before;
            }
        }
        if (!monitor.over) {
            continue;
        }
        if (now - monitor.last_under > settings_.patience) {
            monitor.last_under = now;
            due.push_back(QuotaId{i});
        }
        waiting_for_patience_ = waiting_for_patience_ || !monitor.hopeless;
    }
    seen_changes_ = quotas_.changes();
    return due;
}

std::vector<std::size_t> Recycler::choose(QuotaId quota, const std::vector<core::QuotaPod>& pods) {
    core::QuotaTrees& trees = quotas_.trees();
    core::ResourceList used(trees.resource_count());
    core::ResourceList limit(trees.resource_count());
    for (std::size_t r = 0; r < trees.resource_count(); ++r) {
        used.set(r, trees.used(quota, r));
        if (const auto runtime = trees.runtime(quota, r)) {
            limit.set(r, *runtime);
        }
    }
    std::vector<std::size_t> revoked = core::pods_to_revoke(used, limit, pods, settings_.rules);
    BERTH_ASSERT(quota.index < monitors_.size(), "a quota that is due was watched");
    monitors_[quota.index].hopeless = revoked.empty();
    return revoked;
}

}  // namespace berth::sim
