#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/support/plural.hpp"
#include "core/support/text.hpp"
#include "experiments/program/plan/answer.hpp"
#include "experiments/program/results/headline.hpp"
#include "experiments/program/support/interval_text.hpp"

namespace berth::experiments {
namespace {

std::string value_of(const PlanAnswer& answer, std::size_t requirement, double value) {
    return report::value_text(
               report::metric_unit(answer.plan.requirements[requirement].target.metric), value)
        .value;
}

/// Such as `job_wait_s_p95 2.2 min, at most 4.5 min`.
std::string met_text(const PlanAnswer& answer, std::size_t choice, std::size_t requirement) {
    const Estimate& estimate = answer.outcome.choices[choice].estimates[requirement];
    const report::SweepTarget& target = answer.plan.requirements[requirement].target;
    std::string mean =
        fmt::format("{} {}", target.metric, value_of(answer, requirement, estimate.mean));
    if (answer.plan.replications_are_equal) {
        return mean;
    }
    const double end =
        target.at_most ? estimate.mean + estimate.half : estimate.mean - estimate.half;
    return fmt::format("{}, at {} {}",
                       mean,
                       target.at_most ? "most" : "least",
                       value_of(answer, requirement, end));
}

/// Whether the name of a choice is a plural, such as `7 racks`.
bool names_many(const PlanAnswer& answer, std::size_t choice) {
    return answer.plan.labels.size() == 1 && !answer.plan.labels.front().empty() &&
           !answer.choices[choice].name.starts_with("1 ");
}

/// What the next less costly choice lacks: `6 racks do not: 44 ± 10 min`.
std::string less_text(const PlanAnswer& answer, std::size_t choice) {
    const TriedChoice& tried = answer.outcome.choices[choice];
    const std::size_t requirement = binding_requirement(answer, choice);
    const std::string text = estimate_text(answer, choice, requirement);
    const bool many = names_many(answer, choice);
    const std::string_view verb = tried.standing == Standing::misses
                                      ? (many ? "do not" : "does not")
                                  : many ? "stay in doubt"
                                         : "stays in doubt";
    return fmt::format("{} {}: {}{}",
                       answer.choices[choice].name,
                       verb,
                       answer.plan.requirements.size() > 1
                           ? answer.plan.requirements[requirement].target.metric + " "
                           : "",
                       text);
}

/// Such as `misses by 12 min: job_wait_s_p95 44 ± 10 min`.
std::string missed_text(const PlanAnswer& answer, std::size_t choice, std::size_t requirement) {
    const TriedChoice& tried = answer.outcome.choices[choice];
    const Estimate& estimate = tried.estimates[requirement];
    const report::SweepTarget& target = answer.plan.requirements[requirement].target;
    if (estimate.count == 0) {
        return fmt::format("has no value of {}", target.metric);
    }
    const double miss =
        target.at_most ? estimate.mean - target.bound : target.bound - estimate.mean;
    const std::string how = miss > 0 ? "misses by " + value_of(answer, requirement, miss)
                            : tried.metrics[requirement].reached
                                ? "has a mean that keeps it and an interval that does not"
                                : "is known by a lower bound alone";
    return fmt::format("{}: {} {}", how, target.metric, estimate_text(answer, choice, requirement));
}

std::string missed_line(const PlanAnswer& answer) {
    std::vector<std::string> required;
    for (const PlanRequirement& requirement : answer.plan.requirements) {
        required.push_back(requirement.text);
    }
    const std::size_t tried = tried_choices(answer).size();
    const std::size_t nearest = nearest_choice(answer);
    return fmt::format("{} {}: the nearest, {}, {}",
                       tried == answer.choices.size()
                           ? "no choice meets"
                           : fmt::format("none of the {} that {} tried meets",
                                         core::plural(tried, "choice"),
                                         tried == 1 ? "was" : "were"),
                       core::join(required, " and "),
                       answer.choices[nearest].name,
                       missed_text(answer, nearest, binding_requirement(answer, nearest)));
}

/// A table whose columns are as wide as their widest cell.
std::string table_text(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths(rows.front().size());
    const auto width_of = [](const std::string& cell) {  // ± has two bytes and one column
        return static_cast<std::size_t>(
            std::ranges::count_if(cell, [](char c) { return (c & 0xC0) != 0x80; }));
    };
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], width_of(row[i]));
        }
    }
    std::string out;
    for (const auto& row : rows) {
        std::string line = " ";
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += " " + row[i] + std::string(widths[i] - width_of(row[i]) + 1, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
    return out;
}

std::string frontier_text(const PlanAnswer& answer) {
    const bool has_cost = answer.plan.document.find("spec")->find("cost") != nullptr;
    std::vector<std::vector<std::string>> rows{{"choice"}};
    if (has_cost) {
        rows.front().emplace_back("cost");
    }
    for (const PlanRequirement& requirement : answer.plan.requirements) {
        rows.front().push_back(requirement.target.metric);
    }
    rows.front().insert(rows.front().end(), {"replications", "verdict"});
    for (const std::size_t choice : tried_choices(answer)) {
        const TriedChoice& tried = answer.outcome.choices[choice];
        std::vector<std::string> row{answer.choices[choice].name};
        if (has_cost) {
            row.push_back(report::number_text(answer.choices[choice].cost, 6));
        }
        for (std::size_t i = 0; i < answer.plan.requirements.size(); ++i) {
            row.push_back(estimate_text(answer, choice, i));
        }
        row.push_back(fmt::format("{}", tried.replications));
        row.emplace_back(to_string(tried.standing));
        rows.push_back(std::move(row));
    }
    return table_text(rows);
}

std::string binding_text(const PlanAnswer& answer) {
    const std::size_t choice = *answer.outcome.answer;
    const std::size_t binding = what_binds_at(answer);
    return fmt::format("what binds: {}, at {} {}\n",
                       answer.plan.requirements[binding].text,
                       answer.choices[choice].name,
                       estimate_text(answer, choice, binding));
}

std::string step_text(const PlanAnswer& answer) {
    const auto less = one_step_less(answer);
    if (!less) {
        return fmt::format("{} is the least that there is to choose\n",
                           answer.choices[*answer.outcome.answer].name);
    }
    const std::size_t binding = binding_requirement(answer, *less);
    std::string saved;
    if (answer.plan.document.find("spec")->find("cost") != nullptr) {
        const double difference =
            answer.choices[*answer.outcome.answer].cost - answer.choices[*less].cost;
        saved = fmt::format("saves {} and ", report::number_text(difference, 6));
    }
    return fmt::format("one step less, {}, {}brings {} from {} to {}\n",
                       answer.choices[*less].name,
                       saved,
                       answer.plan.requirements[binding].target.metric,
                       estimate_text(answer, *answer.outcome.answer, binding),
                       estimate_text(answer, *less, binding));
}

}  // namespace

