#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/program/plan/plan_spec.hpp"
#include "experiments/program/sweep/points.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// One combination of what a plan chooses.
struct PlanChoice {
    std::vector<std::size_t> positions;  ///< The position of the value on each axis that is chosen.
    double cost = 0;
    std::string name;  ///< Such as `7 racks` or `racks=7, policy=pack`.
};

/// What a plan chooses from, the least costly first; of equal costs, the one that comes first in
/// the product of the axes.
class PlanChoices {
public:
    /// Errors: core::InputError for a price of something that the experiment does not have, and for
    ///         an axis along which more is taken to help while its cost rises and falls.
    /// Cost:   one experiment is read for each choice if machines or levels have a price. Once
    ///         `control` is stopped, no more are read, and the choices have no meaning.
    PlanChoices(const PlanSpec& plan,
                const SweepPoints& points,
                PointExperiments& experiments,
                const sim::RunControl& control);
    /// The choices with their costs known. For tests.
    PlanChoices(std::vector<PlanChoice> choices, std::vector<bool> monotone);

    [[nodiscard]] std::size_t size() const { return choices_.size(); }
    [[nodiscard]] const PlanChoice& operator[](std::size_t choice) const {
        return choices_[choice];
    }
    /// The point of the plan's sweep that has one part of the replications of a choice.
    [[nodiscard]] std::size_t point(std::size_t choice, std::size_t batch) const;
    /// Whether `more` has at least as much as `less` of everything of which more is taken to help,
    /// and is equal in everything else.
    [[nodiscard]] bool has_at_least(std::size_t more, std::size_t less) const;
    /// The choices that differ by one step on one axis of which more is taken to help.
    [[nodiscard]] std::vector<std::size_t> neighbours(std::size_t choice) const;
    /// Whether more of anything is taken to help.
    [[nodiscard]] bool any_monotone() const;

private:
    void sort_by_cost();
    /// Turns the axes along which less costs more around, so that a higher rank costs more. Of axes
    /// that change no cost, more is not taken to help.
    void rank_axes(const PlanSpec& plan);

    std::vector<PlanChoice> choices_;
    std::vector<std::size_t> first_point_;  ///< For each choice, the point of its first batch.
    /// For each choice and axis, how many values of the axis come before it in the direction in
    /// which it costs more.
    std::vector<std::vector<std::size_t>> ranks_;
    std::vector<bool> monotone_;
};

}  // namespace berth::experiments
