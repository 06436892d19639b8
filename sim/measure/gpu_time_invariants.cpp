// What the GPU-time meter keeps of servers and waiting jobs, compared with them.

#include <fmt/format.h>

#include <Eigen/Core>
#include <string>

#include "sim/measure/gpu_time_ledger.hpp"

namespace berth::sim {

using core::Amount;
using core::ServerId;
using core::Violation;

namespace {

Violation wrong(const char* invariant,
                std::string where,
                std::int64_t found,
                std::int64_t expected) {
    return {invariant, std::move(where), fmt::format("{}", found), fmt::format("{}", expected)};
}

}  // namespace

/// Works on a copy, because the index catches up when it is asked.
std::optional<Violation> GpuIdleIndex::find_violation() const {
    GpuIdleIndex now = *this;
    now.catch_up();
    const GpuIdleIndex fresh(cluster_, job_, gpu_, met_);
    const core::Topology& tree = cluster_.topology();
    for (std::uint32_t server = 0; server < here_.size(); ++server) {
        const Here& found = now.here_[server];
        const Here& expected = fresh.here_[server];
        const auto text = [](const Here& here) {
            return fmt::format(
                "{} idle, {} places, lack {}", here.idle, here.places, static_cast<int>(here.lack));
        };
        if (text(found) != text(expected)) {
            return Violation{"idle GPUs, and what keeps a job off them, are known by server",
                             tree.path(tree.node_of(ServerId{server})),
                             text(found),
                             text(expected)};
        }
    }
    for (std::size_t lack = 0; lack < lack_count; ++lack) {
        if (now.idle_[lack] != fresh.idle_[lack]) {
            return wrong("idle GPUs are summed up by what keeps a job off them",
                         fmt::format("lack {}", lack),
                         now.idle_[lack],
                         fresh.idle_[lack]);
        }
    }
    if (now.places_ != fresh.places_) {
        return wrong("a group's places are summed up", "the cluster", now.places_, fresh.places_);
    }
    return std::nullopt;
}

/// Checks the sums. Time without gain is taken from the allocated time, so that all uses together
/// are still the whole.
std::optional<Violation> GpuTimeLedger::find_wrong_sum() const {
    Wide sum = 0;
    for (std::size_t use = 0; use < gpu_time_use_count; ++use) {
        sum += sum_[use];
        const bool told = is_without_gain(static_cast<GpuTimeUse>(use));
        if (told && (sum_[use] < measured_[use] || measured_[use] < 0 ||
                     (sum_[use] > 0 && !tells_gain()))) {
            return Violation{"what is had without gain is had in the run, and there in its window",
                             std::string(to_string(static_cast<GpuTimeUse>(use))),
                             fmt::format("{} GPU-seconds", static_cast<double>(measured_[use])),
                             fmt::format("at most {}", static_cast<double>(sum_[use]))};
        }
    }
    const Wide whole = Wide{capacity_} * end_.count();
    if (sum != whole) {
        return Violation{"the uses of GPU time are all of it",
                         "the cluster",
                         fmt::format("{}", static_cast<double>(sum)),
                         fmt::format("{}", static_cast<double>(whole))};
    }
    return std::nullopt;
}

std::optional<Violation> GpuTimeLedger::find_violation() const {
    Amount idle = 0;
    Amount failed = 0;
    Amount drained = 0;
    Amount spare = 0;
    for (std::uint32_t index = 0; index < here_.size(); ++index) {
        const ServerId server{index};
        if (here_[index].left_out) {
            continue;
        }
        const Amount here = idle_gpus(ledger_, server, gpu_);
        const core::MachineType& type = ledger_.topology().machine_type(server);
        const Amount away =
            ledger_.is_up(server) ? 0 : type.capacity(static_cast<Eigen::Index>(gpu_)) - here;
        (cluster_.calendar().is_open(server) ? drained : idle) += here;
        if (cluster_.is_spare(server)) {
            spare += away - cluster_.background_of_absent(server)[gpu_];
        } else {
            (cluster_.is_drained(server) ? drained : failed) += away;
        }
    }
    if (idle_ != idle) {
        return wrong("the idle GPUs of all servers are summed up", "the cluster", idle_, idle);
    }
    if (failed_ != failed) {
        return wrong(
            "the GPUs of servers that are down are summed up", "the cluster", failed_, failed);
    }
    if (drained_ != drained) {
        return wrong(
            "the GPUs of servers that are drained are summed up", "the cluster", drained_, drained);
    }
    if (spare_ != spare) {
        return wrong("the GPUs of spares are summed up", "the cluster", spare_, spare);
    }
    Wide asked = 0;
    for (const auto& [number, waiting] : waiting_) {
        asked += demand(*waiting.job);
    }
    if (waiting_demand_ != asked) {
        return Violation{"the GPUs that waiting jobs ask for are summed up",
                         "the queue",
                         fmt::format("{}", static_cast<double>(waiting_demand_)),
                         fmt::format("{}", static_cast<double>(asked))};
    }
    if (auto violation = find_wrong_sum()) {
        return violation;
    }
    for (const auto& [kind, index] : kinds_) {
        if (auto violation = index.idle->find_violation()) {
            return violation;
        }
    }
    return std::nullopt;
}

}  // namespace berth::sim
