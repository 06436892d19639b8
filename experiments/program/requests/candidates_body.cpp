#include "experiments/program/requests/candidates_body.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <vector>

#include "core/allocation_candidates/candidate_order.hpp"

namespace berth::experiments {
namespace {

using core::ProviderForest;
using core::ProviderIndex;
using core::TreeIndex;

/// Writes JSON. Uuids, names and suffixes stand as they are: none of the characters that they are
/// made of has to be escaped.
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

    /// Most providers have the traits of others: each list is put together once.
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
    std::vector<std::string> class_keys_;   ///< By class: its name as a key.
    std::vector<std::string> trait_lists_;  ///< By set of traits; empty until it is asked for.
    std::vector<bool> is_shown_;            ///< By tree: its summaries are to be written.
    std::vector<TreeIndex> shown_;
};

}  // namespace

void append_candidates_body(const ProviderForest& forest,
                            const core::CandidateQuery& query,
                            const core::CandidateSearch& search,
                            const core::CandidateList& candidates,
                            std::string& out) {
    core::CandidateWriter writer(forest, query, search.parts());
    BodyWriter(forest, query, out).write(writer, candidates);
}

}  // namespace berth::experiments
