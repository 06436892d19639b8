#include "experiments/program/plan/read_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "core/support/made_value.hpp"
#include "core/support/parse_number.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/config/resolve/input_files.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/plan/batches.hpp"
#include "experiments/program/plan/plan_arguments.hpp"
#include "experiments/program/plan/quota_axis.hpp"
#include "experiments/program/plan/sequential_test.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/program/support/measured.hpp"
#include "experiments/program/sweep/axis_range.hpp"
#include "experiments/program/sweep/points.hpp"
#include "experiments/program/sweep/read_sweep.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;
using Path = std::filesystem::path;

constexpr std::int64_t replications_default = 100;
/// Each choice takes about a millisecond before the first one runs, and the search compares them
/// all with one another at each look.
constexpr std::uint64_t choices_max = 10'000;

/// Reads what a plan has beside a sweep, and makes its sweep.
class PlanReader {
public:
    PlanReader(Value document, Path folder, const PlanArguments& arguments)
        : document_(std::move(document)),
          folder_(std::move(folder)),
          overrides_(arguments.overrides) {
        out_.replications_are_equal = arguments.replications_are_equal;
    }

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
        slurm_ = spec.take("slurm");
        requirements(spec.need("require"));
        out_.confidence = spec.number("confidence", out_.confidence, 0.5, 0.999999);
        out_.looks =
            looks_up_to(spec.integer("replications", replications_default, 2, replications_max));
        if (out_.replications_are_equal) {
            out_.looks = {1};
        }
        spec.report_unknown_keys();
        diagnostics_.throw_if_failed();
        make_sweep(*experiment, *choose);
        check_number(*choose);
        if (cost != nullptr) {
            read_cost(*cost);
        }
        check_order();
        diagnostics_.throw_if_failed();
        out_.document = document_as_run();
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

    /// The experiment as written.
    Value written_experiment(const Value& experiment) const {
        const Value* file = file_of(experiment);
        return file != nullptr ? document_of_kind(read_source(folder_ / file->text), {"Experiment"})
                               : experiment;
    }

    static const Value* file_of(const Value& experiment) {
        return experiment.is_map() && experiment.find("kind") == nullptr ? experiment.find("file")
                                                                         : nullptr;
    }

    /// The experiment with all files that it names.
    Value whole_experiment(const Value& experiment) const {
        const Value* file = file_of(experiment);
        InputFiles files;
        return resolve_document(written_experiment(experiment),
                                file != nullptr ? (folder_ / file->text).parent_path() : folder_,
                                overrides_,
                                files);
    }

    void make_sweep(const Value& experiment, const Value& choose) {
        Value written = written_experiment(experiment);
        for (const Override& change : overrides_) {
            (void)try_override(written, change);
        }
        Value axes = list_value(choose.span);
        if (!choose.is_list() || choose.items.empty()) {
            expected(choose, "a list of what is chosen, such as [{path, range}]", diagnostics_);
        }
        for (const Value& item : choose.items) {
            axes.items.push_back(axis_of(item, experiment));
        }
        diagnostics_.throw_if_failed();
        name_axes(choose, axes);
        axes.items.push_back(
            axis_of_batches(written, out_.looks, out_.requirements, choose.span, diagnostics_));
        Value spec = map_value(choose.span);
        set_member(spec, "experiment", experiment);
        set_member(spec, "axes", std::move(axes));
        if (slurm_ != nullptr) {
            set_member(spec, "slurm", *slurm_);
        }
        std::vector<Override> others;  // the axis of batches sets the seed
        std::ranges::copy_if(overrides_, std::back_inserter(others), [](const Override& change) {
            return change.path != "spec.seed";
        });
        out_.sweep =
            read_sweep(document_value("Sweep", out_.sweep.name, std::move(spec)), folder_, others);
    }

    void check_number(const Value& choose) {
        const std::uint64_t choices = SweepPoints::product(out_.sweep) / out_.looks.size();
        if (choices > choices_max) {
            diagnostics_.error(choose.span,
                               fmt::format("{} choices: expected at most {}: use larger steps, or "
                                           "a plan with large steps first",
                                           choices,
                                           choices_max));
            diagnostics_.throw_if_failed();
        }
    }

