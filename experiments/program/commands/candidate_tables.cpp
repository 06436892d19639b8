#include "experiments/program/commands/candidate_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/allocation_candidates/candidate_score.hpp"
#include "core/allocation_candidates/provider_names.hpp"
#include "core/group_allocator/group_rules.hpp"
#include "core/support/text.hpp"

namespace berth::experiments {
namespace {

using core::ProviderForest;
using core::ProviderIndex;
using core::TreeIndex;

/// Numbers in names by their value: cn9 before cn10.
bool comes_before(std::string_view a, std::string_view b) {
    return core::compare_names(a, b, core::GroupOrder::natural) < 0;
}

/// What one provider gives in a candidate, in the order of the query.
struct Giver {
    ProviderIndex provider = 0;
    std::vector<std::pair<std::string, core::Amount>> resources;
    std::vector<std::string> suffixes;
};

/// Further down lines would be wider than any screen.
constexpr std::size_t depth_shown_max = 20;

class CandidateLines {
public:
    CandidateLines(const ProviderForest& forest,
                   const core::CandidateQuery& query,
                   const core::CandidateSearch& search)
        : forest_(forest), query_(query), parts_(search.parts()), names_(forest) {}

    std::string line(std::span<const ProviderIndex> providers) {
        givers_.clear();
        for (std::size_t group = 0; group < query_.groups.size(); ++group) {
            for (const auto& [type, amount] : query_.groups[group].resources) {
                add(giver(providers[part(group, type)], group), type, amount);
            }
            if (query_.groups[group].resources.empty()) {
                giver(providers[part(group, "")], group);
            }
        }
        std::vector<std::string> texts;
        std::ranges::transform(
            givers_, std::back_inserter(texts), [&](const Giver& each) { return text_of(each); });
        return core::join(texts, " + ");
    }

    /// What the trees have of which a line takes something.
    [[nodiscard]] std::string summaries() const {
        const std::vector<Row> all = rows();
        std::size_t name_width = 8;
        std::size_t class_width = 8;
        for (const auto& [provider, name] : all) {
            name_width = std::max(name_width, name.size());
            for (const core::InventoryRow& row : forest_.inventories(provider)) {
                class_width = std::max(class_width, class_name(row).size());
            }
        }
        const auto line =
            [&](std::string_view name, std::string_view type, auto used, auto capacity) {
                return fmt::format("{:<{}}  {:<{}} {:>10} {:>10}\n",
                                   name,
                                   name_width,
                                   type,
                                   class_width,
                                   used,
                                   capacity);
            };
        std::string out = line("provider", "resource", "used", "capacity");
        for (const auto& [provider, name] : all) {
            std::string first = name;
            for (const core::InventoryRow& row : forest_.inventories(provider)) {
                out += line(std::exchange(first, ""), class_name(row), row.used, row.capacity);
            }
            out += forest_.inventories(provider).empty() ? name + "\n" : "";
        }
        return out;
    }

private:
    struct Row {
        ProviderIndex provider = 0;
        std::string name;  ///< Indented by its depth.
    };

    [[nodiscard]] const std::string& class_name(const core::InventoryRow& row) const {
        return forest_.classes().name(row.resource_class);
    }

    /// Every provider of the trees, siblings by name, each with what is below it.
    [[nodiscard]] std::vector<Row> rows() const {
        std::vector<Row> rows;
        std::vector<std::pair<ProviderIndex, std::size_t>> waiting;  // with their depth
        const auto wait = [&](std::vector<ProviderIndex>& siblings, std::size_t depth) {
            std::ranges::sort(siblings, [&](ProviderIndex a, ProviderIndex b) {
                return comes_before(names_(b), names_(a));
            });
            for (const ProviderIndex provider : siblings) {
                waiting.emplace_back(provider, depth);
            }
        };
        std::vector<ProviderIndex> siblings;
        for (const TreeIndex tree : shown_) {
            siblings.push_back(forest_.root(tree));
        }
        wait(siblings, 0);
        while (!waiting.empty()) {
            const auto [provider, depth] = waiting.back();
            waiting.pop_back();
            rows.push_back(
                {provider,
                 fmt::format(
                     "{:{}}{}", "", 2 * std::min(depth, depth_shown_max), names_(provider))});
            siblings.clear();
            for (ProviderIndex below = provider + 1; below < forest_.subtree_end(provider);
                 below = forest_.subtree_end(below)) {
                siblings.push_back(below);
            }
            wait(siblings, depth + 1);
        }
        return rows;
    }

