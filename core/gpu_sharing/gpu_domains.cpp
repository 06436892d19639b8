#include "core/gpu_sharing/gpu_domains.hpp"

#include "core/support/assert.hpp"

namespace berth::core {

namespace {

/// The number of wholly free devices on all servers that are up.
[[maybe_unused]] std::int64_t whole_devices(const Ledger& ledger) {
    std::int64_t sum = 0;
    for (std::uint32_t index = 0; index < ledger.topology().server_count(); ++index) {
        const ServerId server{index};
        sum += ledger.is_up(server) ? ledger.gpus().sets().whole(ledger.gpus().set(server)) : 0;
    }
    return sum;
}

}  // namespace
GpuDomains::GpuDomains(const Ledger& ledger)
    : ledger_(ledger),
      tree_(ledger.topology()),
      gpu_(tree_.resources().find(device_resource::nvidia_gpu).value_or(ledger.resource_count())),
      changes_(&ledger.changes()),
      whole_free_(tree_.node_count()) {
    for (std::uint32_t level = 0; level < tree_.level_count(); ++level) {
        levels_.insert(levels_.end(), tree_.level_size(Level{level}), Level{level});
    }
    for (std::uint32_t server = 0; server < tree_.server_count(); ++server) {
        take_in(ServerId{server});
    }
}

void GpuDomains::take_in(ServerId server) {
    NodeId node = tree_.node_of(server);
    const std::int64_t now =
        ledger_.is_up(server) ? ledger_.gpus().sets().whole(ledger_.gpus().set(server)) : 0;
    const std::int64_t change = now - whole_free_[node.index];
    if (change == 0) {
        return;
    }
    for (;; node = tree_.parent(node)) {
        whole_free_[node.index] += change;
        BERTH_AUDIT(whole_free_[node.index] >= 0,
                    "no more devices stop being free in a domain than were free there");
        if (node == tree_.root()) {
            break;
        }
    }
}

void GpuDomains::catch_up() {
    if (changes_.has_missed()) {
        for (std::uint32_t server = 0; server < tree_.server_count(); ++server) {
            take_in(ServerId{server});
        }
        changes_.skip();
    }
    while (const auto server = changes_.next()) {
        take_in(*server);
    }
    BERTH_AUDIT(whole_free_[tree_.root().index] == whole_devices(ledger_),
                "the cluster has as many wholly free devices as its servers");
}

GpuDomain GpuDomains::domain(NodeId node) const {
    const bool counted = gpu_ < ledger_.resource_count();
    return {levels_[node.index],
            static_cast<std::uint32_t>(tree_.level_count()),
            counted ? ledger_.available(node)[gpu_] : 0,
            counted ? ledger_.capacity(node)[gpu_] : 0,
            whole_free_[node.index]};
}

}  // namespace berth::core
