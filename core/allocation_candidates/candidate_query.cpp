#include "core/allocation_candidates/candidate_query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "core/allocation_candidates/python_text.hpp"
#include "core/allocation_candidates/query_values.hpp"
#include "core/support/text.hpp"

namespace berth::core {
namespace {

/// The property of a group that a key sets.
enum class GroupAspect : std::uint8_t { resources, required, member_of, in_tree };

struct GroupKey {
    GroupAspect aspect = GroupAspect::resources;
    std::string suffix;
};

std::optional<GroupKey> group_key(std::string_view key) {
    constexpr std::size_t suffix_size_max = 64;
    constexpr std::string_view marks = "_-";
    static constexpr std::array<std::pair<std::string_view, GroupAspect>, 4> aspects{{
        {"resources", GroupAspect::resources},
        {"required", GroupAspect::required},
        {"member_of", GroupAspect::member_of},
        {"in_tree", GroupAspect::in_tree},
    }};
    const auto named = std::ranges::find_if(
        aspects, [&](const auto& aspect) { return key.starts_with(aspect.first); });
    if (named == aspects.end()) {
        return std::nullopt;
    }
    std::string_view suffix = key.substr(named->first.size());
    if (suffix.ends_with('\n')) {
        suffix.remove_suffix(1);  // the `$` of the service matches before it
    }
    const auto is_allowed = [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               marks.find(c) != std::string_view::npos;
    };
    if (suffix.size() > suffix_size_max || !std::ranges::all_of(suffix, is_allowed)) {
        return std::nullopt;
    }
    return GroupKey{named->second, std::string(suffix)};
}

QueryValueFault check_utf8(std::string_view text) {
    const std::size_t at = utf8_size(text);
    if (at == text.size()) {
        return std::nullopt;
    }
    return invalid_parameters(fmt::format("'utf-8' codec can't decode byte 0x{:02x} in position {}",
                                          static_cast<unsigned char>(text[at]),
                                          at));
}

/// Whether the value matches `^[1-9][0-9]*$`, where `$` also matches before a last newline.
bool matches_limit(std::string_view value) {
    if (value.ends_with('\n')) {
        value.remove_suffix(1);
    }
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return !value.empty() && value.front() != '0' && std::ranges::all_of(value, is_digit);
}

CandidateQueryFault limit_fault(std::string_view value) {
    return invalid_parameters(fmt::format("{} does not match '^[1-9][0-9]*$'", python_repr(value)));
}

std::string without(std::string_view text, std::string_view part) {
    std::string out;
    for (;;) {
        const std::size_t at = text.find(part);
        out += text.substr(0, at);
        if (at == std::string_view::npos) {
            return out;
        }
        text.remove_prefix(at + part.size());
    }
}

/// Turns the pairs of a query into a CandidateQuery. The steps go in the order of the service's
/// checks.
class QueryReader {
public:
    explicit QueryReader(std::vector<QueryPair> pairs) : pairs_(std::move(pairs)) {
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            places_[pairs_[i].key].push_back(i);
        }
    }

    [[nodiscard]] std::variant<CandidateQuery, CandidateQueryFault> read() {
        using Step = QueryValueFault (QueryReader::*)();
        for (const Step step : {&QueryReader::check_keys,
                                &QueryReader::read_limits,
                                &QueryReader::read_trees,
                                &QueryReader::read_groups,
                                &QueryReader::check_resources,
                                &QueryReader::check_suffixes,
                                &QueryReader::check_traits,
                                &QueryReader::check_policy}) {
            if (auto fault = (this->*step)()) {
                return *std::move(fault);
            }
        }
        return std::move(query_);
    }

private:
    /// All values of a key.
    [[nodiscard]] std::vector<std::string> values(std::string_view key) const {
        std::vector<std::string> out;
        if (const auto found = places_.find(key); found != places_.end()) {
            for (const std::size_t i : found->second) {
                out.push_back(pairs_[i].value);
            }
        }
        return out;
    }

    /// Checks each key where it first appears, with its last value.
    QueryValueFault check_keys() {
        for (const QueryPair& pair : pairs_) {
            const std::string& value = pairs_[places_.at(pair.key).back()].value;
            if (pair.key == "limit") {
                if (!matches_limit(value)) {
                    return limit_fault(value);
                }
            } else if (pair.key == "group_policy") {
                if (value != "none" && value != "isolate") {
                    return invalid_parameters(
                        fmt::format("{} is not one of ['none', 'isolate']", python_repr(value)));
                }
            } else if (pair.key != "root_required" && pair.key != "same_subtree" &&
                       !group_key(pair.key)) {
                return invalid_parameters(
                    fmt::format("Additional properties are not allowed ({} was unexpected)",
                                python_repr(pair.key)));
            }
        }
        return std::nullopt;
    }

    /// Here the first value counts. If there are several, check_keys() did not see it.
    QueryValueFault read_limits() {
        if (const auto limits = values("limit"); !limits.empty()) {
            const auto limit = python_integer(limits.front());
            if (!limit) {
                return limit_fault(limits.front());
            }
            // Only the first of several values may be 0, which limits nothing, or negative, in
            // which case the service leaves out the last candidates; here that limits nothing
            // either.
            if (limit->is_positive()) {
                query_.limit = limit->magnitude();
            }
        }
        if (const auto policies = values("group_policy"); !policies.empty()) {
            query_.isolate = policies.front() == "isolate";
            has_policy_ = !policies.front().empty();
        }
        return std::nullopt;
    }

