#include "experiments/program/plan/choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "core/tree/topology.hpp"
#include "experiments/program/config/experiment/read_experiment.hpp"

namespace berth::experiments {
namespace {

std::string name_of(const PlanSpec& plan, const std::vector<std::string>& texts) {
    std::string out;
    for (std::size_t axis = 0; axis < plan.monotone.size(); ++axis) {
        const std::string& label = plan.labels[axis];
        const std::string part =
            !label.empty()
                ? fmt::format("{} {}",
                              texts[axis],
                              texts[axis] == "1" ? label.substr(0, label.size() - 1) : label)
                : fmt::format("{}={}", plan.sweep.axes[axis].name, texts[axis]);
        out += (axis == 0 ? "" : ", ") + part;
    }
    return out;
}

/// How many servers of a machine type a topology has; nothing for a type that it does not have.
std::optional<std::size_t> servers_of_type(const core::Topology& topology,
                                           const std::string& type) {
    const auto& types = topology.machine_types();
    const auto at = std::ranges::find(types, type, &core::MachineType::name);
    if (at == types.end()) {
        return std::nullopt;
    }
    std::size_t count = 0;
    for (std::uint32_t server = 0; server < topology.server_count(); ++server) {
        const core::ServerId id{server};
        count += topology.machine_type(id).name == type ? 1 : 0;
    }
    return count;
}

[[noreturn]] void unknown_price(const core::SourceSpan& span,
                                const std::string& what,
                                const std::string& name,
                                const std::vector<std::string>& known) {
    throw core::InputError(span,
                           fmt::format("the experiment has no {} '{}': expected {}{}",
                                       what,
                                       name,
                                       core::alternatives(known),
                                       core::suggestion(name, known)));
}

double cost_of_cluster(const PlanCost& cost, const core::Topology& topology) {
    double sum = 0;
    std::vector<std::string> types;
    for (const core::MachineType& type : topology.machine_types()) {
        types.push_back(type.name);
    }
    for (const auto& [type, price] : cost.machines) {
        const auto count = servers_of_type(topology, type);
        if (!count) {
            unknown_price(price.span, "machine type", type, types);
        }
        sum += price.each * static_cast<double>(*count);
    }
    for (const auto& [name, price] : cost.levels) {
        const auto level = topology.find_level(name);
        if (!level) {
            unknown_price(price.span, "level", name, topology.level_names());
        }
        sum += price.each * static_cast<double>(topology.level_size(*level));
    }
    return sum;
}

}  // namespace

PlanChoices::PlanChoices(const PlanSpec& plan,
                         const SweepPoints& points,
                         PointExperiments& experiments,
                         const sim::RunControl& control)
    : monotone_(plan.monotone) {
    const std::size_t batches = plan.looks.size();
    for (std::size_t point = 0; point < points.size() && !control.stop; point += batches) {
        PlanChoice choice;
        choice.positions = points.values(point);
        choice.positions.pop_back();  // that of the batch
        const std::vector<std::string> texts = points.texts(point);
        choice.name = name_of(plan, texts);
        for (const auto& [axis, price] : plan.cost.axes) {
            choice.cost += price * number_of(texts[axis]).value_or(0);
        }
        if (plan.cost.asks_cluster()) {
            core::Diagnostics diagnostics;
            const auto spec = read_experiment(experiments.resolved(point), diagnostics);
            diagnostics.throw_if_failed();
            choice.cost += cost_of_cluster(plan.cost, *spec->topology);
        }
        choices_.push_back(std::move(choice));
    }
    sort_by_cost();
    for (std::size_t& first : first_point_) {
        first *= batches;
    }
    rank_axes(plan);
}

PlanChoices::PlanChoices(std::vector<PlanChoice> choices, std::vector<bool> monotone)
    : choices_(std::move(choices)), monotone_(std::move(monotone)) {
    sort_by_cost();
    for (const PlanChoice& choice : choices_) {
        ranks_.push_back(choice.positions);
    }
}

void PlanChoices::sort_by_cost() {
    first_point_.resize(choices_.size());
    std::iota(first_point_.begin(), first_point_.end(), std::size_t{0});
    std::ranges::stable_sort(
        first_point_, {}, [&](std::size_t choice) { return choices_[choice].cost; });
    std::vector<PlanChoice> sorted;
    for (const std::size_t choice : first_point_) {
        sorted.push_back(std::move(choices_[choice]));
    }
    choices_ = std::move(sorted);
}

void PlanChoices::rank_axes(const PlanSpec& plan) {
    for (const PlanChoice& choice : choices_) {
        ranks_.push_back(choice.positions);
    }
    for (std::size_t axis = 0; axis < monotone_.size(); ++axis) {
        if (!monotone_[axis]) {
            continue;
        }
        // Choices that are equal on all other axes, by their position on this one.
        std::map<std::vector<std::size_t>, std::vector<std::pair<std::size_t, double>>> lines;
        for (const PlanChoice& choice : choices_) {
            std::vector<std::size_t> others = choice.positions;
            others[axis] = 0;
            lines[others].emplace_back(choice.positions[axis], choice.cost);
        }
        bool rises = false;
        bool falls = false;
        for (auto& [others, line] : lines) {
            std::ranges::sort(line);
            for (std::size_t i = 1; i < line.size(); ++i) {
                rises = rises || line[i].second > line[i - 1].second;
                falls = falls || line[i].second < line[i - 1].second;
            }
        }
        const Axis& of = plan.sweep.axes[axis];
        if (rises && falls) {
            throw core::InputError(
                of.span,
                fmt::format("the cost rises and falls along '{}', of which more is taken to help: "
                            "expected values in the order of their cost, or monotone: false, with "
                            "which each of them is tried",
                            of.name));
        }
        monotone_[axis] = rises || falls;  // without a price, neither direction has more
        for (std::size_t choice = 0; falls && choice < choices_.size(); ++choice) {
            ranks_[choice][axis] = of.values.size() - 1 - choices_[choice].positions[axis];
        }
    }
}

std::size_t PlanChoices::point(std::size_t choice, std::size_t batch) const {
    return first_point_[choice] + batch;
}

bool PlanChoices::has_at_least(std::size_t more, std::size_t less) const {
    for (std::size_t axis = 0; axis < monotone_.size(); ++axis) {
        const std::size_t most = ranks_[more][axis];
        const std::size_t least = ranks_[less][axis];
        if (monotone_[axis] ? most < least : most != least) {
            return false;
        }
    }
    return true;
}

std::vector<std::size_t> PlanChoices::neighbours(std::size_t choice) const {
    std::vector<std::size_t> out;
    for (std::size_t other = 0; other < choices_.size(); ++other) {
        std::size_t steps = 0;
        bool on_monotone = true;
        for (std::size_t axis = 0; axis < monotone_.size(); ++axis) {
            const std::size_t here = ranks_[choice][axis];
            const std::size_t there = ranks_[other][axis];
            steps += here > there ? here - there : there - here;
            on_monotone = on_monotone && (here == there || monotone_[axis]);
        }
        if (steps == 1 && on_monotone) {
            out.push_back(other);
        }
    }
    return out;
}

bool PlanChoices::any_monotone() const {
    return std::ranges::find(monotone_, true) != monotone_.end();
}

}  // namespace berth::experiments
