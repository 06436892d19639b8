#include "schedulers/kueue/decide/assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/support/text.hpp"

namespace berth::core::kueue {

std::string_view to_string(NoFitReason reason) {
    constexpr std::array<std::string_view, 5> names{
        "", "TopologyPlacementFailed", "WaitingForQuota", "ExceedsMaxQuota", "NoMatchingFlavor"};
    return names[static_cast<std::size_t>(reason)];
}

AssignmentMode PodSetAssignment::mode() const {
    if (reasons.empty()) {
        return AssignmentMode::fit;
    }
    if (flavors.empty()) {
        return AssignmentMode::no_fit;
    }
    AssignmentMode worst = AssignmentMode::fit;
    for (const auto& [resource, flavor] : flavors) {
        worst = std::min(worst, flavor.mode);
    }
    return worst;
}

void PodSetAssignment::set_mode(AssignmentMode mode) {
    for (auto& [resource, flavor] : flavors) {
        flavor.mode = mode;
    }
}

AssignmentMode Assignment::mode() const {
    if (pod_sets.empty()) {
        return AssignmentMode::no_fit;
    }
    if (deferred) {
        return AssignmentMode::deferred_fit;
    }
    AssignmentMode worst = AssignmentMode::fit;
    for (const PodSetAssignment& set : pod_sets) {
        worst = std::min(worst, set.mode());
    }
    return worst;
}

std::string Assignment::message() const {
    std::vector<std::string> parts;
    for (const PodSetAssignment& set : pod_sets) {
        if (!set.reasons.empty()) {
            parts.push_back(unassigned_message(set.name, set.reasons));
        }
    }
    return join(parts, "; ");
}

std::string unassigned_message(std::string_view pod_set, std::vector<std::string> reasons) {
    std::ranges::sort(reasons);
    return fmt::format("couldn't assign flavors to pod set {}: {}", pod_set, join(reasons, ", "));
}

FlavorResources Assignment::scarce() const {
    FlavorResources found;
    for (const PodSetAssignment& set : pod_sets) {
        for (const auto& [resource, flavor] : set.flavors) {
            if (flavor.mode == AssignmentMode::preempt) {
                found.insert({flavor.flavor, resource});
            }
        }
    }
    return found;
}

std::string format_amount(std::string_view resource, Amount amount) {
    using Suffix = std::pair<std::string_view, Amount>;
    constexpr std::array binary{Suffix{"Ei", Amount{1} << 60},
                                Suffix{"Pi", Amount{1} << 50},
                                Suffix{"Ti", Amount{1} << 40},
                                Suffix{"Gi", Amount{1} << 30},
                                Suffix{"Mi", Amount{1} << 20},
                                Suffix{"Ki", Amount{1} << 10}};
    constexpr std::array decimal{Suffix{"E", 1'000'000'000'000'000'000},
                                 Suffix{"P", 1'000'000'000'000'000},
                                 Suffix{"T", 1'000'000'000'000},
                                 Suffix{"G", 1'000'000'000},
                                 Suffix{"M", 1'000'000},
                                 Suffix{"k", 1'000}};
    if (amount == unlimited) {
        return "<unlimited>";
    }
    if (resource == "cpu") {
        if (amount % 1000 != 0) {
            return std::to_string(amount) + "m";
        }
        amount /= 1000;
    }
    const auto whole = [&](const Suffix& suffix) {
        return amount != 0 && amount % suffix.second == 0;
    };
    const bool bytes = resource == "memory" || resource == "ephemeral-storage" ||
                       resource.starts_with("hugepages");
    if (bytes) {
        if (const auto found = std::ranges::find_if(binary, whole); found != binary.end()) {
            return fmt::format("{}{}", amount / found->second, found->first);
        }
    }
    const auto found = std::ranges::find_if(decimal, whole);
    return found == decimal.end() ? std::to_string(amount)
                                  : fmt::format("{}{}", amount / found->second, found->first);
}

}  // namespace berth::core::kueue
