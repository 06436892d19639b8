#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "schedulers/kueue/run/kueue_admission.hpp"

namespace berth::sim {

namespace kueue = core::kueue;

using kueue::PendingId;

std::optional<core::Violation> KueueAdmission::find_wrong_usage() const {
    for (std::uint32_t i = 0; i < cache_.queue_count(); ++i) {
        const kueue::QuotaNode queue{i};
        kueue::FlavorResourceAmounts sum;
        for (const kueue::WorkloadId workload : cache_.workloads(queue)) {
            for (const auto& [what, amount] : cache_.workload(workload).usage()) {
                kueue::add_to(sum, what, amount);
            }
        }
        for (const auto& [what, amount] : sum) {
            if (cache_.tree().usage(queue, what) != amount) {
                return core::Violation{"a ClusterQueue uses what its workloads hold",
                                       cache_.queue(queue).name,
                                       fmt::format("{}", cache_.tree().usage(queue, what)),
                                       fmt::format("{}", amount)};
            }
        }
    }
    return std::nullopt;
}

std::optional<core::Violation> KueueAdmission::find_violation() {
    auto found = find_wrong_usage();
    actions_.each_job([&](JobId id) {
        const Known& job = known(id);
        if (!job.queue || found) {
            return;
        }
        const int comes_back = job.task && job.task->kind == Task::Kind::offer_again ? 1 : 0;
        const auto states = (job.held ? 1 : 0) + (queues_.waits(PendingId{id.index}) ? 1 : 0) +
                            comes_back + (job.held_back ? 1 : 0);
        const bool mine = !job.held || holders_.at(*job.held) == id;
        if (states != 1 || !mine) {
            found = core::Violation{
                "a job holds quota, waits for it or for its queue, or comes back later",
                actions_.job(id).job().name,
                fmt::format("{} of them", states),
                "one of them"};
        }
    });
    return found;
}

}  // namespace berth::sim
