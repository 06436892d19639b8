#include "experiments/program/plan/read_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "core/support/parse_number.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/plan/plan_arguments.hpp"
#include "experiments/program/plan/sequential_test.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/program/support/measured.hpp"
#include "experiments/program/sweep/read_sweep.hpp"
#include "sim/clock/random.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;
using Path = std::filesystem::path;

constexpr std::int64_t replications_default = 100;

/// Reads what a plan has beside a sweep, and makes its sweep.
class PlanReader {
public:
    PlanReader(Value document, Path folder, const std::vector<Override>& overrides)
        : document_(std::move(document)), folder_(std::move(folder)), overrides_(overrides) {}

    PlanSpec read() {
        MapReader top(document_, "a Plan", diagnostics_);
        out_.sweep.name = read_header(top, "berth/v1", "plan");
        (void)top.need("spec");
        top.report_unknown_keys();
        diagnostics_.throw_if_failed();
        MapReader spec(*document_.find("spec"), "a Plan's spec", diagnostics_);
        const Value* experiment = spec.need("experiment");
        const Value* choose = spec.need("choose");
        const Value* cost = spec.take("cost");
        requirements(spec.need("require"));
        out_.confidence = spec.number("confidence", out_.confidence, 0.5, 0.999999);
        out_.looks =
            looks_up_to(spec.integer("replications", replications_default, 2, replications_max));
        spec.report_unknown_keys();
        diagnostics_.throw_if_failed();
        make_sweep(*experiment, *choose);
        if (cost != nullptr) {
            read_cost(*cost);
        }
        check_order();
        diagnostics_.throw_if_failed();
        out_.document = std::move(document_);
        return std::move(out_);
    }

private:
    void requirements(const Value* list) {
        if (list == nullptr) {
            return;
        }
        if (!list->is_list() || list->items.empty()) {
            expected(
                *list, "a list of requirements, such as ['job_wait_s_p95<=10m']", diagnostics_);
        }
        for (const Value& item : list->items) {
            const auto text = read_text(item, diagnostics_);
            std::string why;
            auto target = text ? report::parse_target(*text, why) : std::nullopt;
            if (target) {
                out_.requirements.push_back({*text, *std::move(target), item.span});
            } else if (text) {
                diagnostics_.error(item.span, why);
            }
        }
    }

    /// The experiment as written, with what the command line sets, for what must be known before
    /// the sweep can be made.
    Value written_experiment(const Value& experiment) const {
        const Value* file = experiment.is_map() ? experiment.find("file") : nullptr;
        Value out = file != nullptr && experiment.find("kind") == nullptr
                        ? document_of_kind(read_source(folder_ / file->text), {"Experiment"})
                        : experiment;
        for (const Override& change : overrides_) {
            (void)try_override(out, change);
        }
        return out;
    }

    void make_sweep(const Value& experiment, const Value& choose) {
        const Value written = written_experiment(experiment);
        Value axes = list_value(choose.span);
        if (!choose.is_list() || choose.items.empty()) {
            expected(choose, "a list of what is chosen, such as [{path, range}]", diagnostics_);
        }
        for (const Value& item : choose.items) {
            axes.items.push_back(axis_of(item));
        }
        diagnostics_.throw_if_failed();
        axes.items.push_back(batches(written, choose.span));
        Value spec = map_value(choose.span);
        set_member(spec, "experiment", experiment);
        set_member(spec, "axes", std::move(axes));
        std::vector<Override> others;  // the axis of batches sets the seed
        std::ranges::copy_if(overrides_, std::back_inserter(others), [](const Override& change) {
            return change.path != "spec.seed";
        });
        out_.sweep =
            read_sweep(document_value("Sweep", out_.sweep.name, std::move(spec)), folder_, others);
    }

    /// An axis of the sweep for one thing that is chosen.
    Value axis_of(const Value& item) {
        MapReader map(item, "what is chosen", diagnostics_);
        const Value* path = map.take("path");
        const bool by_number = map.take("range") != nullptr || are_numbers(map.take("values"));
        out_.monotone.push_back(map.boolean("monotone", by_number));
        (void)map.take("variants");
        const Value* name = map.take("name");
        map.report_unknown_keys();
        Value axis = item;
        std::erase_if(axis.members, [](const core::Member& m) { return m.key == "monotone"; });
        const std::string whole = path != nullptr ? whole_path(path->text) : "";
        if (path != nullptr) {
            axis.find("path")->text = whole;
        }
        if (name == nullptr && path != nullptr) {
            set_member(axis, "name", text_value(axis_name(whole), path->span));
        }
        out_.labels.push_back(name == nullptr ? counted_noun(whole) : "");
        return axis;
    }

    static bool are_numbers(const Value* values) {
        return values != nullptr && values->is_list() &&
               std::ranges::all_of(values->items,
                                   [](const Value& v) { return number_of(v.text).has_value(); });
    }

