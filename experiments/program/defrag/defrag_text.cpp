#include <fmt/format.h>

#include <algorithm>

#include "core/support/text.hpp"
#include "experiments/program/defrag/defrag.hpp"

namespace berth::experiments {
namespace {

using Kind = core::RoomGoal::Kind;

std::string number(std::int64_t count, const std::string& what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// `1.5`, without zeros at its end.
std::string short_number(double value) {
    std::string text = fmt::format("{:.2f}", value);
    text.erase(text.find_last_not_of('0') + 1);
    return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

/// `2 GPU-hours`, from milliseconds.
std::string work(std::int64_t milliseconds, const std::string& resource) {
    constexpr std::int64_t hour = 3'600'000;
    constexpr std::int64_t minute = 60'000;
    const bool hours = milliseconds >= hour;
    const std::int64_t unit = hours ? hour : minute;
    const std::string text =
        short_number(static_cast<double>(milliseconds) / static_cast<double>(unit));
    return fmt::format(
        "{} {}-{}{}", text, resource, hours ? "hour" : "minute", text == "1" ? "" : "s");
}

std::string_view are(std::string_view amount) {
    return amount.starts_with("1 ") ? "is" : "are";
}

std::string amount(core::Amount value, const DefragAnswer& answer) {
    const std::string text =
        short_number(static_cast<double>(value) / static_cast<double>(answer.unit));
    return fmt::format("{} {}{}", text, answer.resource, text == "1" ? "" : "s");
}

/// `a`, `a and b`, `a, b and c`; of more than eight the first ones.
std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t most = 8;
    std::vector<std::string> shown(
        names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most)));
    if (names.size() > most) {
        shown.push_back(fmt::format("{} more", names.size() - most));
    }
    if (shown.size() == 1) {
        return shown.front();
    }
    const std::string last = shown.back();
    shown.pop_back();
    return core::join(shown, ", ") + " and " + last;
}

std::string room_text(const DefragAnswer& answer) {
    std::vector<std::string> names;
    for (const RoomOn& one : answer.room) {
        names.push_back(one.pods > 1 ? fmt::format("{} ({} pods)", one.name, one.pods) : one.name);
    }
    return listed(names);
}

/// What is true after the moves: `lab/big fits on gpu-3 and gpu-4`.
std::string outcome(const DefragAnswer& answer) {
    switch (answer.goal.kind) {
        case Kind::copies:
            return fmt::format(
                "{} {} on {}", answer.what, answer.several ? "fit" : "fits", room_text(answer));
        case Kind::whole:
            return fmt::format(
                "{} {} whole", room_text(answer), answer.room.size() == 1 ? "is" : "are");
        case Kind::most:
            break;
    }
    return fmt::format("{} {} {} instead of {}",
                       number(answer.plan.has, "pod"),
                       answer.what,
                       answer.plan.has == 1 ? "fits" : "fit",
                       answer.plan.had);
}

std::string moves_text(const DefragAnswer& answer) {
    const auto count = static_cast<std::int64_t>(answer.moves.size());
    return fmt::format("{} move{}, {}",
                       number(count, "pod"),
                       count == 1 ? "s" : "",
                       answer.loses == 0 ? "no work is lost"
                                         : fmt::format("{} of work {} lost",
                                                       work(answer.loses, answer.resource),
                                                       are(work(answer.loses, answer.resource))));
}

/// What may still be found, if the search for moves did not look at everything.
std::string_view doubt(const DefragAnswer& answer) {
    return answer.plan.best    ? ""
           : answer.may_search ? "; a larger --states may find more"
                               : "; it is not known whether other moves help";
}

std::string nearest_text(const DefragAnswer& answer) {
    const core::RoomGoal& goal = answer.goal;
    const core::Amount each = goal.shape.demand.size() > 0 ? goal.shape.demand[goal.resource] : 0;
    if (goal.kind != Kind::whole && each > answer.largest) {
        return fmt::format(
            "no moves make room for {}: a pod asks for {}, and the largest node "
            "has {}\n",
            goal.kind == Kind::most ? "pods " + answer.what : answer.what,
            amount(each, answer),
            amount(answer.largest, answer));
    }
    const std::string certain = answer.plan.best ? "no moves" : "no moves were found that";
    if (goal.kind == Kind::most) {
        const std::string now = fmt::format("{} help: there is room for {} {}",
                                            certain,
                                            number(answer.plan.had, "pod"),
                                            answer.what);
        return answer.plan.best ? fmt::format("{}, and for no more after at most {}\n",
                                              now,
                                              number(goal.moves_max, "move"))
                                : fmt::format("{}{}\n", now, doubt(answer));
    }
    if (goal.kind == Kind::whole) {
        return fmt::format("{} make {} whole: {} can be{}\n",
                           certain,
                           number(goal.count, answer.level),
                           answer.nearest,
                           doubt(answer));
    }
    std::string text = fmt::format("{} make room for {}: ", certain, answer.what);
    if (answer.free < each * goal.count) {
        text += fmt::format("{} for {}, and {} {} free, {} too few",
                            answer.several ? "they ask" : "it asks",
                            amount(each * goal.count, answer),
                            amount(answer.free, answer),
                            are(amount(answer.free, answer)),
                            amount(each * goal.count - answer.free, answer));
    } else {
        const std::string missing = amount(each * (goal.count - answer.nearest), answer);
        text += fmt::format("{}there is room for {} of {}, and {} {} missing{}",
                            answer.plan.best ? "at best, " : "with moves that were found, ",
                            answer.nearest,
                            number(goal.count, "pod"),
                            missing,
                            are(missing),
                            doubt(answer));
    }
    return text + "\n";
}

/// How good the plan is, as far as that is known.
std::string quality(const DefragAnswer& answer) {
    const core::MovePlan& plan = answer.plan;
    const bool most = answer.goal.kind == Kind::most;
    if (plan.best) {
        return most ? "No plan of so few moves makes room for more.\n" : "No plan loses less.\n";
    }
    if (most) {
        return fmt::format(
            "It is not known whether this is the best plan: none makes room for "
            "more than {}.\n",
            plan.bound_has);
    }
    const std::int64_t least = plan.bound->first;
    return fmt::format("It is not known whether this is the best plan: none loses less than {}.\n",
                       work(least, answer.resource));
}

}  // namespace

