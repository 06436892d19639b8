#include "experiments/program/config/cluster/candidate_query_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>
#include <variant>

#include "core/allocation_candidates/candidate_query.hpp"
#include "core/allocation_candidates/candidate_search.hpp"

namespace berth::experiments {
namespace {

bool is_space(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

/// Where the query string begins in a text.
std::size_t query_begin(std::string_view text) {
    constexpr std::string_view path = "/allocation_candidates";
    const std::size_t at = text.find(path);
    const std::size_t from = at == std::string_view::npos ? 0 : at + path.size();
    const std::size_t first = std::min(text.find_first_not_of(" \t\r\n", from), text.size());
    if (first < text.size() && text[first] == '?') {
        return first + 1;
    }
    return at == std::string_view::npos ? 0 : first;
}

/// The name in `<NAME uuid>`.
std::string_view name_in(std::string_view brackets) {
    constexpr std::string_view mark = "uuid";
    const auto trimmed = [](std::string_view text) {
        while (!text.empty() && is_space(text.front())) {
            text.remove_prefix(1);
        }
        while (!text.empty() && is_space(text.back())) {
            text.remove_suffix(1);
        }
        return text;
    };
    std::string_view name = trimmed(brackets);
    if (name.size() > mark.size() && name.ends_with(mark) &&
        is_space(name[name.size() - mark.size() - 1])) {
        name = trimmed(name.substr(0, name.size() - mark.size()));
    }
    return name;
}

/// Pairs of a name and a uuid.
using Named = std::vector<std::pair<std::string, std::string>>;

Named named_aggregates(const ProviderList& list) {
    return {list.aggregates.begin(), list.aggregates.end()};
}

Named named_providers(const ProviderList& list) {
    Named named;
    for (const core::ResourceProvider& provider : list.providers) {
        named.emplace_back(provider.name, provider.uuid);
    }
    return named;
}

/// Why a query is refused, or "".
std::string refusal(const std::string& query, const core::ProviderForest& forest) {
    const auto parsed = core::parse_candidate_query(query);
    if (const auto* fault = std::get_if<core::CandidateQueryFault>(&parsed)) {
        return fault->reason;
    }
    const core::CandidateSearch search(forest, std::get<core::CandidateQuery>(parsed));
    const auto fault = search.fault();
    return fault ? fault->reason : "";
}

/// Whether a parameter alone is refused for this reason, beside resources of the unsuffixed group
/// or of its own group.
bool is_reason(std::string_view parameter,
               std::string_view reason,
               const core::ProviderForest& forest) {
    const std::string_view key = parameter.substr(0, parameter.find('='));
    std::string_view suffix;
    for (const std::string_view prefix : {"resources", "required", "member_of", "in_tree"}) {
        if (key.starts_with(prefix)) {
            suffix = key.substr(prefix.size());
        }
    }
    return refusal(fmt::format("resources=VCPU:1&{}", parameter), forest) == reason ||
           refusal(fmt::format("resources{}=VCPU:1&{}", suffix, parameter), forest) == reason;
}

/// The text behind `before`, up to the first of `ends`; "" if `before` does not occur.
std::string_view after(std::string_view text, std::string_view before, std::string_view ends) {
    const std::size_t at = text.find(before);
    if (at == std::string_view::npos) {
        return "";
    }
    text.remove_prefix(at + before.size());
    return text.substr(0, text.find_first_of(ends));
}

std::vector<std::string> names_of(const core::NameTable& table) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        names.push_back(table.name(i));
    }
    return names;
}

/// What was expected, if the service's reason does not say it.
std::string expectation(std::string_view reason, const core::ProviderForest& forest) {
    static const std::vector<std::string> keys{"group_policy",
                                               "in_tree",
                                               "limit",
                                               "member_of",
                                               "required",
                                               "resources",
                                               "root_required",
                                               "same_subtree"};
    if (const auto name = after(reason, "No such resource class ", "."); !name.empty()) {
        return fmt::format(": expected one that exists{}",
                           core::suggestion(name, names_of(forest.classes())));
    }
    if (const auto name = after(reason, "No such trait(s): ", ".,"); !name.empty()) {
        return fmt::format(": expected one that exists{}",
                           core::suggestion(name, names_of(forest.traits())));
    }
    if (const auto key = after(reason, "not allowed ('", "'"); !key.empty()) {
        return fmt::format(
            ": expected {}{}", core::alternatives(keys), core::suggestion(key, keys));
    }
    if (reason.find("does not match '^[1-9]") != std::string_view::npos) {
        return ": expected a whole number of at least 1";
    }
    if (reason.starts_with("Conflicting ")) {
        return ": expected each to be required or forbidden";
    }
    return "";
}

}  // namespace

