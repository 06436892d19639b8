#include "experiments/program/requests/candidates.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/allocation_candidates/candidate_explanation.hpp"
#include "core/allocation_candidates/candidate_query.hpp"
#include "core/allocation_candidates/candidate_search.hpp"
#include "core/index/scorer.hpp"
#include "core/machine_views/provider_forest_view.hpp"
#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/commands/candidate_tables.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/jsonl.hpp"
#include "experiments/program/config/cluster/candidate_query_text.hpp"
#include "experiments/program/config/cluster/provider_parts.hpp"
#include "experiments/program/config/cluster/read_providers.hpp"
#include "experiments/program/config/experiment/read_topology_file.hpp"
#include "experiments/program/requests/candidates_body.hpp"
#include "experiments/program/support/documents.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;

core::InputError wrong(const std::string& what) {
    return core::InputError(fmt::format("berth candidates: error: {}", what));
}

/// What is asked of the query besides the query.
struct Wanted {
    bool json = false;
    bool count = false;
    bool explain = false;
    std::optional<std::string> order;  ///< A scorer.
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

/// The providers of a file; the list has what `query` may name.
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

/// The limit is of what is shown then: the best of all.
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

/// The providers that a topology makes, or an experiment's.
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
        std::cout << search.count() << "\n";
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