std::string defrag_text(const DefragAnswer& answer) {
    if (!answer.plan.reached) {
        return nearest_text(answer);
    }
    if (answer.moves.empty()) {
        return fmt::format("no pod needs to move: {}\n", outcome(answer));
    }
    std::string text = fmt::format("{}, then {}\n", moves_text(answer), outcome(answer));
    for (std::size_t i = 0; i < answer.moves.size(); ++i) {
        const NamedMove& move = answer.moves[i];
        core::append(text,
                     "  {}. {} goes from {} to {} with its {}{}\n",
                     i + 1,
                     move.pod,
                     move.from,
                     move.to,
                     amount(move.amount, answer),
                     move.loses == 0 ? "" : ", and loses " + work(move.loses, answer.resource));
    }
    return text + quality(answer);
}

nlohmann::ordered_json defrag_json(const DefragAnswer& answer) {
    using Json = nlohmann::ordered_json;
    const core::MovePlan& plan = answer.plan;
    const auto seconds = [](std::int64_t milliseconds) {
        return static_cast<double>(milliseconds) / 1000;
    };
    Json moves = Json::array();
    for (const NamedMove& move : answer.moves) {
        moves.push_back(
            {{"pod", move.pod},
             {"from", move.from},
             {"to", move.to},
             {"amount", static_cast<double>(move.amount) / static_cast<double>(answer.unit)},
             {"loses_s", seconds(move.loses)}});
    }
    Json room = Json::array();
    for (const RoomOn& one : answer.room) {
        room.push_back(one.pods > 0 ? Json{{"node", one.name}, {"pods", one.pods}}
                                    : Json{{"node", one.name}});
    }
    const bool most = answer.goal.kind == Kind::most;
    Json out{{"reached", plan.reached}, {"moves", moves}, {"loses_s", seconds(answer.loses)}};
    out["resource"] = answer.resource;
    out["room"] = room;
    out["had"] = plan.had;
    out["has"] = plan.has;
    out["best"] = plan.best;
    out["loses_s_least"] = most || !plan.bound ? Json(nullptr) : Json(seconds(plan.bound->first));
    out["has_most"] = most ? Json(plan.bound_has) : Json(nullptr);
    out["states"] = plan.states;
    if (!plan.reached) {
        out["nearest"] = answer.nearest;
        out["free"] = static_cast<double>(answer.free) / static_cast<double>(answer.unit);
    }
    return out;
}

}  // namespace berth::experiments
