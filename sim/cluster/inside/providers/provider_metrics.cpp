#include "sim/cluster/inside/providers/provider_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "core/support/assert.hpp"

namespace berth::sim {
namespace {

std::string name_of(const std::string& resource_class) {
    return fmt::format("shared_{}_utilization", resource_class);
}

}  // namespace

ProviderMetrics::ProviderMetrics(const ServerProviders& providers, Window window)
    : providers_(providers), window_(window), in_use_(shares()), integral_(in_use_.size()) {}

std::vector<std::string> ProviderMetrics::sampled(const core::Topology& tree) {
    std::set<std::string> classes;
    for (const core::SharedProvider& shared : tree.shared_providers()) {
        for (const auto& [name, inventory] : shared.inventories) {
            classes.insert(name);
        }
    }
    std::vector<std::string> names;
    std::ranges::transform(classes, std::back_inserter(names), name_of);
    return names;
}

std::vector<double> ProviderMetrics::shares() const {
    std::vector<double> shares;
    for (const SharedUse& shared : providers_.shared()) {
        const auto capacity = static_cast<double>(shared.capacity);
        shares.push_back(capacity > 0 ? static_cast<double>(shared.used) / capacity : 0);
    }
    return shares;
}

void ProviderMetrics::sample(std::vector<double>& out) {
    std::ranges::copy(shares(), std::back_inserter(out));
}

void ProviderMetrics::without_place(const Job& job, std::uint32_t servers) {
    without_candidate_ += servers > 0 && window_.counts(job.submit) ? job.size : 0;
}

void ProviderMetrics::settle(SimTime now) {
    BERTH_ASSERT(now >= settled_, "time never goes back");
    for (std::size_t i = 0; i < in_use_.size(); ++i) {
        integral_[i] += in_use_[i] * seconds(window_.part_of(settled_, now));
    }
    settled_ = now;
    in_use_ = shares();
}

void ProviderMetrics::add_to(std::vector<Metric>& out) const {
    out.push_back({"pods_without_candidate", static_cast<double>(without_candidate_)});
    const double time = seconds(window_.measured(settled_));
    for (std::size_t i = 0; i < in_use_.size(); ++i) {
        std::optional<double> mean;
        if (time > 0) {
            mean = integral_[i] / time;
        } else if (settled_.count() == 0) {
            mean = in_use_[i];
        }
        out.push_back({name_of(providers_.shared()[i].resource_class), mean});
    }
}

}  // namespace berth::sim
