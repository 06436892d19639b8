/// Changes of the job, or of its place in the queue, with which Kueue admits it.

#include "schedulers/kueue/why/kueue_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/support/text.hpp"
#include "experiments/program/why/trial.hpp"
#include "experiments/program/why/words.hpp"

namespace berth::experiments {

namespace kueue = core::kueue;

using core::Amount;
using core::Level;
using core::Members;
using sim::Job;
using sim::KueueAnswer;
using sim::KueueWhatIf;

namespace kueue_changes {
namespace {

/// The answer if the job asked for something else. No other workload is offered again because of
/// that.
KueueAnswer as_job(const Question& question, const Job& job) {
    KueueWhatIf change;
    change.workload = question.inquiry.workload_of(job);
    return question.inquiry.ask(change);
}

/// Calls `add(number, answer)` with the largest number in [low, high) with which the job made by
/// `with` is admitted. If that preempts others, it is also called with the largest number with
/// which the job is admitted at once.
template <class With, class Add>
void add_largest(const Question& question, Amount low, Amount high, With with, Add add) {
    if (low >= high) {
        return;
    }
    for (const Wanted wanted : {Wanted::in_the_end, Wanted::at_once}) {
        KueueAnswer best = as_job(question, with(low));
        if (!is_enough(best, wanted)) {
            return;
        }
        Amount most = low;
        for (Amount beyond = high; beyond - most > 1;) {
            const Amount middle = most + (beyond - most) / 2;
            KueueAnswer answer = as_job(question, with(middle));
            if (is_enough(answer, wanted)) {
                most = middle;
                best = std::move(answer);
            } else {
                beyond = middle;
            }
        }
        add(most, best);
        if (best.outcome == KueueAnswer::Outcome::admitted) {
            return;
        }
    }
}

/// Kueue's counting unit of a resource, in the schema's amounts.
Amount step_of(const core::ResourceSchema& schema, std::size_t r) {
    return schema.name(r) == "cpu" ? 1 : schema.per_unit(r);
}

std::string few(const std::vector<std::string>& names) {
    constexpr std::size_t shown_max = 5;
    const auto shown = static_cast<std::ptrdiff_t>(std::min(names.size(), shown_max));
    const std::string first =
        core::join(std::vector<std::string>(names.begin(), names.begin() + shown), ", ");
    return names.size() > shown_max ? fmt::format("{} and {} more", first, names.size() - shown_max)
                                    : first;
}

}  // namespace

bool is_enough(const KueueAnswer& answer, Wanted wanted) {
    return answer.outcome == KueueAnswer::Outcome::admitted ||
           (wanted == Wanted::in_the_end && answer.outcome == KueueAnswer::Outcome::preempts);
}

void add(std::string text,
         std::optional<std::int64_t> share,
         nlohmann::ordered_json what,
         const KueueAnswer& answer,
         Changes& out) {
    if (answer.outcome == KueueAnswer::Outcome::preempts) {
        text += fmt::format("; then {} {} preempted for it",
                            few(answer.preempted),
                            answer.preempted.size() > 1 ? "are" : "is");
        what["preempts"] = answer.preempted;
    }
    out.found.push_back({std::move(text), share, std::move(what)});
}

std::optional<std::int64_t> share_of(const Question& question,
                                     const kueue::ResourceAmounts& amounts) {
    const core::Ledger& ledger = question.turn.ledger;
    const core::ResourceSchema& schema = ledger.topology().resources();
    std::vector<Amount> demand(schema.size(), 0);
    bool any = false;
    for (const auto& [resource, amount] : amounts) {
        if (const auto r = schema.find(question.inquiry.cache().names()[resource])) {
            demand[*r] = kueue::times(amount, step_of(schema, *r));
            any = true;
        }
    }
    return any ? std::optional(share_of_cluster(ledger, demand, 1)) : std::nullopt;
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

void ask_for_less(const Question& question, Changes& out) {
    const Job& job = question.turn.record.job;
    const core::ResourceSchema& schema = question.turn.ledger.topology().resources();
    for (std::size_t r = 0; r < job.demand.size(); ++r) {
        if (job.demand[r] <= 0) {
            continue;
        }
        const Amount step = step_of(schema, r);
        const auto with = [&](Amount steps) {
            Job changed = job;
            changed.demand[r] = steps * step;
            return changed;
        };
        const auto note = [&](Amount steps, const KueueAnswer& answer) {
            std::vector<Amount> less(job.demand.size(), 0);
            less[r] = job.demand[r] - steps * step;
            add(fmt::format("{} asks for {} of {} instead of {}",
                            job.group ? "each member" : "it",
                            schema.format(r, steps * step),
                            schema.name(r),
                            schema.format(r, job.demand[r])),
                share_of_cluster(question.turn.ledger, less, job.size),
                {{"kind", "ask"},
                 {"resource", schema.name(r)},
                 {"from", schema.format(r, job.demand[r])},
                 {"to", schema.format(r, steps * step)}},
                answer,
                out);
            out.found.back().is_far = is_far(steps * step, job.demand[r]);
        };
        add_largest(question, 1, (job.demand[r] + step - 1) / step, with, note);
    }
}

void fewer_members(const Question& question, Changes& out) {
    const Job& job = question.turn.record.job;
    if (!job.group) {
        return;
    }
    const auto note = [&](const char* kind, Members before, const char* verb) {
        return
            [&question, &job, &out, kind, before, verb](Amount members, const KueueAnswer& answer) {
                const auto fewer = before - static_cast<Members>(members);
                add(fmt::format("it {} {} members instead of {}", verb, members, before),
                    share_of_cluster(question.turn.ledger, job.demand, fewer),
                    {{"kind", kind}, {"from", before}, {"to", members}},
                    answer,
                    out);
                out.found.back().is_far = is_far(members, before);
            };
    };
    const auto smaller = [&](Amount members) {
        Job changed = job;
        changed.size = static_cast<Members>(members);
        changed.min_available = std::min(job.min_available, changed.size);
        return changed;
    };
    const auto sooner = [&](Amount members) {
        Job changed = job;
        changed.min_available = static_cast<Members>(members);
        return changed;
    };
    add_largest(question, 1, job.size, smaller, note("members", job.size, "has"));
    add_largest(question,
                1,
                job.min_available,
                sooner,
                note("min-available", job.min_available, "starts with"));
}

void higher_priority(const Question& question, Changes& out) {
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
    const std::vector<std::int64_t> tried(above.begin(), above.end());
    const auto with = [&](std::int64_t priority) {
        KueueWhatIf change;
        change.workload = question.inquiry.asked();
        change.workload->priority = priority;
        return question.inquiry.ask(change);
    };
    const auto least = std::ranges::partition_point(tried, [&](std::int64_t priority) {
        return !is_enough(with(priority), Wanted::in_the_end);
    });
    if (least != tried.end()) {
        add(fmt::format("its priority is {} instead of {}", *least, now),
            std::nullopt,
            {{"kind", "priority"}, {"from", now}, {"to", *least}},
            with(*least),
            out);
    }
}

void first_in_queue(const Question& question, Changes& out) {
    const auto before = question.inquiry.before();
    KueueWhatIf change;
    change.first = true;
    if (before.empty()) {
        return;
    }
    const KueueAnswer answer = question.inquiry.ask(change);
    if (is_enough(answer, Wanted::in_the_end)) {
        add(fmt::format("it stands first in ClusterQueue {}, before {}{}",
                        question.inquiry.asked().queue_name,
                        before.front()->workload.name,
                        before.size() > 1 ? fmt::format(" and {} more", before.size() - 1) : ""),
            std::nullopt,
            {{"kind", "first"}},
            answer,
            out);
    }
}

void other_constraints(const Question& question, Changes& out) {
    const Job& job = question.turn.record.job;
    const core::Topology& tree = question.turn.ledger.topology();
    const auto try_it = [&](const Job& changed, std::string text, nlohmann::ordered_json what) {
        const KueueAnswer answer = as_job(question, changed);
        const bool enough = is_enough(answer, Wanted::in_the_end);
        if (enough) {
            add(std::move(text), std::nullopt, std::move(what), answer, out);
        }
        return enough;
    };
    for (const Level level : hard_levels(job)) {
        const std::string& name = tree.level_name(level);
        for (std::uint32_t above = level.index; above-- > 1;) {
            Job changed = job;
            changed.constraints->set(Level{above}, job.constraints->at(level));
            changed.constraints->set(level, core::LevelConstraint());
            const std::string& wider = tree.level_name(Level{above});
            if (try_it(changed,
                       fmt::format("its constraint is on {} instead of {}", wider, name),
                       {{"kind", "constraint"}, {"level", name}, {"to", wider}})) {
                break;
            }
        }
        (void)try_it(softened(job, {level}),
                     fmt::format("its constraint on {} is soft", name),
                     {{"kind", "constraint"}, {"level", name}, {"to", "soft"}});
    }
}

}  // namespace kueue_changes

namespace {

using namespace kueue_changes;

/// The change for a job that is not offered because its ClusterQueue is stopped.
bool is_inactive(const Question& question, Changes& out) {
    sim::KueueInquiry& inquiry = question.inquiry;
    if (inquiry.cache().is_active(inquiry.queue())) {
        return false;
    }
    const std::string& name = inquiry.asked().queue_name;
    KueueWhatIf change;
    change.resumed = true;
    change.retries = true;
    const KueueAnswer answer = inquiry.ask(change);
    if (is_enough(answer, Wanted::in_the_end)) {
        add(fmt::format("ClusterQueue {} is not stopped", name),
            std::nullopt,
            {{"kind", "resume"}, {"queue", name}},
            answer,
            out);
    }
    out.untried.push_back(fmt::format("other changes: ClusterQueue {} takes nobody", name));
    return true;
}

/// Whether the job gets its quota without a change, only later.
bool gets_it_anyway(const Question& question, Changes& out) {
    sim::KueueInquiry& inquiry = question.inquiry;
    const auto& again = inquiry.moment().offered_again;
    KueueWhatIf change;
    KueueAnswer answer = inquiry.ask(change);
    if (again && !is_enough(answer, Wanted::in_the_end)) {
        change.retries = true;
        answer = inquiry.ask(change);
    }
    if (!is_enough(answer, Wanted::in_the_end)) {
        return false;
    }
    std::string text =
        again ? fmt::format("nothing changes: it is offered again at {}", sim::time_text(*again))
              : "nothing changes: it is admitted once it is offered again";
    if (answer.outcome == KueueAnswer::Outcome::preempts && !again) {
        text = "nothing changes: it is admitted once those have stopped who are in its way";
    }
    add(std::move(text),
        std::nullopt,
        {{"kind", "wait"},
         {"until_s",
          again ? nlohmann::ordered_json(sim::seconds(*again)) : nlohmann::ordered_json()}},
        answer,
        out);
    out.untried.emplace_back("other changes: it needs none");
    return true;
}

}  // namespace

Changes find_kueue_changes(const sim::Turn& turn, sim::KueueInquiry& inquiry) {
    Changes out;
    const Question question{turn, inquiry};
    if (is_inactive(question, out) || gets_it_anyway(question, out)) {
        return out;
    }
    ask_for_less(question, out);
    fewer_members(question, out);
    larger_quotas(question, out);
    others_end(question, out);
    other_constraints(question, out);
    higher_priority(question, out);
    first_in_queue(question, out);
    preemption_policies(question, out);
    sort_changes(out.found);
    return out;
}

}  // namespace berth::experiments
