#include "experiments/run/never_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/fit_index.hpp"
#include "core/ledger.hpp"

namespace berth::experiments {
namespace {

/// Finds what can never start, however empty the cluster is.
class FitChecker {
public:
    explicit FitChecker(const ExperimentSpec& spec) : empty_(spec.topology) {
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

    std::vector<std::string> warnings;

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
            warnings.push_back(text);
        }
    }

    core::Ledger empty_;
    std::optional<sim::QuotaManager> quotas_;
    std::optional<sim::ServerProviders> providers_;
    std::map<std::vector<core::Amount>, std::pair<core::Members, core::Members>> room_;
    std::map<std::pair<std::string, core::Members>, core::Members> candidates_;
    std::set<std::string> said_;
};

}  // namespace

std::vector<std::string> jobs_that_never_start(const ExperimentSpec& spec) {
    return FitChecker(spec).warnings;
}

}  // namespace berth::experiments
