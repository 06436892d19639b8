#include "experiments/program/sweep/read_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "core/support/parse_number.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/config/resolve/file_keys.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/program/sweep/axis_range.hpp"
#include "experiments/program/sweep/check_paths.hpp"
#include "experiments/program/sweep/points.hpp"
#include "experiments/program/sweep/sbatch_options.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;
using Path = std::filesystem::path;

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

void make_absolute(Value& file, const Path& folder) {
    if (file.is_scalar() && file.text != "-") {
        file.text = std::filesystem::absolute(folder / file.text).lexically_normal().string();
    }
}

/// Makes the file names in the value at a path absolute. They are relative to `folder` before.
void make_files_absolute(const std::string& path, Value& value, const Path& folder) {
    if (names_file(path)) {
        make_absolute(value, folder);
    }
    for (core::Member& member : value.members) {
        make_files_absolute(
            path.empty() ? member.key : path + "." + member.key, member.value, folder);
    }
    for (Value& item : value.items) {
        make_files_absolute(path, item, folder);
    }
}

/// A value as text in a cell of a table: `[1, 2]`, `{cpu: 2}`.
std::string text_of(const Value& value) {
    std::string out;
    switch (value.kind) {
        case Value::Kind::null:
            return "null";
        case Value::Kind::scalar:
            return value.text;
        case Value::Kind::list:
            for (const Value& item : value.items) {
                out += (out.empty() ? "" : ", ") + text_of(item);
            }
            return "[" + out + "]";
        case Value::Kind::map:
            for (const core::Member& member : value.members) {
                out += (out.empty() ? "" : ", ") + member.key + ": " + text_of(member.value);
            }
            return "{" + out + "}";
    }
    return out;
}

class SweepReader {
public:
    SweepReader(Value document, Path folder, const std::vector<Override>& overrides)
        : document_(std::move(document)), folder_(std::move(folder)), overrides_(overrides) {}

    SweepSpec read() {
        MapReader top(document_, "a Sweep", diagnostics_);
        out_.name = read_header(top, "berth/v1", "sweep");
        Value* spec_value = document_.is_map() ? document_.find("spec") : nullptr;
        (void)top.need("spec");
        top.report_unknown_keys();
        diagnostics_.throw_if_failed();
        absolute_axes(*spec_value);
        MapReader spec(*spec_value, "a Sweep's spec", diagnostics_);
        experiment(spec.need("experiment"));
        axes(spec.take("axes"));
        zip(spec.take("zip"));
        exclude(spec.take("exclude"));
        if (spec.take("replications") != nullptr) {
            out_.replications = spec.integer("replications", 1, 1, replications_max);
        }
        check_paths(out_, overrides_, diagnostics_);
        if (const Value* slurm_value = spec.take("slurm")) {
            slurm(*slurm_value);
        }
        spec.report_unknown_keys();
        diagnostics_.throw_if_failed();
        check_product(spec_value->span);
        *spec_value->find("experiment") = out_.experiment;
        out_.resolved = std::move(document_);
        return std::move(out_);
    }

private:
    void check_product(const core::SourceSpan& span) {
        // Each combination is looked at for whether it is excluded, and remembered if not.
        const std::uint64_t points_max = out_.exclusions.empty() ? 1'000'000'000 : 10'000'000;
        if (SweepPoints::product(out_) > points_max) {
            diagnostics_.error(
                span,
                fmt::format("a product of more than {} points{}: expected fewer",
                            points_max,
                            out_.exclusions.empty() ? "" : " of which some are excluded"));
            diagnostics_.throw_if_failed();
        }
    }

