#include "experiments/program/plan/answer.hpp"

#include <algorithm>
#include <cmath>

namespace berth::experiments {

std::vector<std::size_t> tried_choices(const PlanAnswer& answer) {
    std::vector<std::size_t> out;
    for (std::size_t choice = 0; choice < answer.outcome.choices.size(); ++choice) {
        if (answer.outcome.choices[choice].standing != Standing::untried) {
            out.push_back(choice);
        }
    }
    return out;
}

std::size_t replications_of(const PlanAnswer& answer) {
    std::size_t sum = 0;
    for (const TriedChoice& tried : answer.outcome.choices) {
        sum += tried.replications;
    }
    return sum;
}

std::optional<std::size_t> one_step_less(const PlanAnswer& answer) {
    if (!answer.outcome.answer) {
        return std::nullopt;
    }
    const double cost = answer.choices[*answer.outcome.answer].cost;
    const auto last_of = [&](const std::vector<std::size_t>& choices) {
        std::optional<std::size_t> last;
        for (const std::size_t choice : choices) {
            const bool was_tried = answer.outcome.choices[choice].standing != Standing::untried;
            if (answer.choices[choice].cost < cost && was_tried && choice >= last.value_or(0)) {
                last = choice;
            }
        }
        return last;
    };
    const auto neighbour = last_of(answer.choices.neighbours(*answer.outcome.answer));
    return neighbour ? neighbour : last_of(tried_choices(answer));
}

double excess(const PlanAnswer& answer, std::size_t choice, std::size_t requirement) {
    const Estimate& estimate = answer.outcome.choices[choice].estimates[requirement];
    const auto& [metric, at_most, bound] = answer.plan.requirements[requirement].target;
    const double end = at_most ? estimate.mean + estimate.half : estimate.mean - estimate.half;
    const double beyond = at_most ? end - bound : bound - end;
    return bound == 0 ? beyond : beyond / std::abs(bound);
}

std::size_t binding_requirement(const PlanAnswer& answer, std::size_t choice) {
    std::size_t out = 0;
    for (std::size_t i = 1; i < answer.plan.requirements.size(); ++i) {
        if (excess(answer, choice, i) > excess(answer, choice, out)) {
            out = i;
        }
    }
    return out;
}

std::size_t what_binds_at(const PlanAnswer& answer) {
    if (const auto less = one_step_less(answer)) {
        return binding_requirement(answer, *less);
    }
    return binding_requirement(
        answer, answer.outcome.answer ? *answer.outcome.answer : nearest_choice(answer));
}

std::size_t nearest_choice(const PlanAnswer& answer) {
    const std::vector<std::size_t> tried = tried_choices(answer);
    const auto worst = [&](std::size_t choice) {
        return excess(answer, choice, binding_requirement(answer, choice));
    };
    return *std::ranges::min_element(tried, {}, worst);
}

}  // namespace berth::experiments
