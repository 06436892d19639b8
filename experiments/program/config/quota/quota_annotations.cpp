#include "experiments/program/config/quota/quota_annotations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "experiments/program/support/parsed_json.hpp"

namespace berth::experiments {
namespace {

using core::Quantities;
using core::Value;
using Json = nlohmann::ordered_json;

/// Pairs of a name and its value, before the value is checked to be a quantity.
using Entries = std::vector<std::pair<std::string, std::string>>;
using Names = std::vector<std::string>;

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view space = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(space);
    return begin == std::string_view::npos
               ? std::string_view()
               : text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

std::string unquoted(std::string_view text) {
    text = trimmed(text);
    const bool quoted = text.size() >= 2 && text.front() == text.back() &&
                        (text.front() == '"' || text.front() == '\'');
    return std::string(quoted ? text.substr(1, text.size() - 2) : text);
}

// JSON -------------------------------------------------------------------------------------------

std::optional<Entries> json_entries(std::string_view text) {
    const Json parsed = parsed_if_json(text);
    if (!parsed.is_object() && !parsed.is_null()) {
        return std::nullopt;
    }
    Entries entries;
    for (const auto& [key, value] : parsed.items()) {
        if (!value.is_string() && !value.is_number()) {
            return std::nullopt;
        }
        entries.emplace_back(key, value.is_string() ? value.get<std::string>() : dumped(value));
    }
    return entries;
}

std::optional<Names> json_names(std::string_view text) {
    const Json parsed = parsed_if_json(text);
    if (!parsed.is_array() && !parsed.is_null()) {
        return std::nullopt;
    }
    Names names;
    for (const Json& name : parsed) {
        if (!name.is_string()) {
            return std::nullopt;
        }
        names.push_back(name.get<std::string>());
    }
    return names;
}

// As people write it -----------------------------------------------------------------------------

/// The parts between the brackets, separated by commas.
std::optional<std::vector<std::string_view>> parts(std::string_view text, char open, char close) {
    text = trimmed(text);
    if (text.size() < 2 || text.front() != open || text.back() != close) {
        return std::nullopt;
    }
    text = text.substr(1, text.size() - 2);
    std::vector<std::string_view> found;
    if (trimmed(text).empty()) {
        return found;
    }
    for (std::size_t comma = 0; comma != std::string_view::npos;) {
        comma = text.find(',');
        found.push_back(trimmed(text.substr(0, comma)));
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    }
    return found;
}

/// Reads `cpu:4`, with or without a space.
std::optional<std::pair<std::string, std::string>> entry_of(std::string_view part) {
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    return std::pair(unquoted(part.substr(0, colon)), unquoted(part.substr(colon + 1)));
}

std::optional<Entries> loose_entries(std::string_view text) {
    const auto all = parts(text, '{', '}');
    if (!all) {
        return std::nullopt;
    }
    Entries entries;
    for (const std::string_view part : *all) {
        auto entry = entry_of(part);
        if (!entry || entry->first.empty()) {
            return std::nullopt;
        }
        entries.push_back(std::move(*entry));
    }
    return entries;
}

std::optional<Names> loose_names(std::string_view text) {
    const auto all = parts(text, '[', ']');
    if (!all) {
        return std::nullopt;
    }
    Names names;
    for (const std::string_view part : *all) {
        names.push_back(unquoted(part));
    }
    return std::ranges::find(names, "") == names.end() ? std::optional(names) : std::nullopt;
}

/// Without quotes around all of it, YAML has parsed the annotation: `{cpu:4, memory: 8Gi}` as a map
/// in which the key `cpu:4` has no value.
std::optional<Entries> entries_of_map(const Value& map) {
    Entries entries;
    for (const core::Member& member : map.members) {
        const auto joined =
            member.value.kind == Value::Kind::null ? entry_of(member.key) : std::nullopt;
        if (!joined && !member.value.is_scalar()) {
            return std::nullopt;
        }
        entries.push_back(joined ? *joined : std::pair(member.key, member.value.text));
    }
    return entries;
}

std::optional<Names> names_of_list(const Value& list) {
    Names names;
    for (const Value& item : list.items) {
        if (!item.is_scalar() || item.text.empty()) {
            return std::nullopt;
        }
        names.push_back(item.text);
    }
    return names;
}

// ------------------------------------------------------------------------------------------------

AnnotationFault fault_of(const Value& annotation, std::string_view expected) {
    const std::string found = annotation.is_map()    ? "a map"
                              : annotation.is_list() ? "a list"
                                                     : fmt::format("'{}'", annotation.text);
    return {fmt::format("{}: expected {}", found, expected)};
}

}  // namespace

std::variant<Quantities, AnnotationFault> parse_quantities(const Value& annotation,
                                                           AnnotationSyntax syntax) {
    const bool strict = syntax == AnnotationSyntax::strict;
    std::optional<Entries> entries;
    if (annotation.is_scalar()) {
        entries = json_entries(annotation.text);
        if (!entries && !strict) {
            entries = loose_entries(annotation.text);
        }
    } else if (annotation.is_map() && !strict) {
        entries = entries_of_map(annotation);
    }
    if (!entries) {
        return fault_of(annotation,
                        strict ? R"(JSON such as {"cpu": "4", "memory": "8Gi"})"
                               : "quantities such as {cpu: 4, memory: 8Gi}");
    }
    Quantities quantities;
    for (const auto& [resource, text] : *entries) {
        const auto parsed = core::parse_exact_quantity(text);
        if (const auto* fault = std::get_if<core::QuantityFault>(&parsed)) {
            return AnnotationFault{fmt::format(
                "'{}' of {}: expected {}", text, resource, describe(*fault, "billionths"))};
        }
        quantities[resource] = std::get<core::Quantity>(parsed);
    }
    return quantities;
}

std::variant<Names, AnnotationFault> parse_names(const Value& annotation, AnnotationSyntax syntax) {
    const bool strict = syntax == AnnotationSyntax::strict;
    std::optional<Names> names;
    if (annotation.is_scalar()) {
        names = json_names(annotation.text);
        if (!names && !strict) {
            names = loose_names(annotation.text);
        }
    } else if (annotation.is_list() && !strict) {
        names = names_of_list(annotation);
    }
    if (!names) {
        return fault_of(annotation, strict ? R"(JSON such as ["a", "b"])" : "names such as [a, b]");
    }
    return *names;
}

}  // namespace berth::experiments
