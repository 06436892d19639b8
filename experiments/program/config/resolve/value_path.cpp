#include "experiments/program/config/resolve/value_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "core/support/parse_number.hpp"
#include "experiments/program/support/documents.hpp"

namespace berth::experiments {
namespace {

using core::InputError;
using core::Value;

/// A step of a path: a key of a map, or an entry of a list by its index or its name.
struct Step {
    enum class Kind : std::uint8_t { key, index, name };
    Kind kind = Kind::key;
    std::string text;       ///< The key, or the name of the entry.
    std::size_t index = 0;  ///< Index of the entry.
};

/// Maps that a path may lead through even if the experiment does not have them. Maps whose keys
/// users choose, such as a type in `types`, are not among them, so that a mistyped name creates
/// nothing.
constexpr std::array<std::string_view, 13> known_maps{
    "metadata",
    "spec",
    "spec.descheduler",
    "spec.expect",
    "spec.failures",
    "spec.record",
    "spec.recycler",
    "spec.runTime",
    "spec.scheduler",
    "spec.scheduler.profile",
    "spec.scheduler.profile.placementGroup",
    "spec.scheduler.typicalPods",
    "spec.types",
};

/// Parses the text between brackets: digits are an index, anything else is a name.
Step bracket_step(std::string_view inside) {
    if (const auto index = core::parse_number<std::size_t>(inside)) {
        return {Step::Kind::index, "", *index};
    }
    return {Step::Kind::name, std::string(inside), 0};
}

std::vector<Step> parse_path(const Override& override) {
    std::vector<Step> steps;
    std::string_view rest = override.path;
    const auto malformed = [&] {
        return InputError(
            override.span,
            fmt::format("'{}' is not a path: expected one such as spec.workload[0].at",
                        override.path));
    };
    while (!rest.empty()) {
        if (rest.starts_with('[')) {
            const std::size_t end = rest.find(']');
            if (end == std::string_view::npos || end == 1) {
                throw malformed();
            }
            steps.push_back(bracket_step(rest.substr(1, end - 1)));
            rest.remove_prefix(end + 1);
        } else {
            rest.remove_prefix(rest.starts_with('.') && !steps.empty() ? 1 : 0);
            const std::size_t end = std::min(rest.find_first_of(".["), rest.size());
            if (end == 0) {
                throw malformed();
            }
            steps.push_back({Step::Kind::key, std::string(rest.substr(0, end)), 0});
            rest.remove_prefix(end);
        }
    }
    if (steps.empty()) {
        throw malformed();
    }
    return steps;
}

/// Adds the names by which an entry of a list can be called: its metadata.name, name or type; for a
/// group, its spec.group.name; for an entry with one key, such as a source of the workload, and for
/// a trace, that key and the names of the value under it; for a text, the text itself.
void add_names(const Value& entry, std::vector<std::string>& names) {
    if (entry.is_scalar()) {
        names.push_back(entry.text);
        return;
    }
    const auto add_text = [&](const Value& map, const char* key) {
        const Value* value = map.is_map() ? map.find(key) : nullptr;
        if (value != nullptr && value->is_scalar()) {
            names.push_back(value->text);
        }
    };
    if (const Value* metadata = entry.is_map() ? entry.find("metadata") : nullptr) {
        add_text(*metadata, "name");
    }
    add_text(entry, "name");
    add_text(entry, "type");
    const Value* spec = entry.is_map() ? entry.find("spec") : nullptr;
    if (const Value* group = spec != nullptr && spec->is_map() ? spec->find("group") : nullptr) {
        add_text(*group, "name");
    }
    const Value* document = entry.is_map() ? entry.find("document") : nullptr;
    const Value* group = entry.is_map() ? entry.find("group") : nullptr;
    if (document != nullptr || group != nullptr) {
        add_names(document != nullptr ? *document : *group, names);
    } else if (entry.members.size() == 1 && !entry.members.front().value.is_scalar()) {
        names.push_back(entry.members.front().key);
        add_names(entry.members.front().value, names);
    } else if (entry.is_map() && entry.find("trace") != nullptr) {
        names.emplace_back("trace");  // with what is changed in the trace beside it
    }
}

std::vector<std::string> names_of(const Value& entry) {
    std::vector<std::string> names;
    add_names(entry, names);
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    return names;
}

/// Errors: InputError if several entries have the name.
Value* entry_named(Value& list, const Step& step, const Override& override) {
    Value* found = nullptr;
    for (Value& entry : list.items) {
        const std::vector<std::string> names = names_of(entry);
        if (std::ranges::find(names, step.text) == names.end()) {
            continue;
        }
        if (found != nullptr) {
            throw InputError(override.span,
                             fmt::format("the path {} has several entries [{}]: expected the index "
                                         "of one, from 0",
                                         override.path,
                                         step.text));
        }
        found = &entry;
    }
    return found;
}

Value* step_into(Value& at, const Step& step, const Override& override) {
    switch (step.kind) {
        case Step::Kind::index:
            return at.is_list() && step.index < at.items.size() ? &at.items[step.index] : nullptr;
        case Step::Kind::name:
            return at.is_list() ? entry_named(at, step, override) : nullptr;
        case Step::Kind::key:
            return at.is_map() ? at.find(step.text) : nullptr;
    }
    return nullptr;
}

/// How far a path leads: the last value on it, and the number of steps to that value.
struct Reached {
    Value* at;
    std::size_t steps = 0;
};

Reached walk(Value& document, std::span<const Step> steps, const Override& override) {
    Reached reached{&document};
    while (reached.steps < steps.size()) {
        Value* next = step_into(*reached.at, steps[reached.steps], override);
        if (next == nullptr) {
            break;
        }
        reached.at = next;
        ++reached.steps;
    }
    return reached;
}

/// How many of the first steps lead only through known maps.
std::size_t known_steps(std::span<const Step> steps) {
    std::string path;
    for (std::size_t count = 0; count < steps.size(); ++count) {
        if (steps[count].kind != Step::Kind::key) {
            return count;
        }
        path += (path.empty() ? "" : ".") + steps[count].text;
        if (std::ranges::find(known_maps, path) == known_maps.end()) {
            return count;
        }
    }
    return steps.size();
}

/// Lists the paths of a document, for a user who mistyped one.
void list_paths(const Value& at,
                const std::string& path,
                std::size_t count_max,
                std::vector<std::string>& out) {
    if (out.size() >= count_max) {
        return;
    }
    if (!path.empty()) {
        out.push_back(path);
    }
    for (const core::Member& member : at.members) {
        list_paths(
            member.value, path.empty() ? member.key : path + "." + member.key, count_max, out);
    }
    for (std::size_t i = 0; i < at.items.size(); ++i) {
        list_paths(at.items[i], fmt::format("{}[{}]", path, i), count_max, out);
    }
}

[[noreturn]] void no_such_entry(const Override& override,
                                const Step& step,
                                const Value& at,
                                const std::string& near) {
    std::vector<std::string> names;
    for (const Value& entry : at.items) {
        const std::vector<std::string> more = names_of(entry);
        names.insert(names.end(), more.begin(), more.end());
    }
    const bool by_index = step.kind == Step::Kind::index;
    std::string wanted = "a list";
    if (at.is_list() && (by_index || names.empty())) {
        wanted = fmt::format("an index below {}", at.items.size());
    } else if (at.is_list()) {
        wanted = core::alternatives(names);
    }
    throw InputError(override.span,
                     fmt::format("the path {} has no entry [{}]: expected {}{}",
                                 override.path,
                                 by_index ? std::to_string(step.index) : step.text,
                                 wanted,
                                 by_index ? near : core::suggestion(step.text, names)));
}

[[noreturn]] void no_such_step(const Value& document,
                               const Override& override,
                               const Step& step,
                               const Value& at) {
    constexpr std::size_t paths_max = 20'000;
    std::vector<std::string> paths(known_maps.begin(), known_maps.end());
    list_paths(document, "", paths_max, paths);
    std::vector<std::string> keys;
    for (const core::Member& entry : at.members) {
        keys.push_back(entry.key);
    }
    std::string near = core::suggestion(override.path, paths);
    near = near.empty() ? core::suggestion(step.text, keys) : near;
    if (step.kind != Step::Kind::key) {
        no_such_entry(override, step, at, near);
    }
    if (near.empty() && &at == &document && document.find("spec") != nullptr) {
        near = fmt::format(" (did you mean 'spec.{}'?)", override.path);
    }
    throw InputError(override.span,
                     fmt::format("the path {} has no '{}': expected {}{}",
                                 override.path,
                                 step.text,
                                 keys.empty() ? "a map" : core::alternatives(keys),
                                 near));
}

/// Creates the known maps on a path that the document lacks, beginning at the step that fails.
void make_known_maps(Reached& reached, std::span<const Step> steps, const Override& override) {
    const std::size_t known = std::min(known_steps(steps), steps.size() - 1);
    if (reached.steps > 0 && reached.steps <= known && reached.at->kind == Value::Kind::null) {
        reached.at->kind = Value::Kind::map;  // `scheduler:` without a value
    }
    while (reached.steps > 0 && reached.steps < known && reached.at->is_map()) {
        Value map;
        map.kind = Value::Kind::map;
        map.span = override.span;
        reached.at->members.push_back({steps[reached.steps].text, override.span, std::move(map)});
        reached = {&reached.at->members.back().value, reached.steps + 1};
    }
}

/// Sets the value if the path leads to it; otherwise returns how far the path leads.
std::optional<Reached> set(Value& document, const Override& override, std::span<const Step> steps) {
    Reached reached = walk(document, steps, override);
    make_known_maps(reached, steps, override);
    const bool last_is_new = reached.steps > 0 && reached.steps + 1 == steps.size() &&
                             steps.back().kind == Step::Kind::key && reached.at->is_map();
    if (last_is_new) {
        reached.at->members.push_back({steps.back().text, override.span, {}});
        reached = {&reached.at->members.back().value, steps.size()};
    }
    if (reached.steps < steps.size()) {
        return reached;
    }
    *reached.at = override.value;
    return std::nullopt;
}

/// Whether a plain value is not all of its text: `%x` is a directive, and `x #y` has a comment.
bool loses_text(const Value& value, std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos ||
        !(value.is_scalar() || value.kind == Value::Kind::null)) {
        return false;
    }
    text = text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
    if (value.kind == Value::Kind::null) {
        constexpr std::array nothing{"~", "null", "Null", "NULL"};
        return std::ranges::find(nothing, text) == nothing.end();
    }
    constexpr std::string_view styles = "\"'|>";
    return styles.find(text.front()) == std::string_view::npos && value.text != text;
}

}  // namespace

