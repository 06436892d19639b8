#include "experiments/program/run/never_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "core/index/fit_index.hpp"
#include "core/ledger/ledger.hpp"
#include "core/placement/placement_exact.hpp"
#include "experiments/program/config/cluster/served_resources.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/job/node_selector.hpp"
#include "sim/job/pod_shape.hpp"
#include "sim/profile/admission.hpp"
#include "sim/quota/quota_manager.hpp"

namespace berth::experiments {
namespace {

using core::Amount;
using core::Level;
using core::LevelConstraint;
using core::Members;

/// The limits for the exact solver, in steps and in entries of its tables.
constexpr double exact_steps_max = 5e8;
constexpr double exact_entries_max = 4e6;

/// Everything that decides whether a job can start in the empty cluster. Jobs with equal kinds are
/// alike.
struct Kind {
    sim::PodShape shape;
    std::string quota;
    Members size = 0;
    Members min_available = 0;
    std::string constraints;

    friend auto operator<=>(const Kind&, const Kind&) = default;
};

std::string text_of(const LevelConstraint& constraint) {
    const LevelConstraint::Range range = constraint.range.value_or(LevelConstraint::Range{0, 0});
    return fmt::format("{} {} {} {} {} {} {};",
                       static_cast<int>(constraint.affinity),
                       constraint.hard,
                       range.min,
                       range.max,
                       constraint.partitions,
                       constraint.factor,
                       static_cast<int>(constraint.scope));
}

Kind kind_of(const sim::Job& job) {
    Kind kind{sim::PodShape(job),
              job.quota.text() + '\n' + job.name_space.text(),
              job.size,
              job.min_available,
              job.group ? "group;" : ""};
    for (std::uint32_t level = 0; job.constraints && level < job.constraints->level_count();
         ++level) {
        kind.constraints += text_of(job.constraints->at(Level{level}));
    }
    return kind;
}

/// Finds out why jobs can never start, however empty the cluster is.
class EmptyCluster {
public:
    explicit EmptyCluster(const ExperimentSpec& spec)
        : settings_(spec.settings), tree_(*spec.topology), empty_(spec.topology) {
        if (settings_.quotas && settings_.quotas->admission && settings_.quotas->changes.empty()) {
            quotas_.emplace(*settings_.quotas, empty_);
        }
        cluster_.emplace(empty_, settings_.profile.inside);
        for (const core::ServerId server : settings_.left_out()) {
            empty_.take_down(server);
        }
    }

    /// Why a job can never start; empty: it can, or this is not known.
    const std::string& why_not(const sim::Job& job) {
        const auto [known, fresh] = known_.try_emplace(kind_of(job));
        if (fresh) {
            known->second = find_why_not(with_tolerations(job));
        }
        return known->second;
    }

private:
    /// The job with all tolerations that an admission may give to its pods.
    [[nodiscard]] sim::Job with_tolerations(sim::Job job) const {
        if (settings_.admission != nullptr && settings_.admission->may_add_tolerations() &&
            job.nodes != nullptr && job.nodes->meets_taints()) {
            job.nodes = std::make_shared<const sim::NodeSelector>(job.nodes->whatever_taints());
        }
        return job;
    }

    std::string find_why_not(const sim::Job& job) {
        if (std::string why = too_large(job); !why.empty()) {
            return why;
        }
        const bool by_candidates = job.query != nullptr && settings_.profile.inside.candidates;
        if (std::string why = by_candidates ? no_candidates(job) : no_room(job); !why.empty()) {
            return why;
        }
        return over_quota(job);
    }

    /// The reason of a pod whose demand exceeds the amounts of every server.
    [[nodiscard]] std::string too_large(const sim::Job& job) const {
        std::vector<Amount> largest(job.demand.size(), 0);
        for (const core::NodeId node : tree_.level_nodes(tree_.server_level())) {
            const auto available = empty_.available(node);
            if (core::fit_of(available, job.demand) > 0) {
                return "";
            }
            for (std::size_t r = 0; r < largest.size(); ++r) {
                largest[r] = std::max(largest[r], available[r]);
            }
        }
        const core::ResourceSchema& schema = tree_.resources();
        for (std::size_t r = 0; r < largest.size(); ++r) {
            if (job.demand[r] > 0 && largest[r] == 0) {
                return fmt::format("a pod asks for {}, which no server has{}",
                                   schema.name(r),
                                   ServedResources(tree_).hint(schema.name(r)));
            }
            if (job.demand[r] > largest[r]) {
                return fmt::format(
                    "a pod demands more than any server has: {} {}, and none has "
                    "more than {}",
                    schema.format(r, job.demand[r]),
                    schema.name(r),
                    schema.format(r, largest[r]));
            }
        }
        return "a pod demands more than any server has: each amount alone is there, but no server "
               "has all of them";
    }

