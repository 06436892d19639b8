#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/index/server_rule.hpp"
#include "core/ledger/ledger.hpp"
#include "sim/cluster/application_spread.hpp"
#include "sim/cluster/drain_calendar.hpp"
#include "sim/cluster/hidden_servers.hpp"
#include "sim/cluster/inside/inside.hpp"
#include "sim/cluster/inside/lack.hpp"
#include "sim/cluster/inside/plugins.hpp"
#include "sim/job/grant.hpp"
#include "sim/job/job.hpp"

namespace berth::sim {

/// The servers of a run, and which pods hold what of them: amounts in the ledger, what is inside
/// servers, and how many pods of an application are on each. It knows when servers are drained.
///
/// Cost: O(depth x resources) for each server of a claim or release, in addition to what is inside.
class Cluster {
public:
    /// The ledger and the windows outlive it. The plug-ins decide what is inside servers.
    Cluster(core::Ledger& ledger,
            const InsidePlugins& plugins,
            std::span<const DrainWindow> drains = {});
    /// The same cluster over a copy of the ledger, in which the same pods hold the same.
    /// Returns: nullptr where what is inside servers cannot be copied.
    [[nodiscard]] std::unique_ptr<Cluster> copy_over(core::Ledger& copy) const;

    /// A cluster over a copy of the ledger, for plans: its inside knows only what it is shown, and
    /// it has hide() in place of drains. Grants of either cluster are valid in the other.
    [[nodiscard]] std::unique_ptr<Cluster> plan_over(core::Ledger& copy) const;

    [[nodiscard]] const core::Ledger& ledger() const { return ledger_; }
    [[nodiscard]] const core::Topology& topology() const { return ledger_.topology(); }
    /// Not to be used for grants: claim() and release() give and take them.
    [[nodiscard]] Inside& inside() const { return *inside_; }

    /// The rule that decides about the job's pods besides amounts; nullptr if there is none. It
    /// logs what changes for them without a change in the ledger. Its address is stable.
    [[nodiscard]] const core::ServerRule* rule(const Job& job) const {
        return rule(job, calendar_.met(job));
    }
    /// The same for a job that meets `met` windows, as DrainCalendar::met() counts them.
    [[nodiscard]] const core::ServerRule* rule(const Job& job, std::uint32_t met) const;
    /// How many pods count for the limit of the job's application on a server.
    [[nodiscard]] core::Members application_pods(const Job& job, core::ServerId server) const {
        return spread_.pods(job, server);
    }
    /// What limits an application's pods on a server, or nullptr.
    [[nodiscard]] const core::ServerRule* spread_rule(const Job& job) const {
        return spread_.rule(job);
    }
    /// The part of rule() that does not ask what is inside servers.
    [[nodiscard]] const core::ServerRule* rule_outside(const Job& job) const {
        return both(both(spread_.rule(job), job.nodes.get()), drain_rule(calendar_.met(job)));
    }
    /// When servers are drained.
    [[nodiscard]] const DrainCalendar& calendar() const { return calendar_; }
    /// Whether a server that has the amounts now refuses the job only because of its drains.
    [[nodiscard]] bool would_be_drained(const Job& job, core::ServerId server) const;
    /// Advances the time: from now on, servers are drained as the windows say for that time.
    void go_to(SimTime now);
    /// Whether a server has the amounts, and what is asked for inside, for a pod that already runs
    /// there. What the pod's spec says of nodes counts only when it is placed anew.
    [[nodiscard]] bool has_room(const Job& job, core::ServerId server) const;
    /// Whether the job asks for more than amounts: devices, shares of GPUs or providers.
    [[nodiscard]] bool asks_inside(const Job& job) const { return inside_->rule(job) != nullptr; }
    /// Whether a server's inside could serve the pod if the pods with `grants` were gone.
    [[nodiscard]] bool serves_without(const Job& job,
                                      core::ServerId server,
                                      std::span<const Grant> grants) const;
    /// What keeps a member of a waiting job that meets `met` windows from a server that is up.
    [[nodiscard]] Lack lack(const Job& job, core::ServerId server, std::uint32_t met) const;
    [[nodiscard]] Lack lack(const Job& job, core::ServerId server) const {
        return lack(job, server, calendar_.met(job));
    }
    /// What keeps a member of the job from a server, apart from drains: what follows "3 node(s) ".
    /// Empty if nothing does, or if the server has too little of some amount.
    [[nodiscard]] std::string_view refusal(const Job& job, core::ServerId server) const;
    /// Why a server that has the amounts for a member does not take it.
    [[nodiscard]] std::string why_not(const Job& job, core::ServerId server) const;
    /// How many of the job's members the server has room for at the same time.
    [[nodiscard]] core::Members places(const Job& job,
                                       core::ServerId server,
                                       std::uint32_t met) const;
    [[nodiscard]] core::Members places(const Job& job, core::ServerId server) const {
        return places(job, server, calendar_.met(job));
    }