    void absolute_axes(Value& spec) {
        Value* list = spec.is_map() ? spec.find("axes") : nullptr;
        const auto change = [&](const std::string& path, Value& value) {
            make_files_absolute(path, value, folder_);
        };
        for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
            Value& axis = list->items[i];
            const Value* path = axis.is_map() ? axis.find("path") : nullptr;
            Value* values = axis.is_map() ? axis.find("values") : nullptr;
            for (std::size_t n = 0; path && values && n < values->items.size(); ++n) {
                change(path->text, values->items[n]);
            }
            Value* variants = axis.is_map() ? axis.find("variants") : nullptr;
            for (std::size_t n = 0; variants && n < variants->members.size(); ++n) {
                for (core::Member& member : variants->members[n].value.members) {
                    change(member.key, member.value);
                }
            }
        }
    }

    void experiment(const Value* value) {
        if (value == nullptr) {
            return;
        }
        const Value* file = value->is_map() ? value->find("file") : nullptr;
        const Value* kind = value->is_map() ? value->find("kind") : nullptr;
        if (file == nullptr || kind != nullptr) {
            if (kind == nullptr || kind->text != "Experiment") {
                expected(kind != nullptr ? *kind : *value,
                         "{file: EXPERIMENT.yaml}, or a document of kind: Experiment",
                         diagnostics_);
            }
            written(*value, folder_);
            return;
        }
        check_is_alone(*value);
        const Path path = folder_ / file->text;
        try {
            written(document_of_kind(read_source(path), {"Experiment"}), path.parent_path());
        } catch (const core::InputError& error) {
            const std::string why = error.what();
            const std::string prefix = path.string() + ": error: ";
            if (!why.starts_with(prefix)) {
                throw;  // an error at a place in the file
            }
            diagnostics_.error(file->span,
                               fmt::format("{} {}", path.string(), why.substr(prefix.size())));
        }
    }

    void written(Value experiment, const Path& folder) {
        out_.experiment = std::move(experiment);
        for (const Override& override : overrides_) {
            apply_override(out_.experiment, override);
        }
        make_files_absolute("", out_.experiment, folder);
    }

    void axes(const Value* list) {
        if (list == nullptr) {
            return;  // without axes there is one point
        }
        if (!list->is_list()) {
            expected(*list, "a list of axes, such as [{name, path, values}]", diagnostics_);
        }
        constexpr std::size_t axes_max = 1000;  // SQLite has room for 2000 columns
        if (list->items.size() > axes_max) {
            diagnostics_.error(list->span,
                               fmt::format("{} axes: expected at most {}: vary what changes "
                                           "together in variants of one axis",
                                           list->items.size(),
                                           axes_max));
        }
        for (const Value& item : list->items) {
            Axis axis = read_axis(item);
            const std::set<std::string> taken{"point", "key", "replication", "seed"};
            if (taken.contains(axis.name)) {
                diagnostics_.error(axis.span,
                                   fmt::format("the name '{}' is a column of every sweep: "
                                               "expected another",
                                               axis.name));
            }
            if (std::ranges::find(out_.axes, axis.name, &Axis::name) != out_.axes.end()) {
                diagnostics_.error(
                    axis.span,
                    fmt::format("a second axis '{}': expected names of their own", axis.name));
            }
            out_.axes.push_back(std::move(axis));
        }
    }

    Axis read_axis(const Value& item) {
        MapReader map(item, "an axis", diagnostics_);
        Axis axis;
        axis.span = item.span;
        if (const Value* name = map.need("name")) {
            axis.name = map.text("name", "");
            axis.span = name->span;
            if (axis.name.empty()) {
                expected(*name, "a name", diagnostics_);
            }
            if (axis.name.starts_with(byte_order_mark)) {
                diagnostics_.error(name->span,
                                   "the name begins with a byte order mark, which readers of "
                                   "tables leave out: expected a name without it");
            }
        }
        const Value* path = map.take("path");
        const Value* values = map.take("values");
        const Value* range = map.take("range");
        const Value* variants = map.take("variants");
        map.report_unknown_keys();
        if ((values != nullptr) + (range != nullptr) + (variants != nullptr) != 1 ||
            (variants == nullptr) != (path != nullptr)) {
            diagnostics_.error(
                item.span,
                "an axis needs a path with values, a path with a range, or variants: "
                "expected one of these");
            return axis;
        }
        if (values != nullptr) {
            listed_values(axis, *path, *values);
        } else if (range != nullptr) {
            for (const std::string& text : range_texts(*range, diagnostics_)) {
                Value value;
                value.kind = Value::Kind::scalar;
                value.text = text;
                value.span = range->span;
                axis.values.push_back({text, {{path->text, value, path->span}}, range->span});
            }
        } else {
            named_variants(axis, *variants);
        }
        check_texts(axis);
        return axis;
    }

    void listed_values(Axis& axis, const Value& path, const Value& values) {
        if (!values.is_list() || values.items.empty()) {
            expected(values, "a list of values, at least one", diagnostics_);
        }
        for (const Value& value : values.items) {
            axis.values.push_back({text_of(value), {{path.text, value, path.span}}, value.span});
        }
    }

    void named_variants(Axis& axis, const Value& variants) {
        if (!variants.is_map() || variants.members.empty()) {
            expected(variants, "a map of variants, at least one", diagnostics_);
        }
        for (const core::Member& variant : variants.members) {
            AxisValue value{variant.key, {}, variant.key_span};
            if (!variant.value.is_map() && variant.value.kind != Value::Kind::null) {
                expected(variant.value, "a map of paths and values", diagnostics_);
            }
            for (const core::Member& change : variant.value.members) {
                value.changes.push_back({change.key, change.value, change.key_span});
            }
            axis.values.push_back(std::move(value));
        }
    }

    void check_texts(const Axis& axis) {
        std::set<std::string> texts;
        for (const AxisValue& value : axis.values) {
            if (!texts.insert(value.text).second) {
                diagnostics_.error(value.span,
                                   fmt::format("the axis '{}' has '{}' twice: expected each value "
                                               "once",
                                               axis.name,
                                               value.text));
            }
        }
    }

    std::vector<std::string> axis_names() const {
        std::vector<std::string> names;
        for (const Axis& axis : out_.axes) {
            names.push_back(axis.name);
        }
        return names;
    }

    std::optional<std::size_t> axis_named(const std::string& name, const core::SourceSpan& span) {
        const auto names = axis_names();
        const auto at = std::ranges::find(names, name);
        if (at == names.end()) {
            diagnostics_.error(span,
                               fmt::format("unknown axis '{}': expected {}{}",
                                           name,
                                           names.empty() ? "none, since there are no axes"
                                                         : core::alternatives(names),
                                           core::suggestion(name, names)));
            return std::nullopt;
        }
        return static_cast<std::size_t>(at - names.begin());
    }

    /// Makes a dimension of each axis. Zipped axes are one dimension, in the place of the first of
    /// them.
    void zip(const Value* lists) {
        std::vector<std::optional<std::size_t>> zipped_at(out_.axes.size());
        std::vector<ZippedAxes> zips;
        if (lists != nullptr && !lists->is_list()) {
            expected(*lists, "a list of lists of axes, such as [[a, b]]", diagnostics_);
        }
        for (std::size_t i = 0; lists != nullptr && i < lists->items.size(); ++i) {
            const Value& list = lists->items[i];
            if (!list.is_list() || list.items.size() < 2) {
                expected(list, "a list of two axes or more, such as [a, b]", diagnostics_);
                continue;
            }
            zips.emplace_back();
            for (const Value& name : list.items) {
                add_to_zip(name, zips, zipped_at);
            }
        }
        for (std::size_t axis = 0; axis < out_.axes.size(); ++axis) {
            if (!zipped_at[axis]) {
                out_.dimensions.push_back({{axis}, out_.axes[axis].values.size()});
            } else if (ZippedAxes& zip = zips[*zipped_at[axis]]; !zip.axes.empty()) {
                std::ranges::sort(zip.axes);
                out_.dimensions.push_back(std::exchange(zip, {}));
            }
        }
    }

    void add_to_zip(const Value& name,
                    std::vector<ZippedAxes>& zips,
                    std::vector<std::optional<std::size_t>>& zipped_at) {
        const auto axis = axis_named(name.text, name.span);
        if (!axis) {
            return;
        }
        ZippedAxes& zip = zips.back();
        const std::size_t length = out_.axes[*axis].values.size();
        if (zipped_at[*axis]) {
            diagnostics_.error(
                name.span,
                fmt::format("the axis '{}' is zipped twice: expected it once", name.text));
            return;
        }
        if (!zip.axes.empty() && zip.length != length) {
            diagnostics_.error(name.span,
                               fmt::format("the axis '{}' has {} values, and '{}' has {}: expected "
                                           "axes of equal length",
                                           name.text,
                                           length,
                                           out_.axes[zip.axes.front()].name,
                                           zip.length));
        }
        zip.axes.push_back(*axis);
        zip.length = length;
        zipped_at[*axis] = zips.size() - 1;
    }

    void exclude(const Value* list) {
        if (list != nullptr && !list->is_list()) {
            expected(*list, "a list of combinations, such as [{load: 0.9}]", diagnostics_);
        }
        for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
            const Value& item = list->items[i];
            if (!item.is_map() || item.members.empty()) {
                expected(item, "a map of axes and values, such as {load: 0.9}", diagnostics_);
            }
            Exclusion exclusion;
            for (const core::Member& member : item.members) {
                if (const auto axis = axis_named(member.key, member.key_span)) {
                    exclusion.conditions.push_back(condition(*axis, member.value));
                }
            }
            out_.exclusions.push_back(std::move(exclusion));
        }
    }

    Exclusion::Condition condition(std::size_t axis, const Value& value) {
        const Axis& of = out_.axes[axis];
        Exclusion::Condition out{axis, std::vector<bool>(of.values.size())};
        std::vector<std::string> texts;
        for (const AxisValue& known : of.values) {
            texts.push_back(known.text);
        }
        const std::vector<Value> one{value};
        for (const Value& wanted : value.is_list() ? value.items : one) {
            const auto at = find_axis_value(of, text_of(wanted));
            if (at) {
                out.excludes[*at] = true;
                continue;
            }
            diagnostics_.error(
                wanted.span,
                fmt::format("the axis '{}' has no value '{}': expected {}{}",
                            of.name,
                            text_of(wanted),
                            texts.size() > 12 ? "one of its values" : core::alternatives(texts),
                            core::suggestion(text_of(wanted), texts)));
        }
        return out;
    }

    void slurm(const Value& value) {
        MapReader map(value, "slurm", diagnostics_);
        out_.slurm.partition = map.text("partition", "");
        if (const auto time = read_duration(map, "time")) {
            out_.slurm.time = std::chrono::ceil<std::chrono::seconds>(*time);
        }
        constexpr std::int64_t tasks_max = 1'000'000;
        out_.slurm.width = static_cast<std::uint32_t>(map.integer("width", 100, 1, tasks_max));
        const Value* options = map.take("options");
        if (options != nullptr && !options->is_list()) {
            expected(*options, "a list of options, such as [--account=lab]", diagnostics_);
        }
        for (std::size_t i = 0; options != nullptr && i < options->items.size(); ++i) {
            if (const auto option = read_text(options->items[i], diagnostics_)) {
                out_.slurm.options.push_back(*option);
                if (!only_asks(*option) && !out_.slurm.may_run) {
                    out_.slurm.may_run = options->items[i].span;
                }
            }
        }
        map.report_unknown_keys();
    }

    Value document_;
    Path folder_;
    const std::vector<Override>& overrides_;
    Diagnostics diagnostics_;
    SweepSpec out_;
};

}  // namespace

std::optional<std::size_t> find_axis_value(const Axis& axis, std::string_view text) {
    const auto number = core::parse_number<double>(text);
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
        const std::string& known = axis.values[i].text;
        if (known == text || (number && core::parse_number<double>(known) == number)) {
            return i;
        }
    }
    return std::nullopt;
}

SweepSpec read_sweep(const Path& file, const std::vector<Override>& overrides) {
    return read_sweep(read_source(file), file == "-" ? Path() : file.parent_path(), overrides);
}

SweepSpec read_sweep(const std::shared_ptr<const core::SourceText>& source,
                     const Path& folder,
                     const std::vector<Override>& overrides) {
    return read_sweep(document_of_kind(source, {"Sweep"}), folder, overrides);
}

SweepSpec read_sweep(Value document, const Path& folder, const std::vector<Override>& overrides) {
    return SweepReader(std::move(document), folder, overrides).read();
}

}  // namespace berth::experiments
