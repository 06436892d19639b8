#include "experiments/program/requests/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <variant>
#include <vector>

#include "core/allocation_candidates/candidate_order.hpp"
#include "core/allocation_candidates/candidate_query.hpp"
#include "core/allocation_candidates/provider_rules.hpp"
#include "experiments/program/config/cluster/read_providers.hpp"
#include "experiments/program/support/json_fields.hpp"
#include "experiments/program/support/parsed_json.hpp"

namespace berth::experiments {
namespace {

using core::ProviderForest;
using core::ProviderIndex;
using core::TreeIndex;

/// Writes JSON. Uuids, names and suffixes are written as they are: their characters need no
/// escapes.
class BodyWriter {
public:
    BodyWriter(const ProviderForest& forest, const core::CandidateQuery& query, std::string& out)
        : forest_(forest),
          query_(query),
          out_(out),
          trait_lists_(forest.trait_sets().size()),
          is_shown_(forest.tree_count(), false) {
        for (std::uint32_t type = 0; type < forest.classes().size(); ++type) {
            class_keys_.push_back('"' + forest.classes().name(type) + "\":");
        }
    }

    void write(core::CandidateWriter& writer, const core::CandidateList& candidates) {
        out_ += R"({"allocation_requests":[)";
        bool first = true;
        for (const std::uint32_t i : core::candidates_in_order(writer, candidates)) {
            const core::AllocationCandidate& candidate = writer.write(candidates[i]);
            out_ += first ? R"({"allocations":{)" : R"(,{"allocations":{)";
            first = false;
            write_taken(candidate);
            out_ += R"(,"mappings":{)";
            write_mapped(candidate);
            out_ += "}}";
            for (const auto& taken : candidate.taken) {
                show(forest_.tree(taken.provider));
            }
        }
        out_ += R"(],"provider_summaries":{)";
        write_summaries();
        out_ += "}}";
    }

private:
    void write_taken(const core::AllocationCandidate& candidate) {
        for (std::size_t i = 0; i < candidate.taken.size(); ++i) {
            const auto& [provider, type, amount] = candidate.taken[i];
            if (i == 0 || candidate.taken[i - 1].provider != provider) {
                out_ += i == 0 ? "\"" : "}},\"";
                out_ += forest_.uuid(provider);
                out_ += R"(":{"resources":{)";
            } else {
                out_ += ',';
            }
            out_ += class_keys_[type];
            write(amount);
        }
        out_ += "}}}";
    }

    void write_mapped(const core::AllocationCandidate& candidate) {
        for (std::size_t i = 0; i < candidate.mapped.size(); ++i) {
            const auto& [group, provider] = candidate.mapped[i];
            if (i == 0 || candidate.mapped[i - 1].group != group) {
                out_ += i == 0 ? "\"" : "\"],\"";
                out_ += query_.groups[group].suffix;
                out_ += R"(":[")";
            } else {
                out_ += "\",\"";
            }
            out_ += forest_.uuid(provider);
        }
        out_ += "\"]";
    }

    void show(TreeIndex tree) {
        if (!is_shown_[tree]) {
            is_shown_[tree] = true;
            shown_.push_back(tree);
        }
    }

    void write_summaries() {
        std::vector<std::uint32_t> ranks;
        for (const TreeIndex tree : shown_) {
            for (ProviderIndex p = forest_.root(tree); p < forest_.tree_end(tree); ++p) {
                ranks.push_back(forest_.rank(p));
            }
        }
        if (!std::ranges::is_sorted(ranks)) {
            std::ranges::sort(ranks);
        }
        for (const std::uint32_t rank : ranks) {
            out_ += rank == ranks.front() ? "\"" : ",\"";
            write_summary(forest_.provider_at(rank));
        }
    }

    void write_summary(ProviderIndex provider) {
        out_ += forest_.uuid(provider);
        out_ += R"(":{"parent_provider_uuid":)";
        if (const auto parent = forest_.parent(provider)) {
            out_ += '"';
            out_ += forest_.uuid(*parent);
            out_ += '"';
        } else {
            out_ += "null";
        }
        out_ += R"(,"resources":{)";
        bool first = true;
        for (const core::InventoryRow& row : forest_.inventories(provider)) {
            out_ += first ? "" : ",";
            first = false;
            out_ += class_keys_[row.resource_class];
            out_ += R"({"capacity":)";
            write(row.capacity);
            out_ += R"(,"used":)";
            write(row.used);
            out_ += '}';
        }
        out_ += R"(},"root_provider_uuid":")";
        out_ += forest_.uuid(forest_.root(forest_.tree(provider)));
        out_ += R"(","traits":)";
        out_ += traits_of(provider);
        out_ += '}';
    }

