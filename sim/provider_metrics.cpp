#include "sim/provider_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace berth::sim {
namespace {

std::string name_of(const std::string& resource_class) {
    return fmt::format("shared_{}_utilization", resource_class);
}

}  // namespace

ProviderMetrics::ProviderMetrics(const ServerProviders& providers)
    : providers_(providers), in_use_(sample()), integral_(in_use_.size()) {}

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

std::vector<double> ProviderMetrics::sample() const {
    std::vector<double> shares;
    for (const SharedUse& shared : providers_.shared()) {
        const auto capacity = static_cast<double>(shared.capacity);
        shares.push_back(capacity > 0 ? static_cast<double>(shared.used) / capacity : 0);
    }
    return shares;
}

void ProviderMetrics::without_place(core::Members pods, std::uint32_t servers) {
    without_candidate_ += servers > 0 ? pods : 0;
}

void ProviderMetrics::settle(SimTime now) {
    for (std::size_t i = 0; i < in_use_.size(); ++i) {
        integral_[i] += in_use_[i] * seconds(now - settled_);
    }
    settled_ = now;
    in_use_ = sample();
}

void ProviderMetrics::add_to(std::vector<Metric>& out) const {
    out.push_back({"pods_without_candidate", static_cast<double>(without_candidate_)});
    const double time = seconds(settled_);
    for (std::size_t i = 0; i < in_use_.size(); ++i) {
        out.push_back({name_of(providers_.shared()[i].resource_class),
                       time > 0 ? integral_[i] / time : in_use_[i]});
    }
}

}  // namespace berth::sim