    QueryValueFault read_trees() {
        const auto root_required = values("root_required");
        if (root_required.size() > 1) {
            return CandidateQueryFault{
                .reason = "Query parameter 'root_required' may be specified only once.",
                .code = "placement.query.duplicate_key"};
        }
        if (!root_required.empty()) {
            if (auto fault = read_root_required(root_required.front(), query_)) {
                return fault;
            }
        }
        for (const std::string& value : values("same_subtree")) {
            if (auto fault = read_same_subtree(value, query_)) {
                return fault;
            }
        }
        return std::nullopt;
    }

    QueryValueFault read_groups() {
        std::map<std::string, std::size_t> group_of_suffix;
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            const auto key = group_key(pairs_[i].key);
            if (!key) {
                continue;
            }
            const auto [group, is_new] =
                group_of_suffix.try_emplace(key->suffix, query_.groups.size());
            if (is_new) {
                query_.groups.emplace_back().suffix = key->suffix;
            }
            if (auto fault = read_group_value(key->aspect, i, query_.groups[group->second])) {
                return fault;
            }
        }
        return std::nullopt;
    }

    QueryValueFault read_group_value(GroupAspect aspect, std::size_t i, CandidateGroup& group) {
        const QueryPair& pair = pairs_[i];
        // All values of `required1` are read where it first appears. `required1\n` is another key
        // of the same group; the one of them that appears last counts.
        const std::vector<std::size_t>& places = places_.at(pair.key);
        const bool reads_all = i == places.front() || i == places.back();
        switch (aspect) {
            case GroupAspect::resources:
                return read_resources(pair.value, group);
            case GroupAspect::required:
                return reads_all ? read_required(values(pair.key), group) : std::nullopt;
            case GroupAspect::member_of:
                return reads_all ? read_member_of(values(pair.key), group) : std::nullopt;
            case GroupAspect::in_tree:
                return read_in_tree(pair.value, group);
        }
        return std::nullopt;
    }

    QueryValueFault check_resources() {
        const auto has_resources = [](const CandidateGroup& group) {
            return !group.resources.empty();
        };
        if (std::ranges::any_of(query_.groups, has_resources)) {
            return std::nullopt;
        }
        return CandidateQueryFault{
            .reason = "There must be at least one resources or resources[$S] parameter.",
            .code = "placement.query.missing_value"};
    }

    QueryValueFault check_suffixes() {
        std::set<std::string> in_subtree;
        for (const auto& list : query_.same_subtree) {
            in_subtree.insert(list.begin(), list.end());
        }
        std::vector<std::string> suffixes;
        std::set<std::string> resourceless;
        for (const CandidateGroup& group : query_.groups) {
            suffixes.push_back(group.suffix);
            if (group.resources.empty()) {
                resourceless.insert(group.suffix);
            }
        }
        std::vector<std::string> bad;
        std::ranges::set_difference(resourceless, in_subtree, std::back_inserter(bad));
        if (!bad.empty()) {
            return CandidateQueryFault{
                .reason = fmt::format("Resourceless suffixed group request should be specified in "
                                      "`same_subtree` query param: bad group(s) - {}.",
                                      python_repr(bad)),
                .code = std::string(bad_value_code)};
        }
        const std::set<std::string> known(suffixes.begin(), suffixes.end());
        std::ranges::set_difference(in_subtree, known, std::back_inserter(bad));
        if (!bad.empty()) {
            return CandidateQueryFault{
                .reason = fmt::format("Real suffixes should be specified in `same_subtree`: {} not "
                                      "found in {}.",
                                      python_repr(bad),
                                      python_repr(suffixes)),
                .code = std::string(bad_value_code)};
        }
        return std::nullopt;
    }

    QueryValueFault check_traits() {
        std::vector<std::string> conflicts;
        for (const CandidateGroup& group : query_.groups) {
            for (const AnyOf& traits : group.required) {
                if (std::ranges::includes(group.forbidden, traits)) {
                    conflicts.push_back(
                        fmt::format("required{}: ({})", group.suffix, join(traits, ", ")));
                }
            }
        }
        if (conflicts.empty()) {
            return std::nullopt;
        }
        std::ranges::sort(conflicts);
        return CandidateQueryFault{
            .reason = fmt::format("Conflicting required and forbidden traits found in the "
                                  "following traits keys: {}",
                                  join(conflicts, ", "))};
    }

    QueryValueFault check_policy() {
        const auto suffixed = std::ranges::count_if(
            query_.groups, [](const CandidateGroup& group) { return !group.suffix.empty(); });
        if (suffixed < 2 || has_policy_) {
            return std::nullopt;
        }
        return CandidateQueryFault{
            .reason =
                "The \"group_policy\" parameter is required when specifying more than one "
                "\"resources{N}\" parameter."};
    }

    std::vector<QueryPair> pairs_;
    /// The positions of the pairs of each key.
    std::map<std::string, std::vector<std::size_t>, std::less<>> places_;
    CandidateQuery query_;
    bool has_policy_ = false;
};

}  // namespace

std::variant<CandidateQuery, CandidateQueryFault> parse_candidate_query(std::string_view query) {
    if (auto fault = check_utf8(query)) {
        return *std::move(fault);
    }
    std::vector<QueryPair> pairs = parse_query_pairs(query);
    for (const QueryPair& pair : pairs) {
        for (const std::string* text : {&pair.key, &pair.value}) {
            if (auto fault = check_utf8(*text)) {
                return *std::move(fault);
            }
        }
    }
    return QueryReader(std::move(pairs)).read();
}

bool looks_like_uuid(std::string_view text) {
    std::string digits = without(without(text, "urn:"), "uuid:");
    constexpr std::string_view braces = "{}";
    digits.erase(0, digits.find_first_not_of(braces));
    digits.erase(digits.find_last_not_of(braces) + 1);
    digits = without(digits, "-");
    const auto is_hexadecimal = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    };
    return digits.size() == 32 && std::ranges::all_of(digits, is_hexadecimal);
}

}  // namespace berth::core
