#include "schedulers/kueue/decide/flavor_assigner.hpp"

#include <fmt/format.h>
#include <iterator>
#include <string_view>

#include <algorithm>
#include <limits>
#include <utility>

#include "schedulers/kueue/decide/place_assigner.hpp"
#include "schedulers/kueue/decide/quota_check.hpp"

namespace berth::core::kueue {
namespace {

/// The 64-bit FNV-1a hash.
std::uint64_t fnv_hash(std::string_view text) {
    std::uint64_t hash = 14695981039346656037U;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    }
    return hash;
}

/// Whether the selector and the affinity of a pod set let its pods run there, as far as they
/// concern labels that the flavor has. A term that concerns none of these labels matches any node.
bool matches_affinity(const PodSet& set, const Labels& labels) {
    const bool selected = std::ranges::all_of(set.node_selector, [&](const auto& wanted) {
        const auto label = labels.find(wanted.first);
        return label == labels.end() || label->second == wanted.second;
    });
    const auto is_about = [&](const LabelExpression& expression) {
        return labels.contains(expression.key);
    };
    const auto matches = [&](const NodeSelectorTerm& term) {
        return std::ranges::all_of(term.expressions, [&](const LabelExpression& expression) {
            return !is_about(expression) || holds(expression, labels);
        });
    };
    const auto is_empty = [&](const NodeSelectorTerm& term) {
        return std::ranges::none_of(term.expressions, is_about);
    };
    return selected && (set.affinity.empty() || std::ranges::any_of(set.affinity, is_empty) ||
                        std::ranges::any_of(set.affinity, matches));
}

}  // namespace

FlavorAssigner::FlavorAssigner(Cache& cache,
                               const WorkloadOrder& order,
                               const Workload& workload,
                               const LastAssignment* last,
                               const FlavorNomination* nomination)
    : cache_(cache),
      order_(order),
      workload_(workload),
      queue_(cache.queue(*workload.queue)),
      last_(last),
      nomination_(nomination) {}

Assignment FlavorAssigner::assign(std::span<const std::int64_t> counts) {
    assignment_ = {};
    assignment_.generation = queue_.generation;
    const std::vector<PodSetResources> totals = scaled(counts);
    for (const PodSets& sets : groups()) {
        ResourceAmounts requests;
        for (const std::size_t set : sets) {
            for (const auto& [resource, amount] : totals[set].requests) {
                add_to(requests, resource, amount);
            }
        }
        if (!record(sets, assign_group(sets, requests), totals)) {
            break;
        }
    }
    assign_places(cache_, workload_, assignment_);
    assignment_.no_fit_reason = no_fit_reason();
    return std::move(assignment_);
}

std::vector<PodSetResources> FlavorAssigner::scaled(std::span<const std::int64_t> counts) const {
    std::vector<PodSetResources> totals;
    totals.reserve(workload_.totals.size());
    const auto pods = cache_.names().resources.find("pods");
    const bool counts_pods = pods && queue_.group_of({*pods}) != nullptr;
    for (std::size_t i = 0; i < workload_.totals.size(); ++i) {
        const PodSetResources& total = workload_.totals[i];
        totals.push_back(counts.empty() ? total : total.scaled_to(counts[i]));
        if (counts_pods) {
            totals.back().requests[{*pods}] = totals.back().count;
        }
    }
    return totals;
}

std::vector<FlavorAssigner::PodSets> FlavorAssigner::groups() const {
    std::vector<PodSets> groups;
    std::map<std::string_view, std::size_t> by_name;
    for (std::size_t i = 0; i < workload_.pod_sets.size(); ++i) {
        const std::string& name = workload_.pod_sets[i].group;
        if (name.empty()) {
            groups.push_back({i});
            continue;
        }
        const auto [group, fresh] = by_name.try_emplace(name, groups.size());
        if (fresh) {
            groups.emplace_back();
        }
        groups[group->second].push_back(i);
    }
    return groups;
}

FlavorAssigner::Requests FlavorAssigner::in_order(const ResourceAmounts& requests) const {
    Requests ordered(requests.begin(), requests.end());
    const bool hashed = cache_.gate(FeatureGate::vectorized_resource_requests);
    std::ranges::sort(ordered, {}, [&](const auto& request) {
        const std::string_view name = cache_.names()[request.first];
        return std::pair(hashed ? fnv_hash(name) : 0, name);
    });
    return ordered;
}

bool FlavorAssigner::is_exempt(ResourceId resource, Amount request) const {
    return queue_.group_of(resource) == nullptr &&
           (request == 0 || (cache_.configuration().ignore_undeclared &&
                             cache_.gate(FeatureGate::quota_check_strategy)));
}

