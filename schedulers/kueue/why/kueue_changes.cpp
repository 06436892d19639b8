/// Changes of the job, of its ClusterQueue and of other jobs with which Kueue admits it.

#include "schedulers/kueue/why/kueue_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "experiments/program/why/finding.hpp"
#include "experiments/program/why/words.hpp"

namespace berth::experiments {

namespace kueue = core::kueue;

using core::Amount;
using core::Level;
using sim::Answer;
using sim::Job;
using sim::KueueWhatIf;

namespace kueue_changes {
namespace {

/// Kueue's counting unit of a resource, in the schema's amounts.
Amount step_of(const core::ResourceSchema& schema, std::size_t r) {
    return schema.name(r) == "cpu" ? 1 : schema.per_unit(r);
}

}  // namespace

Amounts amounts_of(const Question& question, const kueue::ResourceAmounts& amounts) {
    const core::ResourceSchema& schema = question.turn.ledger.topology().resources();
    Amounts out;
    for (const auto& [resource, amount] : amounts) {
        if (const auto r = schema.find(question.inquiry.cache().names()[resource])) {
            out.resize(schema.size(), 0);
            out[*r] = kueue::times(amount, step_of(schema, *r));
        }
    }
    return out;
}

std::vector<kueue::FlavorResource> short_of(const Question& question,
                                            const kueue::ResourceGroup& group,
                                            kueue::FlavorId flavor) {
    const kueue::Workload& asked = question.inquiry.asked();
    const kueue::ResourceAmounts asks =
        question.inquiry.requests(asked, asked.pod_sets.front().count);
    const kueue::QuotaTree& tree = question.inquiry.cache().tree();
    std::vector<kueue::FlavorResource> all;
    std::vector<kueue::FlavorResource> lacking;
    for (const kueue::ResourceId resource : group.resources) {
        const auto amount = asks.find(resource);
        if (amount != asks.end()) {
            const kueue::FlavorResource what{flavor, resource};
            all.push_back(what);
            if (tree.available(question.inquiry.queue(), what) < amount->second) {
                lacking.push_back(what);
            }
        }
    }
    return lacking.empty() ? all : lacking;
}

}  // namespace kueue_changes

namespace {

using kueue::PreemptionPolicies;
using kueue::PreemptionPolicy;
using kueue_changes::amounts_of;
using kueue_changes::Question;

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

/// Tries a change of Kueue's state. Returns whether the job is admitted with it.
bool try_with(const Question& question, const KueueWhatIf& what_if, const Change& change) {
    return question.search.try_it([&] { return question.inquiry.ask(what_if); }, change);
}

void change_the_job(const Question& question) {
    const Job& job = question.turn.record.job;
    const core::ResourceSchema& schema = question.turn.ledger.topology().resources();
    for (std::size_t r = 0; r < job.demand.size(); ++r) {
        if (job.demand[r] > 0) {
            question.search.asks_for_less(r, kueue_changes::step_of(schema, r));
        }
    }
    question.search.has_fewer_members();
    question.search.starts_with_fewer();
}

void higher_priority(const Question& question) {
    const std::int64_t now = question.inquiry.asked().priority;
    std::set<std::int64_t> above;
    const auto note = [&](std::int64_t priority) {
        if (priority >= now) {
            above.insert(priority + 1);
        }
    };
    for (const sim::KueueMoment::Holder& holder : question.inquiry.moment().held) {
        note(holder.workload.priority);
    }
    for (const sim::KueueMoment::Waiter& other : question.inquiry.moment().others) {
        note(other.workload.priority);
    }
    if (above.empty()) {
        return;
    }
    const std::vector<std::int64_t> tried(above.begin(), above.end());
    const auto priority = [&](const Amounts& number) {
        return tried[static_cast<std::size_t>(number.front())];
    };
    const auto ask = [&](const Amounts& number) {
        kueue::Workload workload = question.inquiry.asked();
        workload.priority = priority(number);
        return question.inquiry.ask({.workload = std::move(workload)});
    };
    const auto change = [&](const Amounts& number) {
        return worded_change("priority",
                             "its priority is {to} instead of {from}",
                             {{"from", now}, {"to", priority(number)}});
    };
    question.search.turn({{{-1, std::ssize(tried) - 1}}, ask, change, Knob::Wanted::in_the_end});
}

void first_in_queue(const Question& question) {
    std::vector<std::string> before;
    for (const sim::KueueMoment::Waiter* other : question.inquiry.before()) {
        before.push_back(other->workload.name);
    }
    if (before.empty()) {
        return;
    }
    try_with(question,
             {.first = true},
             {fmt::format("it stands first in ClusterQueue {}, before {}",
                          question.inquiry.asked().queue_name,
                          names_text(before, 1)),
              {{"kind", "first"}}});
}

void other_constraints(const Question& question) {
    for (const Level level : hard_levels(question.turn.record.job)) {
        for (std::uint32_t above = level.index; above-- > 1;) {
            if (question.search.constraint_moves(level, Level{above})) {
                break;
            }
        }
        question.search.constraint_is_soft(level);
    }
}

/// The holders of resources that are short, in the tree or on the servers, those with the smallest
/// share first.
Search::Gone who_could_end(const Question& question) {
    struct Held {
        std::int64_t share = 0;
        std::size_t holder = 0;
    };
    const sim::KueueInquiry& inquiry = question.inquiry;
    kueue::FlavorResources lacking;
    for (const kueue::ResourceGroup* group : inquiry.groups()) {
        for (const kueue::FlavorId flavor : group->flavors) {
            for (const kueue::FlavorResource what :
                 kueue_changes::short_of(question, *group, flavor)) {
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
            const auto share = question.search.share(amounts_of(question, amounts));
            held.push_back({share.value_or(0), i});
        }
    }
    std::ranges::stable_sort(held, {}, &Held::share);
    Search::Gone holders;
    std::ranges::transform(held, std::back_inserter(holders), &Held::holder);
    return holders;
}

/// Tries preemption policies. Returns whether the job is admitted with them.
bool try_policies(const Question& question,
                  const PreemptionPolicies& policies,
                  const char* field,
                  PreemptionPolicy from,
                  PreemptionPolicy to) {
    return try_with(question,
                    {.policies = policies, .retries = true},
                    worded_change("preemption",
                                  "{field} of ClusterQueue {queue} is {to} instead of {from}",
                                  {{"queue", question.inquiry.asked().queue_name},
                                   {"field", field},
                                   {"from", word_of(from)},
                                   {"to", word_of(to)}}));
}

void preemption_policies(const Question& question) {
    const sim::KueueInquiry& inquiry = question.inquiry;
    const PreemptionPolicies now = inquiry.cache().queue(inquiry.queue()).preemption;
    const auto try_each = [&](PreemptionPolicy PreemptionPolicies::* which,
                              const char* field,
                              std::initializer_list<PreemptionPolicy> wider) {
        for (const PreemptionPolicy policy : wider) {
            PreemptionPolicies changed = now;
            changed.*which = policy;
            if (policy > now.*which && try_policies(question, changed, field, now.*which, policy)) {
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
        try_policies(question,
                     changed,
                     "borrowWithinCohort.policy",
                     PreemptionPolicy::never,
                     PreemptionPolicy::lower_priority);
    }
}

/// The smallest holder without which the job is admitted. If no single one is enough, several of
/// the largest.
void others_end(const Question& question) {
    std::vector<Search::Other> others;
    for (const sim::KueueMoment::Holder& holder : question.inquiry.moment().held) {
        kueue::ResourceAmounts amounts;
        for (const auto& [what, amount] : holder.workload.usage()) {
            kueue::add_to(amounts, what.resource, amount);
        }
        others.push_back({holder.workload.name, amounts_of(question, amounts)});
    }
    const Search::Gone holders = who_could_end(question);
    question.search.others_end(
        others, holders, {{holders.rbegin(), holders.rend()}}, [&](const Search::Gone& gone) {
            return question.inquiry.ask({.ended = {gone.begin(), gone.end()}, .retries = true});
        });
}

/// The change for a job that is not offered because its ClusterQueue is stopped.
bool is_inactive(const Question& question) {
    const sim::KueueInquiry& inquiry = question.inquiry;
    if (inquiry.cache().is_active(inquiry.queue())) {
        return false;
    }
    const std::string& name = inquiry.asked().queue_name;
    try_with(question,
             {.resumed = true, .retries = true},
             worded_change("resume", "ClusterQueue {queue} is not stopped", {{"queue", name}}));
    question.search.not_tried(fmt::format("other changes: ClusterQueue {} takes no jobs", name));
    return true;
}

/// Whether the job gets its quota without a change, only later.
bool gets_it_anyway(const Question& question) {
    sim::KueueInquiry& inquiry = question.inquiry;
    const auto& again = inquiry.moment().offered_again;
    Answer answer = inquiry.ask({});
    if (again && !is_let_in(answer)) {
        answer = inquiry.ask({.retries = true});
    }
    if (!is_let_in(answer)) {
        return false;
    }
    std::string text =
        again ? fmt::format("nothing changes: it is offered again at {}", sim::time_text(*again))
              : "nothing changes: it is admitted once it is offered again";
    if (answer.outcome == Answer::Outcome::preempts && !again) {
        text = "nothing changes: it is admitted once the workloads in its way have stopped";
    }
    question.search.add(
        {std::move(text),
         {{"kind", "wait"},
          {"until_s",
           again ? nlohmann::ordered_json(sim::seconds(*again)) : nlohmann::ordered_json()}}},
        answer);
    question.search.not_tried("other changes: it needs none");
    return true;
}

}  // namespace

Changes find_kueue_changes(const sim::Turn& turn, sim::KueueInquiry& inquiry) {
    // No other workload is offered again because the job asks for something else.
    Search search(turn.ledger, turn.record.job, [&](const Job& changed) {
        return inquiry.ask({.workload = inquiry.workload_of(changed)});
    });
    const Question question{turn, inquiry, search};
    if (!is_inactive(question) && !gets_it_anyway(question)) {
        change_the_job(question);
        kueue_changes::larger_quotas(question);
        others_end(question);
        other_constraints(question);
        higher_priority(question);
        first_in_queue(question);
        preemption_policies(question);
    }
    return search.take();
}

}  // namespace berth::experiments