std::string_view to_string(Standing standing) {
    constexpr std::array<std::string_view, 4> words{"untried", "in doubt", "meets", "misses"};
    return words[static_cast<std::size_t>(standing)];
}

std::string estimate_text(const PlanAnswer& answer, std::size_t choice, std::size_t requirement) {
    const TriedChoice& tried = answer.outcome.choices[choice];
    const Estimate& estimate = tried.estimates[requirement];
    if (estimate.count == 0) {
        return "no value";
    }
    const bool has_interval = std::isfinite(estimate.half);
    const report::ValueText text =
        report::value_text(report::metric_unit(answer.plan.requirements[requirement].target.metric),
                           estimate.mean,
                           has_interval ? std::optional(estimate.half) : std::nullopt);
    const report::HeadlineNumber number{"", "", text.value, text.half, ""};
    const std::string some =
        estimate.count < tried.replications
            ? fmt::format(" ({} of {} replications)", estimate.count, tried.replications)
            : "";
    return (tried.metrics[requirement].reached ? "" : "more than ") +
           (text.half.empty() ? text.value : report::with_interval(number)) + some;
}

std::string answer_line(const PlanAnswer& answer) {
    if (!answer.outcome.answer) {
        return missed_line(answer);
    }
    const std::size_t choice = *answer.outcome.answer;
    std::string out = answer.choices[choice].name + ": ";
    for (std::size_t i = 0; i < answer.plan.requirements.size(); ++i) {
        out += (i == 0 ? "" : ", ") + met_text(answer, choice, i);
    }
    if (const auto less = one_step_less(answer)) {
        out += "; " + less_text(answer, *less);
    }
    return out;
}

std::string what_binds(const PlanAnswer& answer) {
    return answer.outcome.answer ? binding_text(answer) + step_text(answer) : "";
}

std::string how_sure(const PlanAnswer& answer) {
    const std::string tried = fmt::format("{} of {} tried",
                                          tried_choices(answer).size(),
                                          core::plural(answer.choices.size(), "choice"));
    if (answer.plan.replications_are_equal) {
        return tried +
               ", each once: nothing in the experiment is random, so that all replications are "
               "equal; there is no interval, and the answer holds for this load alone";
    }
    return fmt::format("{} with {}; all intervals hold together with a confidence of {} %",
                       tried,
                       core::plural(replications_of(answer), "replication"),
                       report::number_text(100 * answer.plan.confidence));
}

std::string answer_text(const PlanAnswer& answer) {
    return answer_line(answer) + "\n\n" + frontier_text(answer) + "\n" + what_binds(answer) +
           how_sure(answer) + "\n";
}

}  // namespace berth::experiments
