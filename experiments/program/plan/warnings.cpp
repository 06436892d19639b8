#include "experiments/program/plan/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "experiments/program/results/read_summary.hpp"

namespace berth::experiments {
namespace {

void add_independent(PlanAnswer& answer, std::vector<std::string>& out) {
    for (const std::size_t i : independent_requirements(answer)) {
        const PlanRequirement& requirement = answer.plan.requirements[i];
        out.push_back(
            fmt::format("{} does not depend on the choice: it has the same values at all "
                        "{} choices that were tried: expected a metric that the choice "
                        "changes, or another path under choose",
                        requirement.target.metric,
                        tried_choices(answer).size()));
    }
}

void add_without_values(const PlanAnswer& answer, std::vector<std::string>& out) {
    for (std::size_t i = 0; i < answer.plan.requirements.size(); ++i) {
        const auto without =
            std::ranges::find_if(answer.outcome.choices, [&](const TriedChoice& tried) {
                return tried.standing != Standing::untried && tried.metrics[i].values.empty();
            });
        if (without != answer.outcome.choices.end()) {
            const auto choice = static_cast<std::size_t>(without - answer.outcome.choices.begin());
            out.push_back(
                fmt::format("{} has no value in any replication of {}: expected jobs of "
                            "this kind that start, or another metric",
                            answer.plan.requirements[i].target.metric,
                            answer.choices[choice].name));
        }
    }
}

void add_contradiction(const PlanAnswer& answer, std::vector<std::string>& out) {
    if (const auto& found = answer.outcome.contradiction) {
        out.push_back(
            fmt::format("more does not always help: {} meets what is required, and {} "
                        "does not; so every choice that costs less than the answer was "
                        "tried, as with monotone: false",
                        answer.choices[found->meets].name,
                        answer.choices[found->misses].name));
    }
}

void add_doubts(const PlanAnswer& answer, std::vector<std::string>& out) {
    std::vector<std::string> names;
    std::size_t most = 0;
    for (std::size_t choice = 0; choice < answer.outcome.choices.size(); ++choice) {
        const TriedChoice& tried = answer.outcome.choices[choice];
        if (tried.given_up && (!answer.outcome.answer || choice < *answer.outcome.answer)) {
            names.push_back(answer.choices[choice].name);
            most = std::max(most, tried.replications);
        }
    }
    if (!names.empty()) {
        out.push_back(fmt::format(
            "in doubt after {} replications, and counted as missing what is required: {}{}: "
            "--replications {} or longer runs may decide it",
            most,
            names.front(),
            names.size() == 1 ? "" : fmt::format(" and {} more", names.size() - 1),
            answer.plan.looks.back() * 4));
    }
}

}  // namespace

void add_warnings(const PlanPoints& points, PlanAnswer& answer) {
    std::vector<std::string> found;
    add_independent(answer, found);
    add_without_values(answer, found);
    add_contradiction(answer, found);
    add_doubts(answer, found);
    std::vector<std::filesystem::path> folders;
    std::vector<std::string> names;
    for (const std::size_t choice : tried_choices(answer)) {
        const std::size_t last = answer.outcome.choices[choice].looks - 1;
        folders.push_back(points.folder(choice, last));
        names.push_back(answer.choices[choice].name);
    }
    std::ranges::move(report::sweep_warnings(folders, names), std::back_inserter(found));
    for (std::string& warning : found) {
        answer.warnings.push_back(
            fmt::format("{}: warning: {}", answer.plan.sweep.name, std::move(warning)));
    }
}

}  // namespace berth::experiments