    /// Most providers share their set of traits with others: each list is made once.
    const std::string& traits_of(ProviderIndex provider) {
        const std::uint32_t set = forest_.trait_set(provider);
        std::string& list = trait_lists_[set];
        if (list.empty()) {
            list = "[";
            for (const std::uint32_t trait : forest_.trait_sets().members(set)) {
                list += list.size() == 1 ? "\"" : ",\"";
                list += forest_.traits().name(trait);
                list += '"';
            }
            list += ']';
        }
        return list;
    }

    void write(core::Amount amount) {
        char digits[20];
        const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), amount);
        out_.append(std::begin(digits), end);
    }

    const ProviderForest& forest_;
    const core::CandidateQuery& query_;
    std::string& out_;
    std::vector<std::string> class_keys_;   ///< For each class, its name as a key.
    std::vector<std::string> trait_lists_;  ///< For each set of traits; empty until it is needed.
    std::vector<bool> is_shown_;            ///< For each tree, whether its summaries have to be
                                            ///< written.
    std::vector<TreeIndex> shown_;
};

/// The entries of a list or the members of a map; none if there is none.
auto list_of(const RequestValue& object, const char* key, std::string_view where) {
    const RequestValue value = object[key];
    if (!value.is_list() && !value.is_null()) {
        throw RequestError(
            fmt::format("{} of {} is {}: expected a list", key, where, shown(value)));
    }
    return value.items();
}

auto map_of(const RequestValue& object, const char* key, std::string_view where) {
    const RequestValue value = object[key];
    if (!value.is_map() && !value.is_null()) {
        throw RequestError(fmt::format("{} of {} is {}: expected a map", key, where, shown(value)));
    }
    return value.members();
}

std::vector<std::string> texts_of(const RequestValue& object,
                                  const char* key,
                                  std::string_view where) {
    std::vector<std::string> texts;
    for (const RequestValue& item : list_of(object, key, where)) {
        texts.push_back(
            text(item, [&] { return fmt::format("an entry of {} of {}", key, where); }));
    }
    return texts;
}

core::ProviderInventory read_inventory(const RequestValue& json,
                                       const std::string& type,
                                       const std::string& provider) {
    core::ProviderInventory inventory;
    const auto where = [&] { return fmt::format("{} of {}", type, provider); };
    const auto field = [&](const char* key, core::Amount& amount, core::Amount min) {
        if (const auto value = json.find(key)) {
            amount = whole(*value, [&] { return fmt::format("{} of {}", key, where()); }, min);
        }
    };
    if (!json.contains("total")) {
        static_cast<void>(need(json, "total", where()));
    }
    field("total", inventory.total, 0);
    field("reserved", inventory.reserved, 0);
    field("min_unit", inventory.min_unit, 1);
    field("max_unit", inventory.max_unit, 1);
    field("step_size", inventory.step_size, 1);
    if (const auto ratio = json.find("allocation_ratio")) {
        if (!ratio->is_number()) {
            throw RequestError(fmt::format(
                "allocation_ratio of {} is {}: expected a number", where(), shown(*ratio)));
        }
        inventory.allocation_ratio = *ratio->number();
    }
    return inventory;
}