    /// The axis of batches. The first has the experiment's own seed, so that its replications are
    /// those of a run or of a sweep of the experiment.
    Value batches(const Value& experiment, const core::SourceSpan& span) {
        const Value* spec = experiment.is_map() ? experiment.find("spec") : nullptr;
        const Value* seed = spec != nullptr && spec->is_map() ? spec->find("seed") : nullptr;
        const Value* record = spec != nullptr && spec->is_map() ? spec->find("record") : nullptr;
        const bool says_placements =
            record != nullptr && record->is_map() && record->find("placements") != nullptr;
        const std::int64_t base =
            seed != nullptr ? read_integer(*seed, diagnostics_, 0, INT64_MAX).value_or(1) : 1;
        Value variants = map_value(span);
        std::int64_t before = 0;
        for (std::size_t look = 0; look < out_.looks.size(); ++look) {
            const auto drawn = static_cast<std::int64_t>(sim::replication_seed(
                static_cast<std::uint64_t>(base), static_cast<std::uint32_t>(look)));
            Value changes = map_value(span);
            set_member(changes,
                       "spec.seed",
                       text_value(fmt::format("{}", look == 0 ? base : drawn), span));
            set_member(changes,
                       "spec.replications",
                       text_value(fmt::format("{}", out_.looks[look] - before), span));
            if (!says_placements) {
                set_member(changes, "spec.record.placements", text_value("false", span));
            }
            before = out_.looks[look];
            set_member(variants, fmt::format("{}", look + 1), std::move(changes));
        }
        Value axis = map_value(span);
        set_member(axis, "name", text_value(batch_axis, span));
        set_member(axis, "variants", std::move(variants));
        return axis;
    }

    void read_cost(const Value& value) {
        MapReader map(value, "cost", diagnostics_);
        const auto prices = [&](const char* key, auto&& add) {
            const Value* list = map.take(key);
            if (list != nullptr && !list->is_map()) {
                expected(*list, "a map of prices, such as {hgx: 300000}", diagnostics_);
            }
            for (std::size_t i = 0; list != nullptr && i < list->members.size(); ++i) {
                const core::Member& member = list->members[i];
                constexpr double price_max = 1e15;
                if (const auto price =
                        read_number(member.value, diagnostics_, -price_max, price_max)) {
                    add(member, *price);
                }
            }
        };
        prices("machines", [&](const core::Member& of, double price) {
            out_.cost.machines[of.key] = {price, of.key_span};
        });
        prices("levels", [&](const core::Member& of, double price) {
            out_.cost.levels[of.key] = {price, of.key_span};
        });
        prices("paths", [&](const core::Member& of, double price) { price_of_path(of, price); });
        map.report_unknown_keys();
        if (out_.cost.is_empty()) {
            expected(value, "prices under machines, levels or paths", diagnostics_);
        }
    }

    void price_of_path(const core::Member& of, double price) {
        std::vector<std::string> paths;
        for (std::size_t axis = 0; axis < out_.monotone.size(); ++axis) {
            const AxisValue& first = out_.sweep.axes[axis].values.front();
            paths.push_back(first.changes.size() == 1 ? first.changes.front().path : "");
        }
        const auto at = std::ranges::find(paths, whole_path(of.key));
        if (at == paths.end()) {
            diagnostics_.error(of.key_span,
                               fmt::format("'{}' is not chosen: expected a path of choose{}",
                                           of.key,
                                           core::suggestion(whole_path(of.key), paths)));
            return;
        }
        const auto axis = static_cast<std::size_t>(at - paths.begin());
        if (!has_numbers(axis)) {
            diagnostics_.error(of.key_span,
                               fmt::format("'{}' has values that are no numbers, and has a price "
                                           "for each unit: expected numbers, or another cost",
                                           of.key));
        }
        out_.cost.axes[axis] = price;
    }

    bool has_numbers(std::size_t axis) const {
        return std::ranges::all_of(out_.sweep.axes[axis].values, [](const AxisValue& value) {
            return number_of(value.text).has_value();
        });
    }

    /// Without a cost, the only thing that is chosen must have an order.
    void check_order() {
        if (!out_.cost.is_empty()) {
            return;
        }
        if (out_.monotone.size() > 1) {
            diagnostics_.error(
                document_.find("spec")->find("choose")->span,
                "several things are chosen, and nothing says what they cost: expected cost, such "
                "as cost: {machines: {TYPE: PRICE}}, cost: {levels: {rack: PRICE}} or cost: "
                "{paths: {PATH: PRICE}}");
        } else if (!has_numbers(0)) {
            diagnostics_.error(
                out_.sweep.axes[0].span,
                fmt::format("the values of '{}' are no numbers, and nothing says what they cost: "
                            "expected cost, such as cost: {{machines: {{TYPE: PRICE}}}}",
                            out_.sweep.axes[0].name));
        } else {
            out_.cost.axes[0] = 1;
        }
    }

    Value document_;
    Path folder_;
    const std::vector<Override>& overrides_;
    Diagnostics diagnostics_;
    PlanSpec out_;
};

}  // namespace

std::optional<double> number_of(const std::string& text) {
    if (const auto number = core::parse_number<double>(text)) {
        return std::isfinite(*number) ? number : std::nullopt;
    }
    const auto seconds = report::seconds_in(text);
    return seconds ? seconds : report::quantity_in(text);
}

PlanSpec read_plan(const Path& file, const PlanArguments& arguments) {
    Value document = document_of_kind(read_source(file), {"Plan", "Experiment"});
    const Path folder = file == "-" ? Path() : file.parent_path();
    return PlanReader(with_arguments(std::move(document), arguments), folder, arguments.overrides)
        .read();
}

}  // namespace berth::experiments
