#include "experiments/config/value_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "experiments/documents.hpp"

namespace berth::experiments {
namespace {

using core::InputError;
using core::Value;

/// A step of a path: a key, or an index.
struct Step {
    std::string key;
    std::optional<std::size_t> index;
};

std::vector<Step> parse_path(const Override& override) {
    std::vector<Step> steps;
    std::string_view rest = override.path;
    const auto malformed = [&] {
        return InputError(override.span,
                          fmt::format("'{}' is no path: expected one such as spec.workload[0].at",
                                      override.path));
    };
    while (!rest.empty()) {
        if (rest.starts_with('[')) {
            const std::size_t end = rest.find(']');
            std::size_t index = 0;
            const auto [stop, error] =
                std::from_chars(rest.data() + 1, rest.data() + rest.size(), index);
            if (end == std::string_view::npos || error != std::errc() ||
                stop != rest.data() + end) {
                throw malformed();
            }
            steps.push_back({"", index});
            rest.remove_prefix(end + 1);
        } else {
            rest.remove_prefix(rest.starts_with('.') && !steps.empty() ? 1 : 0);
            const std::size_t end = std::min(rest.find_first_of(".["), rest.size());
            if (end == 0) {
                throw malformed();
            }
            steps.push_back({std::string(rest.substr(0, end)), std::nullopt});
            rest.remove_prefix(end);
        }
    }
    if (steps.empty()) {
        throw malformed();
    }
    return steps;
}

Value* step_into(Value& at, const Step& step) {
    if (step.index) {
        return at.is_list() && *step.index < at.items.size() ? &at.items[*step.index] : nullptr;
    }
    return at.is_map() ? at.find(step.key) : nullptr;
}

/// How far a path leads: the last value on it, and the number of steps to there.
struct Reached {
    Value* at;
    std::size_t steps = 0;
};

Reached walk(Value& document, std::span<const Step> steps) {
    Reached reached{&document};
    while (reached.steps < steps.size()) {
        Value* next = step_into(*reached.at, steps[reached.steps]);
        if (next == nullptr) {
            break;
        }
        reached.at = next;
        ++reached.steps;
    }
    return reached;
}

/// The paths of a document, for somebody who mistyped one.
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

[[noreturn]] void no_such_step(const Value& document,
                               const Override& override,
                               const Step& step,
                               const Value& at) {
    constexpr std::size_t paths_max = 20'000;
    std::vector<std::string> paths;
    list_paths(document, "", paths_max, paths);
    std::vector<std::string> keys;
    for (const core::Member& entry : at.members) {
        keys.push_back(entry.key);
    }
    std::string near = core::suggestion(override.path, paths);
    near = near.empty() ? core::suggestion(step.key, keys) : near;
    if (step.index) {
        throw InputError(
            override.span,
            fmt::format("the path {} has no entry [{}]: expected {}{}",
                        override.path,
                        *step.index,
                        at.is_list() ? fmt::format("an index below {}", at.items.size()) : "a list",
                        near));
    }
    throw InputError(override.span,
                     fmt::format("the path {} has no '{}': expected {}{}",
                                 override.path,
                                 step.key,
                                 keys.empty() ? "a map" : core::alternatives(keys),
                                 near));
}

/// Sets the value if the way there exists; else says how far it leads.
std::optional<Reached> set(Value& document, const Override& override, std::span<const Step> steps) {
    Reached reached = walk(document, steps);
    const bool last_is_new = reached.steps > 0 && reached.steps + 1 == steps.size() &&
                             !steps.back().index && reached.at->is_map();
    if (last_is_new) {
        reached.at->members.push_back({steps.back().key, override.span, {}});
        reached = {&reached.at->members.back().value, steps.size()};
    }
    if (reached.steps < steps.size()) {
        return reached;
    }
    *reached.at = override.value;
    return std::nullopt;
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
    value.span = {source, 0, 0, 0};
    return {option.substr(0, equals), std::move(value), {source, 0, 0, 0}};
}

void apply_override(Value& document, const Override& override) {
    const std::vector<Step> steps = parse_path(override);
    if (const auto reached = set(document, override, steps)) {
        no_such_step(document, override, steps[reached->steps], *reached->at);
    }
}

bool try_override(Value& document, const Override& override) {
    return !set(document, override, parse_path(override));
}

}  // namespace berth::experiments
