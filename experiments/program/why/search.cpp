#include "experiments/program/why/search.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/why/words.hpp"

namespace berth::experiments {

using core::Amount;
using sim::Answer;

std::string worded(std::string_view words, const nlohmann::ordered_json& details) {
    std::string out;
    for (std::size_t open = 0; (open = words.find('{')) != std::string_view::npos;) {
        const std::size_t close = words.find('}', open);
        const auto& detail = details.at(std::string(words.substr(open + 1, close - open - 1)));
        out += words.substr(0, open);
        out += detail.is_string() ? detail.get<std::string>() : dumped(detail);
        words.remove_prefix(close + 1);
    }
    return out.append(words);
}

Change worded_change(const char* kind,
                     std::string_view words,
                     const nlohmann::ordered_json& details,
                     std::optional<std::int64_t> share) {
    Change change{worded(words, details), {{"kind", kind}}, share};
    change.what.update(details);
    return change;
}

namespace {

struct Turned {
    Amounts amounts;
    Answer answer;
};

/// The least amounts with which the job is let in, and what the scheduler decides with them.
std::optional<Turned> least(const Knob& knob, bool at_once) {
    std::optional<Turned> found;
    const auto is_enough = [&](Amounts amounts) {
        Answer answer = knob.ask(amounts);
        const bool enough =
            at_once ? answer.outcome == Answer::Outcome::admitted : is_let_in(answer);
        if (enough) {
            found = {std::move(amounts), std::move(answer)};
        }
        return enough;
    };
    Amounts most;
    std::ranges::transform(knob.ranges, std::back_inserter(most), &Knob::Range::to);
    if (!is_enough(most)) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < most.size(); ++i) {
        const auto is_enough_at = [&](Amount amount) {
            Amounts amounts = found->amounts;
            amounts[i] = amount;
            return is_enough(std::move(amounts));
        };
        const auto [from, to] = knob.ranges[i];
        if (most.size() == 1 || !is_enough_at(from)) {
            nearest_enough(from, to, is_enough_at);
        }
    }
    return found;
}

}  // namespace

bool Search::turn(const Knob& knob) {
    using Wanted = Knob::Wanted;
    if (knob.ranges.size() == 1 && knob.ranges.front().from == knob.ranges.front().to) {
        return false;
    }
    bool any = false;
    for (const bool at_once : {false, true}) {
        if (knob.wanted == (at_once ? Wanted::in_the_end : Wanted::at_once)) {
            continue;
        }
        const std::optional<Turned> found = least(knob, at_once);
        if (!found) {
            break;
        }
        add(knob.change(found->amounts), found->answer);
        any = true;
        if (found->answer.outcome == Answer::Outcome::admitted) {
            break;
        }
    }
    return any;
}

bool Search::try_it(const std::function<Answer()>& ask, const Change& change) {
    return turn(
        {{}, [&](const Amounts&) { return ask(); }, [&](const Amounts&) { return change; }});
}

bool Search::try_as(const sim::Job& changed, const Change& change) {
    return try_it([&] { return ask_as_(changed); }, change);
}

void Search::add(Change change, const Answer& answer) {
    if (answer.outcome == Answer::Outcome::preempts) {
        change.text += fmt::format("; then {} {} preempted for it",
                                   names_text(answer.preempted, 5),
                                   answer.preempted.size() > 1 ? "are" : "is");
        change.what["preempts"] = answer.preempted;
    }
    changes_.found.push_back(std::move(change));
}

std::optional<std::int64_t> Search::share(std::span<const Amount> amounts,
                                          core::Members times) const {
    return amounts.empty() ? std::nullopt
                           : std::optional(share_of_cluster(ledger_, amounts, times));
}

Changes Search::take() {
    std::ranges::stable_sort(changes_.found, {}, [](const Change& change) {
        return std::pair(change.is_far, change.share.value_or(INT64_MAX));
    });
    return std::move(changes_);
}

std::int64_t share_of_cluster(const core::Ledger& ledger,
                              std::span<const Amount> demand,
                              core::Members members) {
    const auto capacity = ledger.capacity(ledger.topology().root());
    std::int64_t share = 0;
    for (std::size_t r = 0; r < demand.size(); ++r) {
        if (capacity[r] > 0 && demand[r] > 0) {
            const core::Quantity whole = static_cast<core::Quantity>(demand[r]) * members;
            const core::Quantity part = (whole << 32) / capacity[r];
            share = std::max(
                share, static_cast<std::int64_t>(std::min<core::Quantity>(part, INT64_MAX >> 1)));
        }
    }
    return share;
}

}  // namespace berth::experiments
