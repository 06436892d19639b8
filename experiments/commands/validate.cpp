#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "core/fit_index.hpp"
#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/commands/command.hpp"
#include "experiments/config/check_quotas.hpp"
#include "experiments/config/read_device.hpp"
#include "experiments/config/read_experiment.hpp"
#include "experiments/config/read_providers.hpp"
#include "experiments/config/read_quota.hpp"
#include "experiments/config/read_topology_file.hpp"
#include "experiments/config/read_workload.hpp"
#include "experiments/config/read_workload_file.hpp"
#include "experiments/config/resolve.hpp"
#include "experiments/documents.hpp"
#include "experiments/sweep/plan.hpp"
#include "experiments/sweep/read_sweep.hpp"
#include "topologies/read_topology.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::Value;

/// Warns of what can never start, however empty the cluster is.
class FitChecker {
public:
    FitChecker(const ExperimentSpec& spec, const Value& document, Diagnostics& diagnostics)
        : empty_(spec.topology), span_(document.span), diagnostics_(diagnostics) {
        if (spec.settings.quotas && spec.settings.quotas->admission) {
            quotas_.emplace(*spec.settings.quotas, empty_);
        }
        if (spec.settings.profile.candidates) {
            providers_.emplace(empty_, *spec.settings.profile.candidates);
        }
        for (const WorkloadSource& source : spec.workload) {
            if (const auto* list = std::get_if<JobList>(&source.what)) {
                for (const sim::Job& job : list->jobs) {
                    check(job);
                }
            } else if (const auto* renewal = std::get_if<workloads::Renewal>(&source.what)) {
                for (const auto& entry : renewal->mix) {
                    check(entry.job);
                }
            }
        }
    }

private:
    void check(const sim::Job& job) {
        const auto [largest, by_amounts] = room_for(job.demand);
        const bool by_query = largest > 0 && job.query != nullptr && providers_;
        const core::Members all = by_query ? candidates_for(job) : by_amounts;
        if (largest == 0) {
            warn(fmt::format("{}: a pod demands more than any server has: it can never start",
                             job.name));
        } else if (by_query && all == 0) {
            warn(
                fmt::format("{}: no server has an allocation candidate for a pod: it can never "
                            "start",
                            job.name));
        } else if (all < job.min_available) {
            warn(
                fmt::format("{}: {} members must start, the empty cluster holds {}: it can never "
                            "start",
                            job.name,
                            job.min_available,
                            all));
        } else if (quotas_) {
            check_quota(job);
        }
    }
    /// A quota admits no more than its max, whoever lends what.
    void check_quota(const sim::Job& job) {
        const core::QuotaId quota = quotas_->quota_of(job);
        const core::ResourceList& max = quotas_->trees().spec(quota).max;
        core::for_each_resource(max.keys(), [&](std::size_t r) {
            if (job.demand[r] * job.min_available > max[r]) {
                const core::ResourceSchema& schema = empty_.topology().resources();
                warn(
                    fmt::format("{}: asks for {} {}, more than the max of its quota {}, {}: it can "
                                "never start",
                                job.name,
                                schema.format(r, job.demand[r] * job.min_available),
                                schema.name(r),
                                quotas_->trees().name(quota),
                                schema.format(r, max[r])));
            }
        });
    }
    /// Pods of a demand that the largest server holds, and that all of them hold.
    std::pair<core::Members, core::Members> room_for(const std::vector<core::Amount>& demand) {
        const auto [known, fresh] = room_.try_emplace(demand);
        if (fresh) {
            const core::FitIndex fits(empty_, demand, core::NumFit::percolated);
            const core::Topology& tree = empty_.topology();
            for (const core::NodeId node : tree.level_nodes(tree.server_level())) {
                known->second.first = std::max(known->second.first, fits.fit(node));
            }
            known->second.second = fits.fit(tree.root());
        }
        return known->second;
    }
    /// Members of a job that find candidates, server by server until they are enough.
    core::Members candidates_for(const sim::Job& job) {
        const auto [known, fresh] = candidates_.try_emplace({job.query->text, job.min_available});
        core::Members& found = known->second;
        const core::ServerRule& rule = providers_->rule(*job.query);
        const core::Topology& tree = empty_.topology();
        for (std::uint32_t i = 0; fresh && i < tree.server_count() && found < job.min_available;
             ++i) {
            const core::ServerId server{i};
            const auto available = empty_.available(tree.node_of(server));
            found += rule.most(
                server, std::min(core::fit_of(available, job.demand), job.min_available - found));
        }
        return found;
    }
    void warn(const std::string& text) {
        if (said_.insert(text).second) {
            diagnostics_.warning(span_, text);
        }
    }

    core::Ledger empty_;
    std::optional<sim::QuotaManager> quotas_;
    std::optional<sim::ServerProviders> providers_;
    core::SourceSpan span_;
    Diagnostics& diagnostics_;
    std::map<std::vector<core::Amount>, std::pair<core::Members, core::Members>> room_;
    std::map<std::pair<std::string, core::Members>, core::Members> candidates_;
    std::set<std::string> said_;
};

