#include "core/machine_views/provider_terms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/allocation_candidates/provider_names.hpp"
#include "core/machine_views/provider_view.hpp"
#include "core/support/text.hpp"

namespace berth::core {
namespace {

constexpr std::string_view whole_units = "whole CPUs, MiB of memory, GiB of disk, or devices";
constexpr std::string_view no_functions =
    "candidates: with a query, since such devices have virtual functions";

}  // namespace

ProviderTerms::ProviderTerms(const Topology& tree)
    : resource_count_(tree.resources().size()),
      classes_(standard_resource_classes().begin(), standard_resource_classes().end()),
      traits_(standard_traits().begin(), standard_traits().end()) {
    std::set<std::string> ambiguous;
    std::map<std::size_t, std::string> class_of;  // the first class of each resource
    for (const MachineType& type : tree.machine_types()) {
        for (const ProviderClass& one : provider_classes(type, tree.resources())) {
            resources_.insert(one.resource);
            const Counted counted{one.resource, one.amount, one.devices, false};
            const Counted& known = counted_.try_emplace(one.name, counted).first->second;
            if (one.units != 1 || known.resource != one.resource ||
                class_of.try_emplace(one.resource, one.name).first->second != one.name) {
                ambiguous.insert(one.name);
            }
        }
        for (const ProviderNode& provider : provider_view(type, tree.resources(), type.name)) {
            traits_.insert(provider.traits.begin(), provider.traits.end());
            for (const auto& [name, total] : provider.inventory) {
                classes_.insert(name);
            }
        }
        for (const DeviceGroup& group : type.devices) {
            devices_max_ = std::max(devices_max_, group.count);
        }
    }
    std::erase_if(counted_, [&](const auto& entry) { return ambiguous.contains(entry.first); });
    uncounted_ = resources_;
    for (const auto& [name, one] : counted_) {
        uncounted_.erase(one.resource);
    }
    for (const SharedProvider& shared : tree.shared_providers()) {
        traits_.insert(shared.traits.begin(), shared.traits.end());
        for (const auto& [name, inventory] : shared.inventories) {
            classes_.insert(name);
            if (const auto known = counted_.find(name); known != counted_.end()) {
                known->second.shared = true;
            }
        }
    }
}

const ProviderTerms::Counted* ProviderTerms::counted(std::string_view resource_class) const {
    const auto known = counted_.find(resource_class);
    return known != counted_.end() ? &known->second : nullptr;
}

std::optional<std::vector<Amount>> ProviderTerms::demand(const CandidateQuery& query) const {
    std::vector<Amount> demand(resource_count_, 0);
    for (const CandidateGroup& group : query.groups) {
        for (const auto& [name, units] : group.resources) {
            const Counted* one = counted(name);
            if (one == nullptr || one->shared) {
                continue;
            }
            const auto more = checked_multiply(units, one->amount);
            const auto sum = more ? checked_add(demand[one->resource], *more) : std::nullopt;
            if (!sum) {
                return std::nullopt;
            }
            demand[one->resource] = *sum;
        }
    }
    return demand;
}

std::variant<ProviderTerms::Asked, ProviderTerms::NoQuery> ProviderTerms::query_for(
    std::span<const Amount> amounts) const {
    Asked asked{"", {amounts.begin(), amounts.end()}};
    std::vector<std::string> together;
    std::vector<std::string_view> devices;
    for (const std::size_t resource : uncounted_) {
        if (amounts[resource] > 0) {
            return NoQuery{resource, no_functions};
        }
    }
    for (const auto& [name, one] : counted_) {
        const Amount amount = amounts[one.resource];
        if (amount == 0) {
            continue;
        }
        if (amount % one.amount != 0) {
            return NoQuery{one.resource, whole_units};
        }
        if (one.devices) {
            // Any count above what a machine can have is cut to one more than that.
            const Amount count = std::min(amount / one.amount, devices_max_ + 1);
            devices.insert(devices.end(), static_cast<std::size_t>(count), name);
        } else {
            together.push_back(fmt::format("{}:{}", name, amount / one.amount));
        }
        if (one.shared) {
            asked.demand[one.resource] = 0;
        }
    }
    std::vector<std::string> parts;
    if (!together.empty()) {
        parts.push_back(fmt::format("resources={}", join(together, ",")));
    }
    for (std::size_t i = 0; i < devices.size(); ++i) {
        parts.push_back(fmt::format("resources_{}={}:1", i, devices[i]));
    }
    if (devices.size() > 1) {
        parts.emplace_back("group_policy=isolate");
    }
    asked.query = join(parts, "&");
    return asked;
}

std::optional<ProviderTerms::Unknown> ProviderTerms::unknown(const CandidateQuery& query) const {
    for (const CandidateGroup& group : query.groups) {
        for (const auto& [name, units] : group.resources) {
            if (!classes_.contains(name)) {
                return Unknown{"resource class", name, {classes_.begin(), classes_.end()}};
            }
        }
    }
    std::vector<AnyOf> traits{query.root_required, query.root_forbidden};
    for (const CandidateGroup& group : query.groups) {
        traits.insert(traits.end(), group.required.begin(), group.required.end());
        traits.push_back(group.forbidden);
    }
    for (const AnyOf& names : traits) {
        for (const std::string& name : names) {
            if (!traits_.contains(name)) {
                return Unknown{"trait", name, {traits_.begin(), traits_.end()}};
            }
        }
    }
    return std::nullopt;
}

}  // namespace berth::core
