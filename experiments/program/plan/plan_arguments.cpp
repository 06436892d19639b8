#include "experiments/program/plan/plan_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/support/made_value.hpp"
#include "core/support/source.hpp"
#include "core/support/text.hpp"

namespace berth::experiments {
namespace {

using core::Value;

/// The place of a text on the command line: messages name the option.
core::SourceSpan option_span(const std::string& option) {
    auto source = std::make_shared<core::SourceText>();
    source->name = option;
    return {source, 0, 0, 0};
}

/// The range in `4..12` or `4..12..2`.
Value range_of(const std::string& text, std::size_t dots, const core::SourceSpan& span) {
    const std::string rest = text.substr(dots + 2);
    const std::size_t second = rest.find("..");
    Value range = map_value(span);
    set_member(range, "from", text_value(text.substr(0, dots), span));
    set_member(range, "to", text_value(rest.substr(0, second), span));
    set_member(range,
               "step",
               text_value(second == std::string::npos ? "1" : rest.substr(second + 2), span));
    return range;
}

Value choice_of(const std::string& option) {
    const core::SourceSpan span = option_span("--choose");
    const std::size_t sign = option.rfind('=');
    const std::string values = sign == std::string::npos ? "" : option.substr(sign + 1);
    if (sign == 0 || values.empty()) {
        throw core::InputError(
            fmt::format("--choose: error: found '{}': expected PATH=FROM..TO, PATH=FROM..TO..STEP "
                        "or PATH=VALUE,VALUE, such as 'levels[rack].count=4..12'",
                        option));
    }
    Value out = map_value(span);
    set_member(out, "path", text_value(option.substr(0, sign), span));
    if (const std::size_t dots = values.find(".."); dots != std::string::npos) {
        set_member(out, "range", range_of(values, dots, span));
        return out;
    }
    Value list = list_value(span);
    for (std::size_t begin = 0; begin <= values.size();) {
        const std::size_t end = std::min(values.find(',', begin), values.size());
        list.items.push_back(text_value(values.substr(begin, end - begin), span));
        begin = end + 1;
    }
    set_member(out, "values", std::move(list));
    return out;
}

/// Errors: core::InputError if options for an experiment do not make a plan of it.
void check_asks(const PlanArguments& arguments) {
    if (arguments.choose.empty()) {
        throw core::InputError(
            "berth plan: error: nothing is chosen: expected --choose PATH=RANGE, such as --choose "
            "'levels[rack].count=4..12', or a document of kind: Plan");
    }
    if (arguments.require.empty()) {
        throw core::InputError(
            "berth plan: error: nothing is required: expected --require 'METRIC<=BOUND', such as "
            "--require 'job_wait_s_p95<=10m'");
    }
}

/// metadata.name of a document; empty if it has none.
std::string name_of(const Value& document) {
    const Value* metadata = document.find("metadata");
    const Value* name =
        metadata != nullptr && metadata->is_map() ? metadata->find("name") : nullptr;
    return name != nullptr ? name->text : "";
}

/// The level in `spec.topology.spec.levels[LEVEL].count`; empty for any other path.
std::string level_counted(const std::string& path) {
    const std::string before = "spec.topology.spec.levels[";
    const std::string after = "].count";
    if (path.size() <= before.size() + after.size() || !path.starts_with(before) ||
        !path.ends_with(after)) {
        return "";
    }
    return path.substr(before.size(), path.size() - before.size() - after.size());
}

}  // namespace

Value document_value(const std::string& kind, const std::string& name, Value spec) {
    const core::SourceSpan span = spec.span;
    Value metadata = map_value(span);
    set_member(metadata, "name", text_value(name, span));
    Value out = map_value(span);
    set_member(out, "apiVersion", text_value("berth/v1", span));
    set_member(out, "kind", text_value(kind, span));
    set_member(out, "metadata", std::move(metadata));
    set_member(out, "spec", std::move(spec));
    return out;
}

Value with_arguments(Value document, const PlanArguments& arguments) {
    const Value* kind = document.find("kind");
    if (kind != nullptr && kind->text == "Experiment") {
        check_asks(arguments);
        Value spec = map_value(document.span);
        const std::string name = name_of(document);
        set_member(spec, "experiment", std::move(document));
        document = document_value("Plan", (name.empty() ? "experiment" : name) + "-plan", spec);
    }
    Value* spec = document.find("spec");
    if (spec == nullptr || !spec->is_map()) {
        return document;  // its reader says what is wrong
    }
    Value choose = list_value(option_span("--choose"));
    for (const std::string& option : arguments.choose) {
        choose.items.push_back(choice_of(option));
    }
    const core::SourceSpan span = option_span("--require");
    Value require = list_value(span);
    for (const std::string& option : arguments.require) {
        require.items.push_back(text_value(option, span));
    }
    if (!choose.items.empty()) {
        set_member(*spec, "choose", std::move(choose));
    }
    if (!require.items.empty()) {
        set_member(*spec, "require", std::move(require));
    }
    if (!arguments.confidence.empty()) {
        set_member(
            *spec, "confidence", text_value(arguments.confidence, option_span("--confidence")));
    }
    if (!arguments.replications.empty()) {
        set_member(*spec,
                   "replications",
                   text_value(arguments.replications, option_span("--replications")));
    }
    return document;
}

std::string whole_path(const std::string& path) {
    if (path.starts_with("spec.")) {
        return path;
    }
    return (path.starts_with("levels[") ? "spec.topology.spec." : "spec.") + path;
}

std::string counted_noun(const std::string& path) {
    const std::string level = level_counted(path);
    return level.empty() ? "" : level + "s";
}

std::string axis_name(const std::string& path, const std::vector<std::string>& paths) {
    if (const std::string noun = counted_noun(path); !noun.empty()) {
        return noun;
    }
    std::size_t dot = path.rfind('.');
    const auto is_shared = [&] {
        return std::ranges::any_of(paths, [&](const std::string& other) {
            return other != path && other.ends_with(path.substr(dot));
        });
    };
    while (dot != std::string::npos && dot > 0 && is_shared()) {
        dot = path.rfind('.', dot - 1);
    }
    return dot == std::string::npos ? path : path.substr(dot + 1);
}

}  // namespace berth::experiments
