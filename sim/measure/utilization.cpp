#include "sim/measure/utilization.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <ranges>

#include "core/support/assert.hpp"

namespace berth::sim {

using core::Amount;
using core::NodeId;
using core::ServerId;

Utilization::Utilization(const core::Ledger& ledger, Window window, const Cluster* cluster)
    : ledger_(ledger),
      tree_(ledger.topology()),
      cluster_(cluster),
      resources_(ledger.resource_count()),
      window_(window),
      changes_(&ledger.changes()) {
    const std::size_t inner = tree_.node_count() - tree_.server_count();
    loads_.resize(inner * resources_);
    for (std::uint32_t node = 0; node < inner; ++node) {
        for (std::size_t resource = 0; resource < resources_; ++resource) {
            loads_[entry(NodeId{node}, resource)] = {
                .amount = ledger_.allocated(NodeId{node}, resource),
                .capacity = ledger_.capacity(NodeId{node})[resource]};
        }
    }
    if (cluster_ != nullptr) {
        spare_capacity_.resize(inner * resources_);
        spare_used_.resize(inner * resources_);
    }
    since_.resize(inner);
    stranded_on_.resize(std::size_t{tree_.server_count()} * resources_);
    strands_.resize(tree_.server_count());
    stranded_.resize(resources_);
    stranded_integral_.resize(resources_);
    for (std::uint32_t server = 0; server < tree_.server_count(); ++server) {
        if (cluster_ != nullptr && cluster_->is_spare(ServerId{server})) {
            take_in(ServerId{server}, SimTime(0));
        } else {
            strand(ServerId{server});
        }
    }
}

void Utilization::settle(SimTime now) {
    BERTH_ASSERT(now >= end_, "time never goes back");
    const double passed = seconds(window_.part_of(end_, now));
    for (std::size_t resource = 0; resource < resources_; ++resource) {
        stranded_integral_[resource] += static_cast<double>(stranded_[resource]) * passed;
    }
    end_ = now;
    if (changes_.has_missed()) {
        for (std::uint32_t server = 0; server < tree_.server_count(); ++server) {
            take_in(ServerId{server}, now);
        }
        changes_.skip();
    }
    while (const auto server = changes_.next()) {
        take_in(*server, now);
    }
}

/// A server becomes a spare, or is no longer one: meanwhile, its capacity, and what was in use
/// there before the run, are not in the ledger.
void Utilization::note_spare(ServerId server) {
    const bool was = used_on_spare_.contains(server);
    if (cluster_ == nullptr || cluster_->is_spare(server) == was) {
        return;
    }
    if (!was) {
        used_on_spare_.emplace(server, cluster_->background_of_absent(server));
    }
    const std::vector<Amount>& used = used_on_spare_.at(server);
    const core::Amounts& capacity = tree_.machine_type(server).capacity;
    NodeId node = tree_.node_of(server);
    while (node != tree_.root()) {
        node = tree_.parent(node);
        for (std::size_t r = 0; r < resources_; ++r) {
            const Amount own = capacity(static_cast<Eigen::Index>(r));
            spare_capacity_[entry(node, r)] += was ? -own : own;
            spare_used_[entry(node, r)] += was ? -used[r] : used[r];
        }
    }
    if (was) {
        used_on_spare_.erase(server);
    }
}

void Utilization::strand(ServerId server) {
    const NodeId node = tree_.node_of(server);
    if (const auto used = used_on_spare_.find(server); used != used_on_spare_.end()) {
        std::vector<Amount> capacity(resources_);
        std::vector<Amount> available(resources_);
        for (std::size_t r = 0; r < resources_; ++r) {
            capacity[r] = tree_.machine_type(server).capacity(static_cast<Eigen::Index>(r));
            available[r] = capacity[r] - used->second[r];
        }
        strand(server, available, capacity);
    } else {
        strand(server, ledger_.available(node), ledger_.capacity(node));
    }
}

void Utilization::take_in(ServerId server, SimTime now) {
    note_spare(server);
    strand(server);
    NodeId node = tree_.node_of(server);
    while (node != tree_.root()) {
        node = tree_.parent(node);
        const double passed = seconds(window_.part_of(since_[node.index], now));
        since_[node.index] = now;
        for (std::size_t resource = 0; resource < resources_; ++resource) {
            Load& load = loads_[entry(node, resource)];
            load.integral += static_cast<double>(load.amount) * passed;
            load.amount = allocated_of(node, resource);
            note_capacity(node, resource, now);
        }
    }
}

void Utilization::strand(ServerId server,
                         std::span<const Amount> available,
                         std::span<const Amount> capacity) {
    bool exhausted = false;  // some resource that the server has is used up
    for (std::size_t resource = 0; resource < resources_; ++resource) {
        exhausted = exhausted || (capacity[resource] > 0 && available[resource] <= 0);
    }
    if (!exhausted && !strands_[server.index]) {
        return;
    }
    bool strands = false;
    for (std::size_t resource = 0; resource < resources_; ++resource) {
        Amount& before = stranded_on_[server.index * resources_ + resource];
        const Amount here = exhausted ? std::max<Amount>(available[resource], 0) : 0;
        stranded_[resource] += here - before;
        BERTH_ASSERT(stranded_[resource] >= 0, "what a server adds is taken back once");
        before = here;
        strands = strands || here != 0;
    }
    strands_[server.index] = strands;
}

void Utilization::note_capacity(std::size_t at, Amount amount, SimTime now) {
    auto changed = capacities_.find(at);
    if (changed == capacities_.end()) {
        if (amount == loads_[at].capacity) {
            return;
        }
        changed = capacities_.try_emplace(at, Capacity{0, SimTime(0), loads_[at].capacity}).first;
    }
    Capacity& known = changed->second;
    known.integral += static_cast<double>(known.now) * seconds(window_.part_of(known.since, now));
    known.since = now;
    known.now = amount;
}

/// An integral over the window as a share of the resource that there was.
std::optional<double> Utilization::mean_share(double amount_seconds,
                                              NodeId node,
                                              std::size_t resource) const {
    const SimTime measured = window_.measured(end_);
    if (measured.count() == 0) {
        return std::nullopt;
    }
    const auto changed = capacities_.find(entry(node, resource));
    if (changed == capacities_.end()) {
        return share(amount_seconds / seconds(measured), node, resource);
    }
    const Capacity& known = changed->second;
    const double whole = known.integral + static_cast<double>(known.now) *
                                              seconds(window_.part_of(known.since, end_));
    return whole > 0 ? amount_seconds / whole : 0;
}

double Utilization::share(double amount, NodeId node, std::size_t resource) const {
    const Amount capacity = capacity_of(node, resource);
    return capacity == 0 ? 0.0 : amount / static_cast<double>(capacity);
}

std::optional<double> Utilization::mean_allocated(NodeId inner, std::size_t resource) const {
    const Load& load = loads_[entry(inner, resource)];
    const auto amount = static_cast<double>(load.amount);
    const auto had_some = [&](std::size_t other) {
        const auto changed = capacities_.find(entry(inner, other));
        if (changed == capacities_.end() || end_.count() == 0) {
            return capacity_of(inner, other) > 0;
        }
        const Capacity& known = changed->second;
        const bool lasts = known.now > 0 && window_.part_of(known.since, end_).count() > 0;
        return known.integral > 0 || lasts;
    };
    const auto resources = std::views::iota(std::size_t{0}, resources_);
    if (inner != tree_.root() && std::ranges::none_of(resources, had_some)) {
        return std::nullopt;
    }
    if (end_.count() == 0) {
        return share(amount, inner, resource);
    }
    const double total =
        load.integral + amount * seconds(window_.part_of(since_[inner.index], end_));
    return mean_share(total, inner, resource);
}

std::optional<double> Utilization::mean_stranded(std::size_t resource) const {
    if (end_.count() == 0) {
        return stranded(resource);
    }
    return mean_share(stranded_integral_[resource], tree_.root(), resource);
}

double Utilization::allocated(std::size_t resource) const {
    return share(static_cast<double>(allocated_of(tree_.root(), resource)), tree_.root(), resource);
}

double Utilization::stranded(std::size_t resource) const {
    return share(static_cast<double>(stranded_[resource]), tree_.root(), resource);
}

}  // namespace berth::sim
