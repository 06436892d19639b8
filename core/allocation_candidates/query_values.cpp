#include "core/allocation_candidates/query_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <utility>

#include "core/allocation_candidates/python_text.hpp"
#include "core/support/text.hpp"

namespace berth::core {
namespace {

std::string decode(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::string_view digits = text.substr(at + 1, 2);
        const char* const end = digits.data() + digits.size();
        unsigned char byte = 0;
        if (text[at] == '%' && digits.size() == 2 &&
            std::from_chars(digits.data(), end, byte, 16).ptr == end) {
            out += static_cast<char>(byte);
            at += 2;
        } else {
            out += text[at] == '+' ? ' ' : text[at];
        }
    }
    return out;
}

constexpr std::string_view any_prefix = "in:";

/// What a list of traits asks for.
struct TraitTerms {
    std::vector<AnyOf> required;
    std::vector<std::string> forbidden;
};

void sort_unique(std::vector<std::string>& names) {
    std::ranges::sort(names);
    const auto doubles = std::ranges::unique(names);
    names.erase(doubles.begin(), doubles.end());
}

/// The parts of a list, trimmed.
std::vector<std::string> items(std::string_view list) {
    std::vector<std::string> out;
    for (const std::string_view item : python_split(list, ',')) {
        out.emplace_back(python_strip(item));
    }
    return out;
}

/// Reads `in:T1,T2`.
QueryValueFault read_any_trait(std::string_view value, TraitTerms& terms) {
    AnyOf traits = items(value.substr(any_prefix.size()));
    if (std::ranges::find(traits, "") != traits.end()) {
        return invalid_parameters(
            fmt::format("Expected 'required' parameter value of the form: "
                        "in:HW_CPU_X86_VMX,CUSTOM_MAGIC. Got an empty trait in: {}",
                        value));
    }
    if (std::ranges::any_of(traits, [](const auto& trait) { return trait.starts_with('!'); })) {
        return invalid_parameters(
            fmt::format("The format 'in:HW_CPU_X86_VMX,CUSTOM_MAGIC' does not support forbidden "
                        "traits. Got: {}",
                        value));
    }
    sort_unique(traits);
    terms.required.push_back(std::move(traits));
    return std::nullopt;
}

/// Reads `T1,!T2`.
QueryValueFault read_traits(std::string_view value, TraitTerms& terms) {
    for (std::string& trait : items(value)) {
        const bool is_forbidden = trait.starts_with('!');
        trait.erase(0, trait.find_first_not_of('!'));
        if (trait.empty()) {
            return invalid_parameters(
                fmt::format("Expected 'required' parameter value of the form: "
                            "HW_CPU_X86_VMX,!CUSTOM_MAGIC. Got an empty trait in: {}",
                            value));
        }
        if (is_forbidden) {
            terms.forbidden.push_back(std::move(trait));
        } else {
            terms.required.push_back({std::move(trait)});
        }
    }
    return std::nullopt;
}

CandidateQueryFault badly_formed_resources(std::string_view what) {
    return {.reason = fmt::format("Badly formed resources parameter. Expected resources query "
                                  "string parameter in form: ?resources=VCPU:2,MEMORY_MB:1024. "
                                  "Got: {}.",
                                  what)};
}

/// Reads `RC:AMOUNT`.
QueryValueFault read_resource(std::string_view piece, CandidateGroup& group) {
    const std::vector<std::string_view> sides = python_split(piece, ':');
    if (sides.size() != 2) {
        return badly_formed_resources(piece);
    }
    const std::string_view name = sides[0];
    const auto amount = python_integer(sides[1]);
    if (!amount) {
        return CandidateQueryFault{
            .reason =
                fmt::format("Requested resource {} expected positive integer amount. Got: {}.",
                            name,
                            sides[1])};
    }
    if (!amount->is_positive()) {
        return CandidateQueryFault{
            .reason = fmt::format(
                "Requested resource {} requires amount >= 1. Got: {}.", name, amount->text())};
    }
    auto entry = std::ranges::find(group.resources, name, &std::pair<std::string, Amount>::first);
    if (entry == group.resources.end()) {
        entry = group.resources.insert(entry, {std::string(name), 0});
    }
    constexpr std::uint64_t amount_max = CandidateGroup::amount_max;
    entry->second = static_cast<Amount>(std::min(amount->magnitude(), amount_max));
    return std::nullopt;
}

}  // namespace

std::vector<QueryPair> parse_query_pairs(std::string_view query) {
    std::vector<QueryPair> pairs;
    for (const std::string_view piece : python_split(query, '&')) {
        if (piece.empty()) {
            continue;
        }
        const std::size_t equals = piece.find('=');
        const bool has_value = equals != std::string_view::npos;
        pairs.push_back({.key = decode(piece.substr(0, equals)),
                         .value = has_value ? decode(piece.substr(equals + 1)) : std::string()});
    }
    return pairs;
}