void validate_group(const Value& document, Diagnostics& diagnostics) {
    core::ResourceSchema schema;
    schema.add("cpu");
    schema.add("memory");
    // Alone, a group may name any level and any type: an experiment settles what they are.
    Value types;
    types.kind = Value::Kind::map;
    const Value* spec = document.find("spec");
    const Value* group = spec != nullptr ? spec->find("group") : nullptr;
    const Value* type = group != nullptr ? group->find("type") : nullptr;
    if (type != nullptr) {
        Value nothing;
        nothing.kind = Value::Kind::map;
        types.members.push_back({type->text, type->span, nothing});
    }
    const core::Topology tree = imagined_topology(document, schema);
    PodLabels labels(diagnostics);
    const PodTypes pod_types(&types, tree, false, diagnostics);
    (void)read_group(document, nullptr, pod_types, labels, tree, diagnostics);
}

/// One experiment for each value of each axis.
void validate_sweep(const std::filesystem::path& file) {
    const SweepSpec sweep = read_sweep(file);
    const SweepPoints points(sweep);
    PointExperiments experiments(sweep, points);
    for (const std::string& warning :
         read_axis_sizes(sweep, points, experiments, sim::RunControl()).warnings) {
        std::cerr << warning << "\n";
    }
}

void validate_document(const std::filesystem::path& file,
                       const Value& document,
                       Diagnostics& diagnostics) {
    const Value* kind = document.is_map() ? document.find("kind") : nullptr;
    const std::string name = kind != nullptr ? kind->text : "";
    const std::vector<std::string> known{"Device",
                                         "DeviceList",
                                         "ElasticQuota",
                                         "ElasticQuotaList",
                                         "Experiment",
                                         "GroupPlacement",
                                         "List",
                                         "Node",
                                         "NodeList",
                                         "Pod",
                                         "Providers",
                                         "Sweep",
                                         "Topology",
                                         "TopologyTree",
                                         "Workload"};
    if (name == "Experiment") {
        const ResolvedExperiment resolved = resolve_experiment(file, {});
        if (const auto spec = read_experiment(resolved.document, diagnostics)) {
            FitChecker(*spec, document, diagnostics);
        }
    } else if (name == "Sweep") {
        validate_sweep(file);
    } else if (name == "Workload") {
        (void)read_workload_file(file, diagnostics);
    } else if (name == "GroupPlacement") {
        validate_group(document, diagnostics);
    } else if (topologies::is_topology_kind(name)) {
        if (auto tree = topologies::read_topology(document, {}, diagnostics)) {
            check_sums(std::make_shared<const core::Topology>(std::move(*tree)),
                       document.span,
                       diagnostics);
        }
    } else {
        const Value& at = kind != nullptr ? *kind : document;
        diagnostics.error(at.span,
                          fmt::format("{}: expected {}{}",
                                      kind != nullptr ? fmt::format("unknown kind '{}'", name)
                                                      : "a document without a kind",
                                      core::alternatives(known),
                                      core::suggestion(name, known)));
    }
}

/// All the quotas of a file are one tree, wherever they stand in it.
void validate_quotas(const std::vector<Value>& documents, Diagnostics& diagnostics) {
    const auto quotas = read_quotas(documents, diagnostics);
    const auto pods = read_pods(documents, diagnostics);
    core::QuotaRules rules = check_quotas(quotas, diagnostics);
    if (!diagnostics.failed()) {  // else a pod's quota may be one that was refused
        check_pods(pods, rules, diagnostics);
    }
}

/// All the providers of a file are one forest.
void validate_providers(const std::vector<Value>& documents, Diagnostics& diagnostics) {
    std::vector<Value> providers;
    std::ranges::copy_if(documents, std::back_inserter(providers), holds_providers);
    (void)read_providers(providers, diagnostics);
}

/// A List may hold a cluster's quotas, its devices and its nodes.
bool holds_nodes(const Value& document) {
    const Value* items = document.find("items");
    return items != nullptr && std::ranges::any_of(items->items, [](const Value& item) {
               const Value* kind = item.find("kind");
               return kind != nullptr && kind->text == "Node";
           });
}

/// Says what is wrong with one file; true if nothing is.
bool validate_file(const std::filesystem::path& file) {
    Diagnostics diagnostics;
    bool good = true;
    try {
        if (file.filename().string().find(".graphml") != std::string::npos) {
            (void)read_topology_file(file, diagnostics);
        } else {
            const auto documents = parse_documents(read_source(file));
            if (documents.empty()) {
                throw core::InputError(
                    fmt::format("{}: error: is empty: expected a document", file.string()));
            }
            for (const Value& document : documents) {
                const bool other = !holds_quotas(document) && !holds_devices(document) &&
                                   !holds_providers(document);
                if (other || holds_nodes(document)) {
                    validate_document(file, document, diagnostics);
                }
            }
            validate_quotas(documents, diagnostics);
            (void)read_devices(documents, diagnostics);
            validate_providers(documents, diagnostics);
        }
        diagnostics.throw_if_failed();
    } catch (const core::InputError& error) {
        std::cerr << error.what() << "\n";
        good = false;
    }
    for (const std::string& warning : diagnostics.warnings()) {
        std::cerr << warning << "\n";
    }
    if (good) {
        std::cout << fmt::format("{}: valid\n", file.string());
    }
    return good;
}

}  // namespace

int run_validate(const std::vector<std::string>& arguments) {
    const auto values = parse_arguments("validate", arguments, {}, "FILE", -1);
    if (!values) {
        return exit_done;
    }
    bool good = true;
    for (const std::string& file : positional_arguments(*values, "validate", "FILE", 1)) {
        good = validate_file(file) && good;
    }
    return good ? exit_done : exit_wrong_input;
}

}  // namespace berth::experiments
