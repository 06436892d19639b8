#include "sim/cluster/inside/devices/device_metrics.hpp"

#include <fmt/format.h>

#include <bit>
#include <optional>
#include <string>

#include "core/support/assert.hpp"

namespace berth::sim {
namespace {

/// Kinds of nearness, as metrics are named after them.
constexpr std::array kinds{"same_pcie", "same_nvlink", "same_numa", "nic_beside"};
constexpr std::size_t nic_beside = 3;

std::array<bool, kinds.size()> flags(const core::Locality& locality) {
    return {locality.pcie, locality.nvlink, locality.numa, locality.nic_beside};
}

std::optional<double> share(double part, double of) {
    return of > 0 ? std::optional(part / of) : std::nullopt;
}

}  // namespace

std::vector<std::string> DeviceMetrics::sampled() {
    return {"gpus_free", "gpus_free_broken", "same_numa", "same_numa_attainable"};
}

void DeviceMetrics::sample(std::vector<double>& out) {
    const FreeGpus& free = devices_.free_gpus();
    constexpr std::size_t numa = 2;
    const auto share_of_all = [&](double part) {
        return so_far_.pods > 0 ? part / so_far_.pods : 1;
    };
    out.insert(out.end(),
               {static_cast<double>(free.all),
                static_cast<double>(free.all - free.whole),
                share_of_all(so_far_.reached[numa]),
                share_of_all(so_far_.attainable[numa])});
}

void DeviceMetrics::count(Sums& sums, const core::MachineAnswer& grant) {
    const auto reached = flags(grant.reached);
    const auto attainable = flags(grant.attainable);
    sums.pods += 1;
    sums.with_nic += grant.nics != 0 ? 1 : 0;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        sums.reached[kind] += reached[kind] ? 1 : 0;
        sums.attainable[kind] += reached[kind] || attainable[kind] ? 1 : 0;
    }
}

void DeviceMetrics::granted(const Job& job, const Grant& grant) {
    const core::MachineAnswer& got = *grant.devices;
    const auto gpus = static_cast<std::size_t>(std::popcount(got.gpus));
    if (gpus == 0 || (gpus == 1 && got.nics == 0)) {
        return;  // a GPU is always near itself
    }
    count(so_far_, got);
    if (window_.counts(job.submit)) {
        count(all_, got);
        count(by_size_[gpus], got);
    }
}

void DeviceMetrics::settle(SimTime now) {
    BERTH_ASSERT(now >= settled_, "time never goes back");
    if (free_.all > 0) {
        const double time = seconds(window_.part_of(settled_, now));
        broken_seconds_ +=
            time * static_cast<double>(free_.all - free_.whole) / static_cast<double>(free_.all);
        free_seconds_ += time;
    }
    settled_ = now;
    free_ = devices_.free_gpus();
    BERTH_ASSERT(free_.whole <= free_.all, "a GPU of a whole island is free");
}

void DeviceMetrics::add_shares(std::vector<Metric>& out,
                               const std::string& suffix,
                               const Sums& sums) {
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        const double of = kind == nic_beside ? sums.with_nic : sums.pods;
        out.push_back({fmt::format("{}{}", kinds[kind], suffix), share(sums.reached[kind], of)});
        out.push_back({fmt::format("{}_attainable{}", kinds[kind], suffix),
                       share(sums.attainable[kind], of)});
    }
}

void DeviceMetrics::add_to(std::vector<Metric>& out) const {
    out.push_back({"pods_with_devices_together", all_.pods});
    add_shares(out, "", all_);
    for (const std::size_t gpus : {2U, 4U, 8U}) {
        const auto found = by_size_.find(gpus);
        add_shares(
            out, fmt::format("_{}_gpus", gpus), found == by_size_.end() ? Sums{} : found->second);
    }
    out.push_back({"free_gpus_broken", share(broken_seconds_, free_seconds_)});
}

}  // namespace berth::sim
