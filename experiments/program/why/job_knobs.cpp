/// Knobs that every job has: what it could ask for instead, and other jobs that could have ended.

#include <fmt/format.h>

#include <algorithm>

#include "experiments/program/why/finding.hpp"
#include "experiments/program/why/search.hpp"
#include "experiments/program/why/words.hpp"

namespace berth::experiments {

using core::Amount;
using core::Level;
using core::Members;
using sim::Job;

namespace {

constexpr std::size_t alone_max = 100;    ///< The number of jobs that are tried one by one.
constexpr std::size_t together_max = 64;  ///< The number of jobs that are tried together.

/// Whether this amount is less than half of what the job asks for, with which it can hardly do.
constexpr bool is_far(Amount amount, Amount asked) {
    return amount < asked - amount;
}

Change ended(const Search& search,
             const std::vector<Search::Other>& others,
             const Search::Gone& gone) {
    std::vector<std::string> names;
    Amounts amounts;
    for (const std::size_t number : gone) {
        const Search::Other& other = others[number];
        names.push_back(other.name);
        amounts.resize(std::max(amounts.size(), other.amounts.size()), 0);
        for (std::size_t r = 0; r < other.amounts.size(); ++r) {
            amounts[r] += other.amounts[r];
        }
    }
    return {fmt::format("{} {} ended", names_text(names, 5), names.size() == 1 ? "has" : "have"),
            {{"kind", "leave"}, {"jobs", names}},
            search.share(amounts)};
}

}  // namespace

bool Search::asks_for(std::size_t resource, Knob::Range range, Amount step, const With& with) {
    const core::ResourceSchema& schema = ledger_.topology().resources();
    const Amount asked = job_.demand[resource];
    const char* const words = job_.group
                                  ? "each member asks for {to} of {resource} instead of {from}"
                                  : "it asks for {to} of {resource} instead of {from}";
    const auto change = [&](const Amounts& steps) {
        const Amount amount = steps.front() * step;
        Amounts less(job_.demand.size(), 0);
        less[resource] = asked - amount;
        Change out = worded_change("ask",
                                   words,
                                   {{"resource", schema.name(resource)},
                                    {"from", schema.format(resource, asked)},
                                    {"to", schema.format(resource, amount)}},
                                   share(less, job_.size));
        out.is_far = is_far(amount, asked);
        return out;
    };
    return turn(
        {{range}, [&](const Amounts& steps) { return ask_as_(with(steps.front())); }, change});
}

bool Search::asks_for_less(std::size_t resource, Amount step) {
    const Amount now = (job_.demand[resource] + step - 1) / step;
    return asks_for(resource, {now, 1}, step, [&](Amount steps) {
        Job changed = job_;
        changed.demand[resource] = steps * step;
        return changed;
    });
}

bool Search::fewer(const char* kind, const char* words, Members now, const With& with) {
    const auto change = [&](const Amounts& members) {
        const Members fewer = now - members.front();
        Change out = worded_change(
            kind, words, {{"from", now}, {"to", members.front()}}, share(job_.demand, fewer));
        out.is_far = is_far(members.front(), now);
        return out;
    };
    return job_.group &&
           turn({{{now, 1}},
                 [&](const Amounts& members) { return ask_as_(with(members.front())); },
                 change});
}

bool Search::has_fewer_members() {
    const char* const words = "it has {to} members instead of {from}";
    return fewer("members", words, job_.size, [&](Members members) {
        Job changed = job_;
        changed.size = members;
        changed.min_available = std::min(job_.min_available, members);
        return changed;
    });
}

bool Search::starts_with_fewer() {
    const char* const words = "it starts with {to} members instead of {from}";
    return fewer("min-available", words, job_.min_available, [&](Members members) {
        Job changed = job_;
        changed.min_available = members;
        return changed;
    });
}

bool Search::constraint_moves(Level from, Level to) {
    const core::Topology& tree = ledger_.topology();
    Job changed = job_;
    changed.constraints->set(to, job_.constraints->at(from));
    changed.constraints->set(from, core::LevelConstraint());
    return try_as(changed,
                  worded_change("constraint",
                                "its constraint is on {to} instead of {level}",
                                {{"level", tree.level_name(from)}, {"to", tree.level_name(to)}}));
}

bool Search::constraint_is_soft(Level level) {
    const std::string& name = ledger_.topology().level_name(level);
    return try_as(
        softened(job_, {level}),
        worded_change(
            "constraint", "its constraint on {level} is soft", {{"level", name}, {"to", "soft"}}));
}

bool Search::others_end(const std::vector<Other>& others,
                        const Gone& alone,
                        const std::vector<Gone>& together,
                        const std::function<sim::Answer(const Gone&)>& ask_without) {
    const auto try_without = [&](const Gone& gone) {
        const sim::Answer answer = gone.empty() ? sim::Answer() : ask_without(gone);
        return answer.outcome == sim::Answer::Outcome::admitted;
    };
    const auto add_without = [&](const Gone& gone) {
        add(ended(*this, others, gone), {sim::Answer::Outcome::admitted});
        return true;
    };
    for (std::size_t i = 0; i < std::min(alone.size(), alone_max); ++i) {
        if (try_without({alone[i]})) {
            return add_without({alone[i]});
        }
    }
    for (const Gone& list : together) {
        const auto first = [&](std::size_t count) {
            return Gone(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count));
        };
        const std::size_t most = std::min(list.size(), together_max);
        if (!try_without(first(most))) {
            continue;
        }
        Gone gone = first(nearest_enough(
            std::size_t{0}, most, [&](std::size_t count) { return try_without(first(count)); }));
        for (std::size_t i = 0; i < gone.size();) {
            Gone others_gone = gone;
            others_gone.erase(others_gone.begin() + static_cast<std::ptrdiff_t>(i));
            if (try_without(others_gone)) {
                gone = std::move(others_gone);
            } else {
                ++i;
            }
        }
        return add_without(gone);
    }
    return false;
}

}  // namespace berth::experiments