CandidateQueryFault invalid_parameters(std::string_view what) {
    return {.reason = fmt::format("Invalid query string parameters: {}", what)};
}

QueryValueFault read_root_required(const std::string& value, CandidateQuery& query) {
    if (value.starts_with(any_prefix)) {
        return invalid_parameters(
            fmt::format("The format 'in:HW_CPU_X86_VMX,CUSTOM_MAGIC' only supported since "
                        "microversion 1.39. Got: {}",
                        value));
    }
    TraitTerms terms;
    if (auto fault = read_traits(value, terms)) {
        return fault;
    }
    query.root_required.clear();
    for (AnyOf& one : terms.required) {
        query.root_required.push_back(std::move(one.front()));
    }
    query.root_forbidden = std::move(terms.forbidden);
    sort_unique(query.root_required);
    sort_unique(query.root_forbidden);
    std::vector<std::string> both;
    std::ranges::set_intersection(
        query.root_required, query.root_forbidden, std::back_inserter(both));
    if (!both.empty()) {
        return CandidateQueryFault{
            .reason =
                fmt::format("Conflicting required and forbidden traits found in root_required: {}",
                            join(both, ", ")),
            .code = std::string(bad_value_code)};
    }
    return std::nullopt;
}

QueryValueFault read_same_subtree(const std::string& value, CandidateQuery& query) {
    std::vector<std::string> suffixes = items(value);
    if (std::ranges::find(suffixes, "") != suffixes.end()) {
        return CandidateQueryFault{
            .reason = "Empty string (unsuffixed group) can not be specified in `same_subtree` ",
            .code = std::string(bad_value_code)};
    }
    sort_unique(suffixes);
    query.same_subtree.push_back(std::move(suffixes));
    return std::nullopt;
}

QueryValueFault read_resources(const std::string& value, CandidateGroup& group) {
    if (python_strip(value).empty()) {
        return badly_formed_resources("empty string");
    }
    group.resources.clear();
    for (const std::string_view piece : python_split(value, ',')) {
        if (auto fault = read_resource(piece, group)) {
            return fault;
        }
    }
    return std::nullopt;
}

QueryValueFault read_required(const std::vector<std::string>& values, CandidateGroup& group) {
    TraitTerms terms;
    for (const std::string& value : values) {
        if (auto fault = value.starts_with(any_prefix) ? read_any_trait(value, terms)
                                                       : read_traits(value, terms)) {
            return fault;
        }
    }
    group.required = std::move(terms.required);
    group.forbidden = std::move(terms.forbidden);
    sort_unique(group.forbidden);
    return std::nullopt;
}

QueryValueFault read_member_of(const std::vector<std::string>& values, CandidateGroup& group) {
    group.member_of.clear();
    group.forbidden_members.clear();
    for (const std::string& value : values) {
        std::string_view rest = value;
        const bool is_forbidden = rest.starts_with('!');
        rest.remove_prefix(is_forbidden ? 1 : 0);
        const bool is_list = rest.starts_with(any_prefix);
        rest.remove_prefix(is_list ? any_prefix.size() : 0);
        const std::vector<std::string_view> uuids = python_split(rest, ',');
        if (!is_list && uuids.size() > 1) {
            return CandidateQueryFault{
                .reason = fmt::format("Multiple values for 'member_of' must be prefixed with the "
                                      "'in:' or '!in:' keyword using the valid microversion. "
                                      "Got: {}",
                                      value)};
        }
        const auto stranger = std::ranges::find_if_not(uuids, looks_like_uuid);
        if (stranger != uuids.end()) {
            return invalid_parameters(fmt::format(
                "Expected 'member_of' parameter to contain valid UUID(s). Got: {}", *stranger));
        }
        if (is_forbidden) {
            group.forbidden_members.insert(
                group.forbidden_members.end(), uuids.begin(), uuids.end());
        } else {
            sort_unique(group.member_of.emplace_back(uuids.begin(), uuids.end()));
        }
    }
    sort_unique(group.forbidden_members);
    return std::nullopt;
}

QueryValueFault read_in_tree(const std::string& value, CandidateGroup& group) {
    const std::string_view uuid = python_strip(value);
    if (!looks_like_uuid(uuid)) {
        return invalid_parameters(
            fmt::format("Expected 'in_tree' parameter to be a format of uuid. Got: {}", value));
    }
    group.in_tree = uuid;
    return std::nullopt;
}

}  // namespace berth::core
