#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/plan/choices.hpp"
#include "experiments/program/plan/search.hpp"

namespace berth::experiments {

/// A plan and what its search found.
struct PlanAnswer {
    const PlanSpec& plan;
    const PlanChoices& choices;
    PlanOutcome outcome;
    std::vector<std::string> warnings;
};

/// The choices that were tried, the least costly first.
[[nodiscard]] std::vector<std::size_t> tried_choices(const PlanAnswer& answer);

/// How many replications the answer rests on, at all choices.
[[nodiscard]] std::size_t replications_of(const PlanAnswer& answer);

/// The next less costly choice: of the neighbours of the answer, or else of all that were tried.
/// Returns: nothing without an answer, or if no less costly choice was tried.
[[nodiscard]] std::optional<std::size_t> one_step_less(const PlanAnswer& answer);

/// The choice that misses the bounds by the smallest part of them, for a plan that no choice meets.
[[nodiscard]] std::size_t nearest_choice(const PlanAnswer& answer);

/// The requirement that leaves least room below its bound, at a choice, relative to the bound.
[[nodiscard]] std::size_t binding_requirement(const PlanAnswer& answer, std::size_t choice);

/// The requirement that keeps the answer from being less costly: the one that is missed by most one
/// step below it.
[[nodiscard]] std::size_t what_binds_at(const PlanAnswer& answer);

/// How far the worse end of the interval is beyond the bound, as a part of the bound; negative if
/// the bound is kept.
[[nodiscard]] double excess(const PlanAnswer& answer, std::size_t choice, std::size_t requirement);

/// Such as `44 ± 10 min`; `no value` if no replication has one. If not all have one, it says how
/// many.
[[nodiscard]] std::string estimate_text(const PlanAnswer& answer,
                                        std::size_t choice,
                                        std::size_t requirement);

/// Such as `7 racks: job_wait_s_p95 2.2 min, at most 4.5 min; 6 racks do not: 44 ± 10 min`.
[[nodiscard]] std::string answer_line(const PlanAnswer& answer);

/// How many choices were tried, how often, and what the intervals promise: a sentence without a
/// full stop.
[[nodiscard]] std::string how_sure(const PlanAnswer& answer);

/// The answer, the frontier as a table, what binds, and what one step less costs.
[[nodiscard]] std::string answer_text(const PlanAnswer& answer);

/// What binds at the answer, and what one step less costs: two sentences, or the empty text without
/// an answer.
[[nodiscard]] std::string what_binds(const PlanAnswer& answer);

/// The same as JSON, `berth.plan/v1`.
[[nodiscard]] std::string answer_json(const PlanAnswer& answer);

[[nodiscard]] std::string_view to_string(Standing standing);

}  // namespace berth::experiments