CandidateQueryText::CandidateQueryText(std::string_view text, const ProviderList& list)
    : source_(std::make_shared<core::SourceText>()) {
    source_->name = "QUERY";
    source_->text = text;
    for (std::size_t at = query_begin(text); at < text.size(); ++at) {
        const std::size_t close = text[at] == '<' ? text.find('>', at) : std::string_view::npos;
        if (close != std::string_view::npos) {
            append(uuid_of(at, close, list), at);
            at = close;
        } else if (!is_space(text[at])) {
            append(text.substr(at, 1), at);
        }
    }
}

core::InputError CandidateQueryText::error(std::string_view reason,
                                           const core::ProviderForest& forest) const {
    const std::string message =
        fmt::format("{}{}",
                    reason.substr(0, reason.size() - (reason.ends_with('.') ? 1 : 0)),
                    expectation(reason, forest));
    for (std::size_t begin = 0; begin < query_.size();) {
        const std::size_t end = std::min(query_.find('&', begin), query_.size());
        const std::string_view parameter = std::string_view(query_).substr(begin, end - begin);
        if (is_reason(parameter, reason, forest)) {
            return {span(begin, parameter.size()), message};
        }
        begin = end + 1;
    }
    return {span(0, query_.size()), message};
}

core::SourceSpan CandidateQueryText::span(std::size_t begin, std::size_t length) const {
    if (begin + length > place_.size() || length == 0) {
        return {source_, 1, 1, 1};
    }
    return written(place_[begin], place_[begin + length - 1] + 1);
}

core::SourceSpan CandidateQueryText::written(std::size_t begin, std::size_t end) const {
    const std::string_view before = std::string_view(source_->text).substr(0, begin);
    const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
    return {source_,
            static_cast<int>(std::ranges::count(before, '\n') + 1),
            static_cast<int>(begin - line_begin + 1),
            static_cast<int>(end - begin)};
}

void CandidateQueryText::append(std::string_view text, std::size_t place) {
    query_ += text;
    place_.resize(query_.size(), place);
}

std::string CandidateQueryText::uuid_of(std::size_t open,
                                        std::size_t close,
                                        const ProviderList& list) const {
    const std::string_view text = source_->text;
    const std::string_view name = name_in(text.substr(open + 1, close - open - 1));
    const std::size_t parameter = query_.rfind('&') + 1;  // npos + 1 is 0
    const bool aggregate = std::string_view(query_).substr(parameter).starts_with("member_of");
    const Named known = aggregate ? named_aggregates(list) : named_providers(list);
    std::vector<std::string> uuids;
    for (const auto& [known_name, uuid] : known) {
        if (known_name == name) {
            uuids.push_back(uuid);
        }
    }
    if (uuids.size() == 1) {
        return uuids.front();
    }
    if (!uuids.empty()) {
        throw core::InputError(
            written(open, close + 1),
            fmt::format("{} providers are named '{}': expected a uuid", uuids.size(), name));
    }
    std::vector<std::string> names;
    std::ranges::transform(known, std::back_inserter(names), &Named::value_type::first);
    throw core::InputError(written(open, close + 1),
                           fmt::format("unknown {} '{}': expected the name of one in the file{}",
                                       aggregate ? "aggregate" : "provider",
                                       name,
                                       core::suggestion(name, names)));
}

}  // namespace berth::experiments