    /// Counts members that find candidates, server by server, until there are enough; returns the
    /// reason if there are not.
    std::string no_candidates(const sim::Job& job) {
        const core::ServerRule& rule = *cluster_->rule(job);
        Members found = 0;
        for (std::uint32_t i = 0; i < tree_.server_count() && found < job.min_available; ++i) {
            const core::ServerId server{i};
            const auto available = empty_.available(tree_.node_of(server));
            found += rule.most(
                server, std::min(core::fit_of(available, job.demand), job.min_available - found));
        }
        return found == 0 ? "no server has an allocation candidate for a pod" : too_few(job, found);
    }

    /// The reason of a pod that no server with the amounts takes.
    [[nodiscard]] std::string no_server_takes(const sim::Job& job) const {
        if (job.nodes != nullptr && job.nodes->selects_nothing()) {
            const std::string asked = job.nodes->asked();
            if (asked.empty()) {
                return "every server has a taint that a pod does not tolerate";
            }
            return job.nodes->whatever_taints().selects_nothing()
                       ? "no server has what a pod asks of nodes: " + asked
                       : fmt::format(
                             "every server with what a pod asks of nodes, {}, has a taint "
                             "that it does not tolerate",
                             asked);
        }
        return job.nodes != nullptr
                   ? "every server to which a pod may go by its selector, affinity and "
                     "tolerations lacks the amounts or the devices"
                   : "every server with the amounts for a pod lacks the devices";
    }

    [[nodiscard]] static std::string too_few(const sim::Job& job, Members all) {
        return all < job.min_available
                   ? fmt::format("{} members must start, the empty cluster holds {}",
                                 job.min_available,
                                 all)
                   : "";
    }

    std::string no_room(const sim::Job& job) {
        const core::FitIndex fits(
            empty_, job.demand.in_a_vector(), core::NumFit::percolated, cluster_->rule(job));
        const Members all = fits.fit(tree_.root());
        if (all == 0) {
            return no_server_takes(job);
        }
        std::string why = too_few(job, all);
        if (why.empty() && job.group && job.constraints) {
            why = breaks_a_level(job, fits);
            why = why.empty() ? breaks_constraints(job, fits) : why;
        }
        return why;
    }

    /// The reason if a single hard constraint cannot be met.
    [[nodiscard]] std::string breaks_a_level(const sim::Job& job,
                                             const core::FitIndex& fits) const {
        for (std::uint32_t i = 1; i < tree_.level_count(); ++i) {
            const Level level{i};
            const LevelConstraint& constraint = job.constraints->at(level);
            Members largest = 0;
            Members usable = 0;
            for (const core::NodeId node : tree_.level_nodes(level)) {
                largest = std::max(largest, fits.fit(node));
                usable += fits.fit(node) > 0 ? 1 : 0;
            }
            const bool pack = constraint.affinity == core::Affinity::pack;
            const bool in_one = pack && (constraint.scope == core::Scope::group || i == 1);
            if (constraint.hard && in_one && largest < job.min_available) {
                return fmt::format(
                    "{} members must start in one {} by its hard constraint, and "
                    "none holds more than {}",
                    job.min_available,
                    tree_.level_name(level),
                    largest);
            }
            if (constraint.hard && !pack && usable < job.min_available) {
                return fmt::format(
                    "{} members must start, each in its own {} by its hard "
                    "constraint, and {} have room",
                    job.min_available,
                    tree_.level_name(level),
                    usable);
            }
        }
        return "";
    }

