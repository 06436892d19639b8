#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iosfwd>
#include <iostream>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/allocation_candidates/candidate_explanation.hpp"
#include "core/allocation_candidates/candidate_order.hpp"
#include "core/allocation_candidates/candidate_query.hpp"
#include "core/allocation_candidates/candidate_search.hpp"
#include "core/allocation_candidates/provider_names.hpp"
#include "core/group_allocator/group_rules.hpp"
#include "core/index/scorer.hpp"
#include "core/machine_views/provider_forest_view.hpp"
#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "core/support/value.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/jsonl.hpp"
#include "experiments/program/config/cluster/candidate_query_text.hpp"
#include "experiments/program/config/cluster/provider_fields.hpp"
#include "experiments/program/config/cluster/read_providers.hpp"
#include "experiments/program/config/experiment/read_topology_file.hpp"
#include "experiments/program/requests/candidates.hpp"
#include "experiments/program/support/documents.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;
using core::ProviderForest;
using core::ProviderIndex;
using core::TreeIndex;

/// Compares numbers in names by their value: cn9 comes before cn10.
bool comes_before(std::string_view a, std::string_view b) {
    return core::compare_names(a, b, core::GroupOrder::natural) < 0;
}

/// What one provider contributes to a candidate, in the order of the query.
struct Giver {
    ProviderIndex provider = 0;
    std::vector<std::pair<std::string, core::Amount>> resources;
    std::vector<std::string> suffixes;
};

/// Below this depth, lines would be wider than any screen.
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

    /// The amounts in the trees that some line uses.
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
        std::string name;  ///< The name, indented by the provider's depth.
    };

    [[nodiscard]] const std::string& class_name(const core::InventoryRow& row) const {
        return forest_.classes().name(row.resource_class);
    }

    /// Every provider of the trees, with siblings sorted by name, each followed by the providers
    /// below it.
    [[nodiscard]] std::vector<Row> rows() const {
        std::vector<Row> rows;
        std::vector<std::pair<ProviderIndex, std::size_t>> waiting;  // each with its depth
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

    /// Index of the part of a group that serves a resource class.
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

/// Writes candidates for people: a line for each, with the providers and what each contributes, and
/// then the amounts in the trees that are used:
///    1. NUMA1 [_C] (VCPU:2) + PF1 [_N] (SRIOV_NET_VF:1)
///
/// Order: by name, with numbers by their value, because people do not read uuids.
/// Shape: `candidates` are the results of `search`, a search for `query`.
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

/// Does the same, the best by `scorer` first, and at most `limit` of them.
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

/// Writes how many trees each condition leaves, and why the last tree was excluded.
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

core::InputError wrong(const std::string& what) {
    return core::InputError(fmt::format("berth candidates: error: {}", what));
}

/// What the command line asks for, besides the query.
struct Wanted {
    bool json = false;
    bool count = false;
    bool explain = false;
    std::optional<std::string> order;  ///< Name of a scorer.
    std::optional<std::uint64_t> limit;
    std::uint64_t candidates_max = candidates_max_default;
};

std::optional<std::uint64_t> positive(const po::variables_map& values, const char* option) {
    if (values.count(option) == 0) {
        return std::nullopt;
    }
    const auto number = values[option].as<std::int64_t>();
    if (number < 1) {
        throw wrong(fmt::format("--{} is {}: expected at least 1", option, number));
    }
    return static_cast<std::uint64_t>(number);
}

core::InputError too_many(const Wanted& wanted) {
    return wrong(fmt::format(
        "more than {} candidates: expected fewer, with --limit, or a larger --max-candidates",
        wanted.candidates_max));
}

Wanted read_wanted(const po::variables_map& values) {
    Wanted wanted;
    wanted.json = values.count("json") > 0;
    wanted.count = values.count("count") > 0;
    wanted.explain = values.count("explain") > 0;
    if (static_cast<int>(wanted.json) + static_cast<int>(wanted.count) +
            static_cast<int>(wanted.explain) >
        1) {
        throw wrong("several of --json, --count, --explain: expected one");
    }
    if (values.count("order") > 0) {
        wanted.order = values["order"].as<std::string>();
        if (wanted.json || wanted.count || wanted.explain) {
            throw wrong("--order with --json, --count or --explain: expected it with the table");
        }
    }
    wanted.limit = positive(values, "limit");
    wanted.candidates_max = positive(values, "max-candidates").value_or(candidates_max_default);
    return wanted;
}

/// The providers in a file, with the names that `query` may use.
ProvidersToAsk read_provider_file(const std::string& file, const std::string& query) {
    core::Diagnostics diagnostics;
    const bool keep_names = query.find('<') != std::string::npos;
    auto providers = read_providers_in_parts(file, keep_names, diagnostics);
    if (!providers) {
        const auto documents = parse_documents(read_source(file));
        if (documents.empty()) {
            throw core::InputError(fmt::format("{}: error: is empty: expected providers", file));
        }
        ProviderList list = read_providers(documents, diagnostics);
        diagnostics.throw_if_failed();
        providers = ProvidersToAsk{provider_forest(list), std::move(list)};
    }
    for (const std::string& warning : diagnostics.warnings()) {
        std::cerr << warning << "\n";
    }
    return std::move(*providers);
}

std::unique_ptr<core::Scorer> make_scorer(const std::string& name) {
    std::vector<std::string> names;
    for (const core::ScorerEntry& entry : core::scorers()) {
        if (entry.name == name) {
            return entry.make();
        }
        names.emplace_back(entry.name);
    }
    throw wrong(fmt::format("unknown score '{}': expected {}{}",
                            name,
                            core::alternatives(names),
                            core::suggestion(name, names)));
}

/// The limit then applies to the candidates that are shown, so that the best of all are among them.
void show_by_score(const core::ProviderForest& forest,
                   core::CandidateQuery query,
                   const Wanted& wanted) {
    const auto scorer = make_scorer(*wanted.order);
    const std::uint64_t limit = query.limit.value_or(std::numeric_limits<std::uint64_t>::max());
    query.limit.reset();
    const core::CandidateSearch search(forest, query);
    const auto candidates = search.find(wanted.candidates_max);
    if (!candidates) {
        throw too_many(wanted);
    }
    write_candidates_by_score(std::cout, forest, query, search, *candidates, *scorer, limit);
}

void show_candidates(const core::ProviderForest& forest,
                     const core::CandidateQuery& query,
                     const core::CandidateSearch& search,
                     const Wanted& wanted) {
    const auto candidates = search.find(wanted.candidates_max);
    if (!candidates) {
        throw too_many(wanted);
    }
    if (wanted.json) {
        std::string body;
        append_candidates_body(forest, query, search, *candidates, body);
        std::cout << body << "\n";
    } else if (candidates->size() == 0) {
        std::cout << "no candidates: --explain says which part of the query leaves none\n";
    } else {
        write_candidates(std::cout, forest, query, search, *candidates);
    }
}

/// The providers of a topology, or of an experiment's topology.
ProvidersToAsk read_topology_providers(const std::string& file) {
    core::Diagnostics diagnostics;
    const auto tree = read_topology_file(file, diagnostics);
    diagnostics.throw_if_failed();
    ProviderList list;
    core::for_each_provider(
        *tree, [&](const core::ResourceProvider& provider) { list.providers.push_back(provider); });
    return {provider_forest(list), std::move(list)};
}

void answer(const ProvidersToAsk& providers, const std::string& text, const Wanted& wanted) {
    const CandidateQueryText query_text(text, providers.names);
    const core::ProviderForest& forest = providers.forest;
    auto parsed = core::parse_candidate_query(query_text.query());
    if (const auto* fault = std::get_if<core::CandidateQueryFault>(&parsed)) {
        throw query_text.error(fault->reason, forest);
    }
    auto& query = std::get<core::CandidateQuery>(parsed);
    query.limit = wanted.limit ? wanted.limit : query.limit;
    const core::CandidateSearch search(forest, query);
    if (const auto fault = search.fault()) {
        throw query_text.error(fault->reason, forest);
    }
    if (wanted.explain) {
        write_explanation(std::cout, core::explain_candidates(forest, query));
    } else if (wanted.count) {
        const auto count = search.count();
        if (!count) {
            throw query_text.error(too_many_to_count, forest);
        }
        std::cout << *count << "\n";
    } else if (wanted.order) {
        show_by_score(forest, query, wanted);
    } else {
        show_candidates(forest, query, search, wanted);
    }
}

}  // namespace