FlavorAssigner::Found FlavorAssigner::assign_group(const PodSets& sets,
                                                   const ResourceAmounts& requests) {
    Found all;
    attempts_.clear();
    const Requests ordered = in_order(requests);
    for (const auto& [resource, amount] : ordered) {
        if (all.flavors.contains(resource) || is_exempt(resource, amount)) {
            continue;
        }
        Found found = scan(sets, ordered, resource);
        if (found.flavors.empty()) {
            return found;
        }
        all.flavors.merge(std::move(found.flavors));
        std::ranges::move(found.reasons, std::back_inserter(all.reasons));
    }
    return all;
}

bool FlavorAssigner::record(const PodSets& sets,
                            const Found& found,
                            std::span<const PodSetResources> totals) {
    bool assigned = true;
    for (const std::size_t set : sets) {
        PodSetAssignment& own = assignment_.pod_sets.emplace_back();
        own.name = workload_.pod_sets[set].name;
        own.count = totals[set].count;
        own.reasons = found.reasons;
        own.attempts = attempts_;
        auto& tried = assignment_.tried.emplace_back();
        for (const auto& [resource, flavor] : found.flavors) {
            const auto request = totals[set].requests.find(resource);
            if (request == totals[set].requests.end()) {
                continue;
            }
            own.flavors.emplace(resource, flavor);
            assignment_.height = std::max(assignment_.height, flavor.height);
            add_to(assignment_.usage, {flavor.flavor, resource}, request->second);
            tried[resource] = flavor.tried;
        }
        assigned = assigned && (totals[set].requests.empty() || !own.flavors.empty());
    }
    return assigned;
}

FlavorAssigner::Found FlavorAssigner::scan(const PodSets& sets,
                                           const Requests& requests,
                                           ResourceId first) {
    const ResourceGroup* group = queue_.group_of(first);
    if (group == nullptr) {
        return {{},
                {fmt::format("resource {} unavailable in ClusterQueue", cache_.names()[first])}};
    }
    Requests own;
    std::ranges::copy_if(requests, std::back_inserter(own), [&](const auto& request) {
        return queue_.group_of(request.first) == group;
    });
    Best best;
    std::int64_t attempted = -1;
    for (std::size_t i = first_flavor(sets, first); i < group->flavors.size(); ++i) {
        const FlavorId flavor = group->flavors[i];
        attempted = static_cast<std::int64_t>(i);
        if (is_left_out(sets, first, flavor, best.found.reasons)) {
            continue;
        }
        if (weigh(flavor, try_flavor(flavor, own), best)) {
            break;
        }
    }
    if (cache_.gate(FeatureGate::flavor_fungibility)) {
        const bool all = attempted == static_cast<std::int64_t>(group->flavors.size()) - 1;
        for (auto& [resource, flavor] : best.found.flavors) {
            flavor.tried = all ? -1 : attempted;
        }
    }
    if (best.mode.fit == FlavorFit::fit) {
        best.found.reasons.clear();
    }
    return std::move(best.found);
}

bool FlavorAssigner::is_left_out(const PodSets& sets,
                                 ResourceId resource,
                                 FlavorId flavor,
                                 std::vector<std::string>& reasons) {
    if (!is_nominated(sets, resource, flavor)) {
        reasons.push_back(fmt::format(
            "skipping flavor {} as it is not found in the nomination mapping for resource {}",
            cache_.names()[flavor],
            cache_.names()[resource]));
        return true;
    }
    std::string why = mismatch(sets, flavor);
    if (why.empty()) {
        return false;
    }
    reasons.push_back(std::move(why));
    attempts_.push_back({flavor, AssignmentMode::no_fit, NoFitReason::no_matching_flavor});
    return true;
}

bool FlavorAssigner::weigh(FlavorId flavor, Trial trial, Best& best) {
    std::ranges::move(trial.found.reasons, std::back_inserter(best.found.reasons));
    attempts_.push_back({flavor, assignment_mode(trial.mode.fit), trial.no_fit_reason});
    const bool fungible = cache_.gate(FeatureGate::flavor_fungibility);
    const bool is_last =
        fungible ? !tries_next(trial.mode, queue_.fungibility) : trial.mode.fit == FlavorFit::fit;
    const bool is_better = fungible ? is_preferred(trial.mode, best.mode, queue_.fungibility)
                                    : trial.mode.fit > best.mode.fit;
    if (is_last || is_better) {
        best.found.flavors = std::move(trial.found.flavors);
        best.mode = trial.mode;
    }
    return is_last;
}

std::size_t FlavorAssigner::first_flavor(const PodSets& sets, ResourceId resource) const {
    if (last_ == nullptr || sets.front() >= last_->tried.size() ||
        !cache_.gate(FeatureGate::flavor_fungibility)) {
        return 0;
    }
    const auto& tried = last_->tried[sets.front()];
    const auto found = tried.find(resource);
    return found == tried.end() ? 0 : static_cast<std::size_t>(found->second + 1);
}

bool FlavorAssigner::is_nominated(const PodSets& sets, ResourceId resource, FlavorId flavor) const {
    return nomination_ == nullptr || std::ranges::any_of(sets, [&](std::size_t set) {
               const auto flavors = nomination_->find(workload_.pod_sets[set].name);
               if (flavors == nomination_->end()) {
                   return false;
               }
               const auto nominated = flavors->second.find(resource);
               return nominated != flavors->second.end() && nominated->second == flavor;
           });
}