    /// The plan with the experiment in place of its file, with all that the command line sets, and
    /// with absolute names of files: read again from anywhere, it is the same plan.
    Value document_as_run() {
        Value& spec = *document_.find("spec");
        Value experiment = out_.sweep.experiment;
        for (const Override& change : overrides_) {
            if (change.path == "spec.seed") {
                apply_override(experiment, change);
            }
        }
        set_member(spec, "experiment", std::move(experiment));
        Value& choose = *spec.find("choose");
        const Value& axes = *out_.sweep.resolved.find("spec")->find("axes");
        for (std::size_t i = 0; i < choose.items.size(); ++i) {
            for (const char* key : {"values", "variants"}) {
                if (Value* values = choose.items[i].find(key); values && axes.items[i].find(key)) {
                    *values = *axes.items[i].find(key);
                }
            }
        }
        return std::move(document_);
    }

    /// An axis of the sweep for one thing that is chosen.
    Value axis_of(const Value& item, const Value& experiment) {
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
        out_.labels.push_back(name == nullptr ? counted_noun(whole) : "");
        paths_.push_back(whole);
        return quota_in(whole).empty() ? axis : axis_of_quota(axis, quota_in(whole), experiment);
    }

    /// The axis of a quota's min, which changes the mins of several quotas and resources.
    Value axis_of_quota(const Value& stated, const std::string& quota, const Value& experiment) {
        std::vector<std::string> shares;
        if (const Value* range = stated.find("range")) {
            shares = range_texts(*range, diagnostics_);
        } else if (const Value* values = stated.find("values")) {
            std::ranges::transform(values->items, std::back_inserter(shares), &Value::text);
        }
        const Value* name = stated.find("name");
        Value axis = map_value(stated.span);
        set_member(axis, "name", name != nullptr ? *name : text_value(quota + ".min", stated.span));
        set_member(axis,
                   "variants",
                   variants_of_min(
                       whole_experiment(experiment), quota, shares, stated.find("path")->span));
        return axis;
    }

    /// Names the axes that the plan does not name by the ends of their paths.
    static void name_axes(const Value& choose, Value& axes) {
        std::vector<std::string> paths;
        for (const Value& axis : axes.items) {
            const Value* path = axis.find("path");
            paths.push_back(path != nullptr ? path->text : "");
        }
        for (std::size_t i = 0; i < paths.size(); ++i) {
            if (!paths[i].empty() && choose.items[i].find("name") == nullptr) {
                const std::string name = axis_name(paths[i], paths);
                set_member(axes.items[i], "name", text_value(name, choose.items[i].span));
            }
        }
    }

    static bool are_numbers(const Value* values) {
        return values != nullptr && values->is_list() &&
               std::ranges::all_of(values->items,
                                   [](const Value& v) { return number_of(v.text).has_value(); });
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
        const auto at = std::ranges::find(paths_, whole_path(of.key));
        if (at == paths_.end()) {
            diagnostics_.error(of.key_span,
                               fmt::format("'{}' is not chosen: expected a path of choose{}",
                                           of.key,
                                           core::suggestion(whole_path(of.key), paths_)));
            return;
        }
        const auto axis = static_cast<std::size_t>(at - paths_.begin());
        if (!has_numbers(out_.sweep.axes[axis])) {
            diagnostics_.error(of.key_span,
                               fmt::format("'{}' has values that are no numbers, and has a price "
                                           "for each unit: expected numbers, or another cost",
                                           of.key));
        }
        out_.cost.axes[axis] = price;
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
        } else if (!has_numbers(out_.sweep.axes[0])) {
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
    const Value* slurm_ = nullptr;  ///< As in a sweep; nullptr: it is not stated.
    std::vector<std::string>
        paths_;  ///< The whole path of each axis that is chosen, if it has one.
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

bool has_numbers(const Axis& axis) {
    return std::ranges::all_of(
        axis.values, [](const AxisValue& value) { return number_of(value.text).has_value(); });
}

PlanSpec read_plan(const std::shared_ptr<const core::SourceText>& source,
                   const Path& folder,
                   const PlanArguments& arguments) {
    Value document = document_of_kind(source, {"Plan", "Experiment"});
    return PlanReader(with_arguments(std::move(document), arguments), folder, arguments).read();
}

PlanSpec read_plan(const Path& file, const PlanArguments& arguments) {
    return read_plan(read_source(file), file == "-" ? Path() : file.parent_path(), arguments);
}

}  // namespace berth::experiments