int run_candidates(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    auto add = options.add_options();
    add("json", "print the service's answer, as JSON on one line");
    add("count", "print how many candidates there are, whatever the limit");
    add("explain", "print how many trees each part of the query leaves");
    add("order",
        po::value<std::string>()->value_name("SCORE"),
        "best first by a score of `berth list`, berth's own");
    add("limit", po::value<std::int64_t>()->value_name("N"), "as limit=N in the query");
    add("topology",
        po::value<std::string>()->value_name("FILE"),
        "ask the providers of a topology instead of a file of them");
    add("max-candidates",
        po::value<std::int64_t>()->value_name("N"),
        fmt::format("stop at more than N (default: {})", candidates_max_default).c_str());
    add("jsonl", "one JSON request a line in, one answer a line out");
    const auto values = parse_arguments("candidates", arguments, options, "ARGUMENT", 2);
    if (!values) {
        return exit_done;
    }
    const auto given = positional_arguments(*values, "ARGUMENT");
    if (values->count("jsonl") > 0) {
        if (arguments.size() > 1) {
            throw wrong("--jsonl with something else: expected it alone");
        }
        answer_lines(&answer_candidates_request);
        return exit_done;
    }
    if (values->count("topology") > 0) {
        if (given.size() != 1) {
            throw wrong(
                fmt::format("--topology with {} arguments: expected a query alone", given.size()));
        }
        const std::string file = (*values)["topology"].as<std::string>();
        answer(read_topology_providers(file), given[0], read_wanted(*values));
        return exit_done;
    }
    if (given.size() < 2) {
        throw wrong(fmt::format("no {}: expected a file of providers and a query{}",
                                given.empty() ? "PROVIDERS" : "QUERY",
                                as_in_example("candidates")));
    }
    answer(read_provider_file(given[0], given[1]), given[1], read_wanted(*values));
    return exit_done;
}

}  // namespace berth::experiments