    /// The part of a group that serves a resource class.
    [[nodiscard]] std::size_t part(std::size_t group, std::string_view type) const {
        const auto found = std::ranges::find_if(parts_, [&](const core::CandidatePart& part) {
            return part.group == group &&
                   (type.empty() || std::ranges::any_of(part.resources, [&](const auto& resource) {
                        return forest_.classes().name(resource.first) == type;
                    }));
        });
        return static_cast<std::size_t>(found - parts_.begin());
    }

    Giver& giver(ProviderIndex provider, std::size_t group) {
        auto found = std::ranges::find(givers_, provider, &Giver::provider);
        if (found == givers_.end()) {
            givers_.push_back({provider, {}, {}});
            found = std::prev(givers_.end());
        }
        const std::string& suffix = query_.groups[group].suffix;
        if (std::ranges::find(found->suffixes, suffix) == found->suffixes.end()) {
            found->suffixes.push_back(suffix);
        }
        return *found;
    }

    void add(Giver& giver, const std::string& type, core::Amount amount) {
        shown_.insert(forest_.tree(giver.provider));
        const auto found =
            std::ranges::find(giver.resources, type, [](const auto& entry) { return entry.first; });
        if (found != giver.resources.end()) {
            found->second += amount;
        } else {
            giver.resources.emplace_back(type, amount);
        }
    }

    [[nodiscard]] std::string text_of(const Giver& giver) const {
        std::string text(names_(giver.provider));
        if (giver.suffixes != std::vector<std::string>{""}) {
            std::vector<std::string> groups = giver.suffixes;
            std::ranges::replace(groups, "", "unsuffixed");
            text += fmt::format(" [{}]", core::join(groups, ", "));
        }
        std::vector<std::string> amounts;
        for (const auto& [type, amount] : giver.resources) {
            amounts.push_back(fmt::format("{}:{}", type, amount));
        }
        return amounts.empty() ? text : fmt::format("{} ({})", text, core::join(amounts, ", "));
    }

    const ProviderForest& forest_;
    const core::CandidateQuery& query_;
    const std::vector<core::CandidatePart>& parts_;
    core::ProviderNames names_;
    std::vector<Giver> givers_;
    std::set<TreeIndex> shown_;
};

void write_lines(std::ostream& out,
                 const std::vector<std::string>& texts,
                 const CandidateLines& lines) {
    out << fmt::format("{} {}\n", texts.size(), texts.size() == 1 ? "candidate" : "candidates");
    const std::size_t width = fmt::formatted_size("{}", texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        out << fmt::format("  {:>{}}. {}\n", i + 1, width, texts[i]);
    }
    out << "\n" << lines.summaries();
}

}  // namespace

void write_candidates(std::ostream& out,
                      const ProviderForest& forest,
                      const core::CandidateQuery& query,
                      const core::CandidateSearch& search,
                      const core::CandidateList& candidates) {
    CandidateLines lines(forest, query, search);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        texts.push_back(lines.line(candidates[i]));
    }
    std::ranges::sort(texts, comes_before);
    write_lines(out, texts, lines);
}

void write_candidates_by_score(std::ostream& out,
                               const ProviderForest& forest,
                               const core::CandidateQuery& query,
                               const core::CandidateSearch& search,
                               const core::CandidateList& candidates,
                               const core::Scorer& scorer,
                               std::uint64_t limit) {
    core::CandidateWriter writer(forest, query, search.parts());
    std::vector<std::uint32_t> order =
        core::candidates_by_score(forest, writer, candidates, scorer);
    order.resize(std::min<std::uint64_t>(order.size(), limit));
    CandidateLines lines(forest, query, search);
    std::vector<std::string> texts;
    for (const std::uint32_t i : order) {
        texts.push_back(lines.line(candidates[i]));
    }
    write_lines(out, texts, lines);
}

void write_explanation(std::ostream& out, const core::CandidateExplanation& explanation) {
    out << fmt::format("{:>10} {:>7}  {}\n", "trees left", "alone", "condition");
    out << fmt::format("{:>10} {:>7}  {}\n", explanation.trees, "", "all trees");
    for (std::size_t i = 0; i < explanation.conditions.size(); ++i) {
        const core::ExplainedCondition& condition = explanation.conditions[i];
        out << fmt::format("{:>10} {:>7}  {}{}\n",
                           condition.trees_left,
                           condition.trees_alone ? fmt::format("{}", *condition.trees_alone) : "",
                           condition.text,
                           explanation.culprit == i ? "   <- removed the last" : "");
    }
    if (explanation.culprit) {
        out << fmt::format("\n{}:\n", explanation.conditions[*explanation.culprit].text);
        for (const std::string& cause : explanation.causes) {
            out << fmt::format("  {}\n", cause);
        }
    }
}

}  // namespace berth::experiments