    /// The reason if the constraints cannot be met together.
    std::string breaks_constraints(const sim::Job& job, const core::FitIndex& fits) {
        const core::GroupRequest request{job.size, *job.constraints};
        const bool greedy = settings_.profile.solver == sim::Solver::greedy;
        if (greedy) {
            const core::FitIndex as_run(
                empty_, job.demand.in_a_vector(), settings_.profile.num_fit, cluster_->rule(job));
            if (core::GroupPlacer().place(request, as_run).placed() >= job.min_available) {
                return "";
            }
        }
        if (too_much_work(job, fits)) {
            return greedy ? "the greedy solver finds no place for it in the empty cluster (whether "
                            "there is one would take too long to find out)"
                          : "";
        }
        const Members most = core::place_exact(request, fits).placed();
        if (most < job.min_available) {
            return fmt::format(
                "{} members must start, and under its constraints the empty cluster "
                "holds {}",
                job.min_available,
                most);
        }
        return greedy ? "the greedy solver finds no place for it in the empty cluster, though "
                        "there is one, which placementGroup: {solver: exact} finds"
                      : "";
    }

    [[nodiscard]] bool too_much_work(const sim::Job& job, const core::FitIndex& fits) const {
        const auto size = static_cast<double>(job.size);
        double steps = 0;
        double entries = 0;
        for (const core::NodeId node : tree_.level_nodes(tree_.server_level())) {
            const auto here = static_cast<double>(std::clamp<Members>(fits.fit(node), 0, job.size));
            steps += here * size;
            entries += here > 0 ? size : 0;
        }
        return steps > exact_steps_max || entries > exact_entries_max;
    }

    /// The reason of a quota. Whatever other quotas lend, it admits no more than its max (or min,
    /// if that is the limit).
    std::string over_quota(const sim::Job& job) {
        if (!quotas_) {
            return "";
        }
        const core::QuotaTrees& trees = quotas_->trees();
        const core::AdmissionRules& rules = settings_.quotas->rules;
        const bool by_min = rules.limit == core::QuotaLimit::min;
        const bool climbs = rules.limit == core::QuotaLimit::runtime || rules.check_parents;
        std::string why;
        for (core::QuotaId quota = quotas_->quota_of(job);; quota = trees.parent(quota)) {
            const core::ResourceList& most = by_min ? trees.spec(quota).min : trees.spec(quota).max;
            core::for_each_resource(most.keys(), [&](std::size_t r) {
                const Amount asked = job.demand[r] * job.min_available;
                if (asked > most[r] && why.empty()) {
                    const core::ResourceSchema& schema = tree_.resources();
                    why = fmt::format("asks for {} {}, more than the {} of its quota {}, {}",
                                      schema.format(r, asked),
                                      schema.name(r),
                                      by_min ? "min" : "max",
                                      trees.name(quota),
                                      schema.format(r, most[r]));
                }
            });
            if (!why.empty() || !climbs || trees.is_root(quota) ||
                trees.is_root(trees.parent(quota))) {
                return why;
            }
        }
    }

    const sim::Settings& settings_;
    const core::Topology& tree_;
    core::Ledger empty_;
    std::optional<sim::QuotaManager> quotas_;
    std::optional<sim::Cluster> cluster_;
    std::map<Kind, std::string> known_;
};

/// The jobs of one source that cannot start for the same reason.
struct Refused {
    std::string first;
    std::size_t jobs = 0;
    std::string why;
};

std::vector<std::string> lines_of(const std::vector<Refused>& refused) {
    std::vector<std::string> lines;
    for (const Refused& one : refused) {
        lines.push_back(one.jobs == 1
                            ? fmt::format("{}: {}: it can never start", one.first, one.why)
                            : fmt::format("{} and {} more jobs: {}: they can never start",
                                          one.first,
                                          one.jobs - 1,
                                          one.why));
    }
    return lines;
}

}  // namespace

std::vector<std::string> jobs_that_never_start(const ExperimentSpec& spec) {
    EmptyCluster cluster(spec);
    std::vector<std::string> lines;
    for (const WorkloadSource& source : spec.workload) {
        std::vector<Refused> refused;
        const auto look = [&](const sim::Job& job) {
            const std::string& why = job.servers ? std::string() : cluster.why_not(job);
            if (why.empty()) {
                return;
            }
            auto known = std::ranges::find(refused, why, &Refused::why);
            if (known == refused.end()) {
                known = refused.insert(refused.end(), Refused{job.name, 0, why});
            }
            ++known->jobs;
        };
        if (const auto* list = std::get_if<JobList>(&source.what)) {
            std::ranges::for_each(list->jobs, look);
        } else if (const auto* renewal = std::get_if<workloads::Renewal>(&source.what)) {
            for (const auto& entry : renewal->mix) {
                look(entry.job);
            }
        }
        std::ranges::move(lines_of(refused), std::back_inserter(lines));
    }
    return lines;
}

}  // namespace berth::experiments
