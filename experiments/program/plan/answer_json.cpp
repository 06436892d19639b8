#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/program/plan/answer.hpp"
#include "experiments/program/support/parsed_json.hpp"

namespace berth::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json estimates_json(const PlanAnswer& answer, std::size_t choice) {
    Json out = Json::object();
    const TriedChoice& tried = answer.outcome.choices[choice];
    for (std::size_t i = 0; i < answer.plan.requirements.size(); ++i) {
        const Estimate& estimate = tried.estimates[i];
        out[answer.plan.requirements[i].text] = {
            {"mean", estimate.count == 0 ? Json(nullptr) : number_or_null(estimate.mean)},
            {"half",
             answer.plan.replications_are_equal ? Json(nullptr) : number_or_null(estimate.half)},
            {"n", estimate.count},
            {"reached", tried.metrics[i].reached},
            {"verdict", to_string(tried.standings[i])}};
    }
    return out;
}

Json choice_json(const PlanAnswer& answer, std::size_t choice) {
    const TriedChoice& tried = answer.outcome.choices[choice];
    Json values = Json::object();
    for (std::size_t axis = 0; axis < answer.plan.monotone.size(); ++axis) {
        const Axis& of = answer.plan.sweep.axes[axis];
        values[of.name] = of.values[answer.choices[choice].positions[axis]].text;
    }
    return {{"name", answer.choices[choice].name},
            {"values", values},
            {"cost", answer.choices[choice].cost},
            {"replications", tried.replications},
            {"verdict", to_string(tried.standing)},
            {"requirements", estimates_json(answer, choice)}};
}

}  // namespace

std::string answer_json(const PlanAnswer& answer) {
    Json frontier = Json::array();
    for (const std::size_t choice : tried_choices(answer)) {
        frontier.push_back(choice_json(answer, choice));
    }
    const auto named = [&](std::optional<std::size_t> choice) {
        return choice ? Json(answer.choices[*choice].name) : Json(nullptr);
    };
    const auto shown = answer.outcome.answer;
    const std::size_t nearest = shown ? *shown : nearest_choice(answer);
    const Json out{
        {"schema", "berth.plan/v1"},
        {"plan", answer.plan.sweep.name},
        {"confidence",
         answer.plan.replications_are_equal ? Json(nullptr) : Json(answer.plan.confidence)},
        {"text", answer_line(answer)},
        {"answer", named(shown)},
        {"nearest", named(nearest)},
        {"binds", answer.plan.requirements[what_binds_at(answer)].text},
        {"one_step_less", named(one_step_less(answer))},
        {"choices", answer.choices.size()},
        {"replications", replications_of(answer)},
        {"frontier", frontier},
        {"warnings", answer.warnings}};
    return dumped(out, 2) + "\n";
}

}  // namespace berth::experiments