core::ResourceProvider read_provider(const RequestValue& json) {
    core::ResourceProvider provider;
    provider.uuid = text(need(json, "uuid", "a provider"), "uuid of a provider");
    if (const auto name = json.find("name")) {
        provider.name = text(*name, "name of a provider");
    }
    const std::string where = core::called(provider);
    if (const RequestValue parent = json["parent_uuid"]; !parent.is_null()) {
        provider.parent_uuid =
            text(parent, [&] { return fmt::format("parent_uuid of {}", where); });
    }
    for (const auto& [type, inventory] : map_of(json, "inventories", where)) {
        provider.inventories.emplace(type, read_inventory(inventory, type, where));
    }
    for (const auto& [type, used] : map_of(json, "usages", where)) {
        const auto place = [&, &type = type] {
            return fmt::format("usage of {} of {}", type, where);
        };
        provider.usages.emplace(type, whole(used, place, 0));
    }
    provider.traits = texts_of(json, "traits", where);
    provider.aggregates = texts_of(json, "aggregates", where);
    return provider;
}

ProviderList read_provider_list(const RequestValue& request) {
    ProviderList list;
    (void)need(request, "providers", "the request");
    for (const RequestValue& provider : list_of(request, "providers", "the request")) {
        list.providers.push_back(read_provider(provider));
    }
    list.extra_traits = texts_of(request, "extra_traits", "the request");
    list.extra_classes = texts_of(request, "extra_rcs", "the request");
    const auto faults = core::check_providers(list.providers);
    if (!faults.empty()) {
        throw RequestError(fmt::format("provider {}: {}",
                                       core::called(list.providers[faults.front().provider]),
                                       faults.front().message));
    }
    return list;
}

/// The parts of a request that go beyond the service's own interface.
struct Extensions {
    bool count = false;
    std::uint64_t candidates_max = candidates_max_default;
};

Extensions read_extensions(const RequestValue& request) {
    Extensions extensions;
    for (const auto& [key, value] : map_of(request, "berth", "the request")) {
        if (key == "count") {
            extensions.count = boolean(request["berth"], "count", false);
        } else if (key == "candidatesMax") {
            extensions.candidates_max =
                static_cast<std::uint64_t>(whole(value, "candidatesMax", 1));
        } else {
            throw RequestError(
                fmt::format("unknown key '{}' in berth: expected count or candidatesMax", key));
        }
    }
    return extensions;
}

std::string refused(int status, std::string_view reason) {
    return dumped({{"status", status}, {"error", reason}});
}

std::string answer_query(const core::ProviderForest& forest,
                         const std::string& text,
                         const Extensions& extensions) {
    const auto parsed = core::parse_candidate_query(text);
    if (const auto* fault = std::get_if<core::CandidateQueryFault>(&parsed)) {
        return refused(400, fault->reason);
    }
    const auto& query = std::get<core::CandidateQuery>(parsed);
    const core::CandidateSearch search(forest, query);
    if (const auto fault = search.fault()) {
        return refused(400, fault->reason);
    }
    if (extensions.count) {
        const auto count = search.count();
        return count ? dumped({{"status", 200}, {"count", *count}})
                     : refused(507, too_many_to_count);
    }
    const auto candidates = search.find(extensions.candidates_max);
    if (!candidates) {
        return refused(507,
                       fmt::format("more than {} candidates: expected fewer, with limit= in the "
                                   "query, or a larger candidatesMax",
                                   extensions.candidates_max));
    }
    std::string answer = R"({"status":200,"body":)";
    append_candidates_body(forest, query, search, *candidates, answer);
    answer += '}';
    return answer;
}

std::string candidates_answer(const RequestValue& request) {
    const core::ProviderForest forest = provider_forest(read_provider_list(request));
    const Extensions extensions = read_extensions(request);
    (void)need(request, "queries", "the request");
    std::string answers = R"({"answers":[)";
    bool first = true;
    for (const std::string& query : texts_of(request, "queries", "the request")) {
        answers += first ? "" : ",";
        first = false;
        answers += answer_query(forest, query, extensions);
    }
    return answers + "]}";
}

}  // namespace

void append_candidates_body(const ProviderForest& forest,
                            const core::CandidateQuery& query,
                            const core::CandidateSearch& search,
                            const core::CandidateList& candidates,
                            std::string& out) {
    core::CandidateWriter writer(forest, query, search.parts());
    BodyWriter(forest, query, out).write(writer, candidates);
}

std::string answer_candidates_request(std::string_view request) {
    return answer_line(request, &candidates_answer);
}

}  // namespace berth::experiments
