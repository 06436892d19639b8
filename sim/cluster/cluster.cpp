#include "sim/cluster/cluster.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <utility>

#include "core/index/fit_index.hpp"
#include "core/support/assert.hpp"

namespace berth::sim {

using core::Amount;
using core::Members;
using core::PlacedNode;
using core::ServerId;

Cluster::Cluster(core::Ledger& ledger,
                 const InsidePlugins& plugins,
                 std::span<const DrainWindow> drains)
    : ledger_(ledger),
      inside_(make_inside(ledger, plugins)),
      calendar_(ledger.topology(), drains) {}

Cluster::Cluster(const Cluster& other,
                 core::Ledger& copy,
                 std::unique_ptr<Inside> inside,
                 const DrainCalendar& calendar)
    : ledger_(copy),
      inside_(std::move(inside)),
      calendar_(calendar),
      drained_(other.drained_),
      spares_(other.spares_),
      spread_(other.spread_),
      background_of_absent_(other.background_of_absent_) {}

std::unique_ptr<Cluster> Cluster::copy_over(core::Ledger& copy) const {
    auto inside = inside_->copy_over(copy);
    return inside == nullptr
               ? nullptr
               : std::unique_ptr<Cluster>(new Cluster(*this, copy, std::move(inside), calendar_));
}

std::unique_ptr<Cluster> Cluster::plan_over(core::Ledger& copy) const {
    std::unique_ptr<Cluster> plan(
        new Cluster(*this, copy, inside_->plan_over(copy), DrainCalendar(topology(), {})));
    if (!calendar_.empty()) {
        plan->hidden_ = std::make_unique<HiddenServers>(topology().server_count());
    }
    return plan;
}

const core::ServerRule* Cluster::both(const core::ServerRule* first,
                                      const core::ServerRule* second) const {
    if (first == nullptr || second == nullptr) {
        return first != nullptr ? first : second;
    }
    return &both_rules_.try_emplace({first, second}, *first, *second).first->second;
}

/// What is inside comes first, because only that may change without the ledger.
const core::ServerRule* Cluster::rule(const Job& job, std::uint32_t met) const {
    return both(both(both(inside_->rule(job), spread_.rule(job)), job.nodes.get()),
                drain_rule(met));
}

bool Cluster::would_be_drained(const Job& job, ServerId server) const {
    const core::ServerRule* drains = drain_rule(calendar_.met(job));
    return drains != nullptr && !drains->score(server);
}

void Cluster::touch(ServerId server) {
    ledger_.occupy(server, std::vector<Amount>(ledger_.resource_count()));
}

void Cluster::go_to(SimTime now) {
    calendar_.go_to(now, [this](ServerId server) { touch(server); });
}

void Cluster::set_drained(ServerId server, bool drained) {
    const bool changes = drained ? drained_.insert(server).second : drained_.erase(server) > 0;
    if (changes) {
        touch(server);
    }
}

void Cluster::set_spare(ServerId server, bool spare) {
    const bool changes = spare ? spares_.insert(server).second : spares_.erase(server) > 0;
    BERTH_ASSERT(changes, "a server becomes a spare, or is none any more");
    touch(server);
}

void Cluster::available_in_plans(ServerId server, std::span<Amount> out) const {
    const auto background = background_of_absent_.find(server);
    if (!is_drained(server) || background == background_of_absent_.end()) {
        std::ranges::copy(ledger_.available(topology().node_of(server)), out.begin());
        return;
    }
    const core::Amounts& capacity = topology().machine_type(server).capacity;
    for (std::size_t r = 0; r < out.size(); ++r) {
        out[r] = capacity(static_cast<Eigen::Index>(r)) - background->second[r];
    }
}

bool Cluster::serves_without(const Job& job, ServerId server, std::span<const Grant> grants) const {
    inside_->catch_up();
    return !asks_inside(job) || inside_->serves_without(job, server, grants);
}

bool Cluster::has_room(const Job& job, ServerId server) const {
    const auto available = ledger_.available(ledger_.topology().node_of(server));
    return ledger_.is_up(server) && !calendar_.is_open(server) &&
           core::fit_of(available, job.demand) > 0 && serves_without(job, server, {});
}

std::vector<std::vector<Grant>> Cluster::take_inside(const Job& job,
                                                     std::span<const PlacedNode> servers,
                                                     const PlannedGrants& planned) const {
    inside_->catch_up();
    std::vector<std::vector<Grant>> grants(servers.size());
    const bool asks = asks_inside(job);
    for (std::size_t i = 0; asks && i < servers.size(); ++i) {
        const ServerId server = topology().server_of(servers[i].node);
        for (Members member = 0; member < servers[i].count; ++member) {
            const auto number = static_cast<std::size_t>(member);
            grants[i].push_back(planned.empty()
                                    ? inside_->take(job, server, member)
                                    : inside_->take_planned(server, planned[i][number]));
        }
    }
    return grants;
}

std::vector<std::vector<Grant>> Cluster::grants_on(const Job& job,
                                                   std::span<const PlacedNode> servers) const {
    std::vector<std::vector<Grant>> grants = take_inside(job, servers, {});
    for (std::size_t i = 0; i < servers.size(); ++i) {
        for (const Grant& grant : grants[i]) {
            inside_->give_back(topology().server_of(servers[i].node), grant);
        }
    }
    return grants;
}

std::vector<std::vector<Grant>> Cluster::claim(const Job& job,
                                               std::span<const PlacedNode> servers,
                                               const core::LogicalTree& placement,
                                               const PlannedGrants& planned) {
    const core::Topology& tree = ledger_.topology();
    std::vector<std::vector<Grant>> grants = take_inside(job, servers, planned);
    for (std::size_t i = 0; i < servers.size(); ++i) {
        for (const Grant& grant : grants[i]) {
            if (const auto beside = inside_->beside(grant); !beside.empty()) {
                ledger_.claim(tree.server_of(servers[i].node), beside, 1);
            }
        }
    }
    if (!placement.nodes.empty()) {
        ledger_.claim(placement, job.demand);
    }
    for (const PlacedNode& placed : servers) {
        const ServerId server = tree.server_of(placed.node);
        BERTH_ASSERT(ledger_.is_up(server) && !calendar_.is_open(server),
                     "members start on servers that are there, and are not being drained");
        BERTH_ASSERT(
            job.nodes == nullptr || job.nodes->selects(server) ||
                (job.servers && std::ranges::find(*job.servers, server) != job.servers->end()),
            "members start on servers that their job selects, or where it runs at the beginning");
        if (placement.nodes.empty()) {
            ledger_.claim(server, job.demand, placed.count);
        }
        spread_.add(job, server, placed.count);
    }
    return grants;
}

void Cluster::release(const Job& job,
                      ServerId server,
                      Members members,
                      std::span<const Grant> grants) {
    BERTH_ASSERT(members > 0, "somebody leaves the server");
    for (const Grant& grant : grants) {
        inside_->give_back(server, grant);
        if (const auto beside = inside_->beside(grant); !beside.empty()) {
            ledger_.release(server, beside, 1);
        }
    }
    ledger_.release(server, job.demand, members);
    spread_.add(job, server, -members);
}

void Cluster::put_back(const Job& job,
                       ServerId server,
                       Members members,
                       std::span<const Grant> grants) {
    BERTH_ASSERT(members > 0, "somebody comes back to the server");
    inside_->catch_up();
    for (const Grant& grant : grants) {
        (void)inside_->take_planned(server, grant);
        if (const auto beside = inside_->beside(grant); !beside.empty()) {
            ledger_.claim(server, beside, 1);
        }
    }
    ledger_.claim(server, job.demand, members);
    spread_.add(job, server, members);
}

std::vector<Amount> Cluster::take_down(ServerId server) {
    const core::NodeId node = ledger_.topology().node_of(server);
    std::vector<Amount>& background = background_of_absent_[server];
    BERTH_ASSERT(background.empty(), "a server that leaves was there");
    for (std::size_t r = 0; r < ledger_.resource_count(); ++r) {
        background.push_back(ledger_.allocated(node, r));
    }
    ledger_.release(server, background, 1);
    ledger_.take_down(server);
    inside_->leave(server);
    return background;
}

std::vector<Amount> Cluster::bring_up(ServerId server) {
    auto background = background_of_absent_.extract(server);
    BERTH_ASSERT(background, "a server that comes back left what is in use on it");
    ledger_.bring_up(server);
    ledger_.occupy(server, background.mapped());
    inside_->join(server);
    return std::move(background.mapped());
}

}  // namespace berth::sim