Override parse_override(const std::string& option) {
    const std::size_t equals = option.find('=');
    auto source = std::make_shared<core::SourceText>();
    source->name = fmt::format("--set {}", option);
    if (equals == std::string::npos || equals == 0) {
        throw InputError({source, 0, 0, 0}, "no '=': expected spec.path=VALUE");
    }
    source->text = option.substr(equals + 1);
    std::vector<Value> values = parse_documents(source);
    Value value = values.empty() ? Value{} : std::move(values.front());
    if (loses_text(value, source->text)) {
        throw InputError({source, 0, 0, 0},
                         fmt::format("YAML reads '{}' as another value: expected it in quotes, "
                                     "such as '{}=\"...\"'",
                                     source->text,
                                     option.substr(0, equals)));
    }
    value.span = {source, 0, 0, 0};
    return {option.substr(0, equals), std::move(value), {source, 0, 0, 0}};
}

void apply_override(Value& document, const Override& override) {
    const std::vector<Step> steps = parse_path(override);
    if (const auto reached = set(document, override, steps)) {
        no_such_step(document, override, steps[reached->steps], *reached->at);
    }
}

std::string path_by_index(Value& document, const Override& override) {
    std::string out;
    Value* at = &document;
    for (const Step& step : parse_path(override)) {
        Value* next = at != nullptr ? step_into(*at, step, override) : nullptr;
        if (step.kind == Step::Kind::key) {
            out += (out.empty() ? "" : ".") + step.text;
        } else if (step.kind == Step::Kind::index || next == nullptr) {
            out += fmt::format(
                "[{}]", step.kind == Step::Kind::index ? std::to_string(step.index) : step.text);
        } else {
            out += fmt::format("[{}]", next - at->items.data());
        }
        at = next;
    }
    return out;
}

bool try_override(Value& document, const Override& override) {
    return !set(document, override, parse_path(override));
}

}  // namespace berth::experiments