std::string FlavorAssigner::mismatch(const PodSets& sets, FlavorId flavor) const {
    const std::string& name = cache_.names()[flavor];
    const ResourceFlavor* object = cache_.flavor(flavor);
    if (object == nullptr) {
        return fmt::format("flavor {} not found", name);
    }
    for (const std::size_t set : sets) {
        const PodSet& pods = workload_.pod_sets[set];
        std::string why = topology_mismatch(
            cache_, *workload_.queue, pods, workload_.totals[set].requests, flavor);
        if (!why.empty()) {
            return why;
        }
        std::vector<Toleration> tolerations = pods.tolerations;
        tolerations.insert(
            tolerations.end(), object->tolerations.begin(), object->tolerations.end());
        if (const Taint* taint = find_untolerated(object->taints, tolerations, TaintOf::flavor)) {
            return fmt::format("untolerated taint {{{} {} {} <nil>}} in flavor {}",
                               taint->key,
                               taint->value,
                               taint->effect,
                               name);
        }
        if (!matches_affinity(pods, object->node_labels)) {
            return fmt::format("flavor {} doesn't match node affinity", name);
        }
    }
    return "";
}

FlavorAssigner::Trial FlavorAssigner::try_flavor(FlavorId flavor, const Requests& requests) {
    Trial trial;
    trial.mode = {FlavorFit::fit, 0};
    for (const auto& [resource, amount] : requests) {
        Fit fit = fit_quota({flavor, resource}, amount);
        if (!fit.reason.empty()) {
            trial.found.reasons.push_back(std::move(fit.reason));
            trial.no_fit_reason = std::max(trial.no_fit_reason, fit.no_fit_reason);
        }
        if (is_preferred(trial.mode, fit.mode, queue_.fungibility)) {
            trial.mode = fit.mode;
        }
        if (trial.mode.fit != FlavorFit::no_fit) {
            trial.found.flavors[resource] = {
                flavor, assignment_mode(fit.mode.fit), fit.mode.height, 0};
        }
    }
    return trial;
}

FlavorAssigner::Fit FlavorAssigner::fit_quota(FlavorResource what, Amount request) {
    const std::string& resource = cache_.names()[what.resource];
    const std::string& flavor = cache_.names()[what.flavor];
    const auto assumed = assignment_.usage.find(what);
    const Amount earlier = assumed == assignment_.usage.end() ? 0 : assumed->second;
    QuotaCheck check = check_quota(cache_, order_, workload_, what, plus(earlier, request));
    Fit fit{{check.fit, check.height}, "", NoFitReason::none};
    if (check.amount > check.most) {
        fit.reason = fmt::format(
            "insufficient quota for {} in flavor {}, previously considered podsets requests ({}) + "
            "current podset request ({}) > maximum capacity ({})",
            resource,
            flavor,
            format_amount(resource, earlier),
            format_amount(resource, request),
            format_amount(resource, check.most));
        fit.no_fit_reason = NoFitReason::exceeds_max_quota;
    } else if (check.fit != FlavorFit::fit) {
        fit.reason = unused_quota_reason(check, cache_.names());
        fit.no_fit_reason =
            check.fit == FlavorFit::no_fit ? NoFitReason::waiting_for_quota : NoFitReason::none;
    }
    assignment_.checks.push_back(std::move(check));
    return fit;
}

NoFitReason FlavorAssigner::no_fit_reason() const {
    NoFitReason worst = NoFitReason::none;
    if (assignment_.mode() != AssignmentMode::no_fit) {
        return worst;
    }
    for (const PodSetAssignment& set : assignment_.pod_sets) {
        if (set.mode() != AssignmentMode::no_fit) {
            continue;
        }
        if (set.attempts.empty()) {
            return NoFitReason::no_matching_flavor;
        }
        std::map<FlavorId, FlavorAttempt> by_flavor;
        for (const FlavorAttempt& attempt : set.attempts) {
            FlavorAttempt& sum = by_flavor.emplace(attempt.flavor, attempt).first->second;
            sum.mode = std::min(sum.mode, attempt.mode);
            sum.reason = std::max(sum.reason, attempt.reason);
        }
        // The flavor that comes closest counts for its group, and the worst group counts for all.
        for (const ResourceGroup& group : queue_.groups) {
            std::optional<NoFitReason> mildest;
            for (const FlavorId flavor : group.flavors) {
                const auto sum = by_flavor.find(flavor);
                if (sum != by_flavor.end() && sum->second.mode == AssignmentMode::no_fit) {
                    mildest = std::min(mildest.value_or(sum->second.reason), sum->second.reason);
                }
            }
            worst = std::max(worst, mildest.value_or(NoFitReason::none));
        }
    }
    return worst;
}

}  // namespace berth::core::kueue
