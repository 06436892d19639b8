/// Changes of preemption policies, and jobs that might have ended.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/support/text.hpp"
#include "schedulers/kueue/why/kueue_changes.hpp"

namespace berth::experiments::kueue_changes {
namespace {

namespace kueue = core::kueue;

using kueue::PreemptionPolicies;
using kueue::PreemptionPolicy;
using sim::KueueAnswer;
using sim::KueueMoment;
using sim::KueueWhatIf;

constexpr std::size_t alone_max = 100;    ///< The number of workloads that are tried one by one.
constexpr std::size_t together_max = 64;  ///< The number of workloads that are tried together.

const char* word_of(PreemptionPolicy policy) {
    switch (policy) {
        case PreemptionPolicy::never:
        case PreemptionPolicy::unset:
            break;
        case PreemptionPolicy::lower_priority:
            return "LowerPriority";
        case PreemptionPolicy::lower_or_newer_equal_priority:
            return "LowerOrNewerEqualPriority";
        case PreemptionPolicy::any:
            return "Any";
    }
    return "Never";
}

/// Tries preemption policies. If the job is admitted with them, the change is added.
bool try_policies(const Question& question,
                  const PreemptionPolicies& policies,
                  const std::string& field,
                  const std::string& from,
                  const std::string& to,
                  Changes& out) {
    KueueWhatIf change;
    change.policies = policies;
    change.retries = true;
    const KueueAnswer answer = question.inquiry.ask(change);
    if (!is_enough(answer, Wanted::in_the_end)) {
        return false;
    }
    const std::string& queue = question.inquiry.asked().queue_name;
    add(fmt::format("{} of ClusterQueue {} is {} instead of {}", field, queue, to, from),
        std::nullopt,
        {{"kind", "preemption"}, {"queue", queue}, {"field", field}, {"from", from}, {"to", to}},
        answer,
        out);
    return true;
}

/// The holders of resources that are short, in the tree or on the servers, those with the smallest
/// share first.
std::vector<std::size_t> who_could_end(const Question& question) {
    struct Held {
        std::int64_t share = 0;
        std::size_t holder = 0;
    };
    const sim::KueueInquiry& inquiry = question.inquiry;
    kueue::FlavorResources lacking;
    for (const kueue::ResourceGroup* group : inquiry.groups()) {
        for (const kueue::FlavorId flavor : group->flavors) {
            for (const kueue::FlavorResource what : short_of(question, *group, flavor)) {
                lacking.insert(what);
            }
        }
    }
    const kueue::QuotaTree& tree = inquiry.cache().tree();
    std::vector<Held> held;
    for (std::size_t i = 0; i < inquiry.moment().held.size(); ++i) {
        const kueue::Workload& workload = inquiry.moment().held[i].workload;
        const bool has_quota = tree.root(*workload.queue) == tree.root(inquiry.queue());
        kueue::ResourceAmounts amounts;
        for (const auto& [what, amount] : workload.usage()) {
            // Workloads of other trees take places, too.
            if (amount > 0 && lacking.contains(what) &&
                (has_quota || inquiry.has_topology(what.flavor))) {
                kueue::add_to(amounts, what.resource, amount);
            }
        }
        if (!amounts.empty()) {
            held.push_back({share_of(question, amounts).value_or(0), i});
        }
    }
    std::ranges::stable_sort(held, {}, &Held::share);
    std::vector<std::size_t> holders;
    for (const Held& one : held) {
        holders.push_back(one.holder);
    }
    return holders;
}

KueueAnswer without(const Question& question, const std::vector<std::size_t>& gone) {
    KueueWhatIf change;
    change.ended.insert(gone.begin(), gone.end());
    change.retries = true;
    return question.inquiry.ask(change);
}

void add_ended(const Question& question, const std::vector<std::size_t>& gone, Changes& out) {
    std::vector<std::string> names;
    kueue::ResourceAmounts amounts;
    for (const std::size_t holder : gone) {
        const kueue::Workload& workload = question.inquiry.moment().held[holder].workload;
        names.push_back(workload.name);
        for (const auto& [what, amount] : workload.usage()) {
            kueue::add_to(amounts, what.resource, amount);
        }
    }
    constexpr std::size_t shown_max = 5;
    const std::size_t shown = std::min(names.size(), shown_max);
    const std::vector<std::string> first(names.begin(),
                                         names.begin() + static_cast<std::ptrdiff_t>(shown));
    add(fmt::format("{}{} {} ended",
                    core::join(first, ", "),
                    shown < names.size() ? fmt::format(" and {} more", names.size() - shown) : "",
                    names.size() == 1 ? "has" : "have"),
        share_of(question, amounts),
        {{"kind", "leave"}, {"jobs", names}},
        without(question, gone),
        out);
}

}  // namespace

void preemption_policies(const Question& question, Changes& out) {
    const sim::KueueInquiry& inquiry = question.inquiry;
    const PreemptionPolicies now = inquiry.cache().queue(inquiry.queue()).preemption;
    const auto try_each = [&](PreemptionPolicy PreemptionPolicies::* which,
                              const std::string& field,
                              std::initializer_list<PreemptionPolicy> wider) {
        for (const PreemptionPolicy policy : wider) {
            PreemptionPolicies changed = now;
            changed.*which = policy;
            if (policy > now.*which &&
                try_policies(question, changed, field, word_of(now.*which), word_of(policy), out)) {
                return;
            }
        }
    };
    try_each(&PreemptionPolicies::within_cluster_queue,
             "withinClusterQueue",
             {PreemptionPolicy::lower_priority, PreemptionPolicy::lower_or_newer_equal_priority});
    if (!inquiry.cache().tree().parent(inquiry.queue())) {
        return;
    }
    try_each(&PreemptionPolicies::reclaim_within_cohort,
             "reclaimWithinCohort",
             {PreemptionPolicy::lower_priority, PreemptionPolicy::any});
    if (now.reclaim_within_cohort > PreemptionPolicy::unset && !now.borrow_within_cohort.allowed) {
        PreemptionPolicies changed = now;
        changed.borrow_within_cohort = {true, std::nullopt};
        (void)try_policies(
            question, changed, "borrowWithinCohort.policy", "Never", "LowerPriority", out);
    }
}

/// The smallest holder without which the job is admitted. If no single one is enough, several of
/// the largest, none of which can be left out.
void others_end(const Question& question, Changes& out) {
    const std::vector<std::size_t> holders = who_could_end(question);
    const auto is_enough_without = [&](const std::vector<std::size_t>& gone) {
        return is_enough(without(question, gone), Wanted::at_once);
    };
    for (std::size_t i = 0; i < std::min(holders.size(), alone_max); ++i) {
        if (is_enough_without({holders[i]})) {
            add_ended(question, {holders[i]}, out);
            return;
        }
    }
    std::vector<std::size_t> gone(
        holders.rbegin(),
        holders.rbegin() + static_cast<std::ptrdiff_t>(std::min(holders.size(), together_max)));
    if (gone.size() < 2 || !is_enough_without(gone)) {
        return;
    }
    // Takes as few of the largest as possible, then drops those that need not have ended.
    std::size_t low = 0;
    std::size_t high = gone.size();
    while (high - low > 1) {
        const std::size_t middle = low + (high - low) / 2;
        const std::vector<std::size_t> some(gone.begin(),
                                            gone.begin() + static_cast<std::ptrdiff_t>(middle));
        (is_enough_without(some) ? high : low) = middle;
    }
    gone.resize(high);
    for (std::size_t i = 0; i < gone.size();) {
        std::vector<std::size_t> others = gone;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        if (!others.empty() && is_enough_without(others)) {
            gone = std::move(others);
        } else {
            ++i;
        }
    }
    add_ended(question, gone, out);
}

}  // namespace berth::experiments::kueue_changes