    /// Claims room that is there for members of the job. `placement`: the same servers as a tree,
    /// or empty; with it each node above them is counted once. `planned`: what each member is to
    /// get inside, in the order of `servers`; empty: what the profile's policy chooses.
    /// Returns: what each member got inside, in the order of `servers`; empty if they ask for
    ///          nothing there.
    [[nodiscard]] std::vector<std::vector<Grant>> claim(const Job& job,
                                                        std::span<const core::PlacedNode> servers,
                                                        const core::LogicalTree& placement,
                                                        const PlannedGrants& planned = {});
    /// What members would get inside, in the form that claim() returns; nothing is taken. In a
    /// plan, the amounts need not be there: where a job stays on what is promised to another, more
    /// is taken than there is.
    [[nodiscard]] std::vector<std::vector<Grant>> grants_on(
        const Job& job, std::span<const core::PlacedNode> servers) const;
    /// Members leave a server; `grants` are the grants of these members.
    void release(const Job& job,
                 core::ServerId server,
                 core::Members members,
                 std::span<const Grant> grants);
    /// Members that have left a server get back what they held. No job has come to the server
    /// since.
    void put_back(const Job& job,
                  core::ServerId server,
                  core::Members members,
                  std::span<const Grant> grants);
    /// In a plan: `pods` pods of the job's application, which has a limit, are on a server. Returns
    /// whether the number changed.
    bool show_pods(const Job& job, core::ServerId server, core::Members pods) {
        return spread_.show(job, server, pods);
    }
    /// A server leaves the cluster; no pod of this run is on it. What is in use on it from outside
    /// leaves and comes back with it. Returns: those amounts.
    std::vector<core::Amount> take_down(core::ServerId server);
    std::vector<core::Amount> bring_up(core::ServerId server);
    /// A server is away, or about to be, only because of a drain; or it no longer is. Plans count
    /// on its return.
    void set_drained(core::ServerId server, bool drained);
    [[nodiscard]] bool is_drained(core::ServerId server) const { return drained_.contains(server); }
    /// A server is kept as a spare, or is about to be, and is away for all jobs; or it no longer
    /// is.
    void set_spare(core::ServerId server, bool spare);
    [[nodiscard]] bool is_spare(core::ServerId server) const { return spares_.contains(server); }
    [[nodiscard]] std::size_t spare_count() const { return spares_.size(); }
    /// What is in use from outside on a server that is away.
    [[nodiscard]] const std::vector<core::Amount>& background_of_absent(
        core::ServerId server) const {
        return background_of_absent_.at(server);
    }
    /// Whether plans count on a server: it is up, or away only because of a drain.
    [[nodiscard]] bool is_in_plans(core::ServerId server) const {
        return ledger_.is_up(server) || is_drained(server);
    }
    /// What is available on a server, or will be when it is back from its drain.
    void available_in_plans(core::ServerId server, std::span<core::Amount> out) const;
    /// In a plan: a server takes no pods, or takes pods again. Returns whether that is a change.
    bool hide(core::ServerId server, bool hidden) { return hidden_->set(server, hidden); }

private:
    Cluster(const Cluster& other,
            core::Ledger& copy,
            std::unique_ptr<Inside> inside,
            const DrainCalendar& calendar);

    [[nodiscard]] std::vector<std::vector<Grant>> take_inside(
        const Job& job,
        std::span<const core::PlacedNode> servers,
        const PlannedGrants& planned) const;

    [[nodiscard]] const core::ServerRule* both(const core::ServerRule* first,
                                               const core::ServerRule* second) const;
    [[nodiscard]] const core::ServerRule* drain_rule(std::uint32_t met) const {
        return hidden_ != nullptr ? hidden_.get() : calendar_.rule(met);
    }
    /// Makes everything that is derived from the ledger look at a server again.
    void touch(core::ServerId server);

    core::Ledger& ledger_;
    std::unique_ptr<Inside> inside_;
    DrainCalendar calendar_;
    std::unique_ptr<HiddenServers> hidden_;  ///< Used in plans of a run with drains.
    std::set<core::ServerId> drained_;
    std::set<core::ServerId> spares_;
    mutable ApplicationSpread spread_;  ///< Makes rules on demand, like both_rules_.
    using TwoRules = std::pair<const core::ServerRule*, const core::ServerRule*>;
    mutable std::map<TwoRules, core::BothRules> both_rules_;  ///< Looked up, never iterated.
    /// What is in use from outside on servers that are down.
    std::map<core::ServerId, std::vector<core::Amount>> background_of_absent_;
};

}  // namespace berth::sim
