/// Changes of the cluster: what other jobs could give back, and how many more servers are needed.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "core/support/text.hpp"
#include "experiments/program/why/changes.hpp"
#include "experiments/program/why/nearest.hpp"
#include "experiments/program/why/trial.hpp"

namespace berth::experiments::changes {
namespace {

using core::Amount;
using core::NodeId;

constexpr std::size_t near_max = 3;  ///< The number of servers on which freeing amounts is tried.
constexpr std::size_t alone_max = 100;     ///< The number of jobs that are tried one by one.
constexpr std::size_t together_max = 64;   ///< The number of jobs that are tried together.
constexpr std::uint32_t servers_max = 64;  ///< The largest number of servers that is tried.

bool let_in_without(const sim::Turn& turn, const std::vector<RunningJob>& gone) {
    const auto trial = Trial::of(turn);
    for (const RunningJob& job : gone) {
        trial->leave(*job.record, job.quota);
    }
    return trial->lets_in();
}

/// The places where the pod or group comes nearest to having room.
std::vector<NodeId> near_places(const Question& question) {
    const core::Topology& tree = question.turn.ledger.topology();
    if (question.finding.stage == WhyStage::quota) {
        return {tree.root()};
    }
    if (!question.rooms.empty() && (question.finding.stage == WhyStage::members ||
                                    question.finding.stage == WhyStage::level)) {
        return {room_in_the_way(question.turn, question.finding, question.rooms).best};
    }
    std::vector<NodeId> places;
    for (const NearServer& near : nearest_servers(question.turn, near_max)) {
        places.push_back(tree.node_of(near.server));
    }
    if (question.turn.record.job.group) {
        places.push_back(tree.root());
    }
    return places;
}

/// Jobs that hold something below a node, ordered by their share of the cluster, the smallest
/// first.
std::vector<RunningJob> holders_below(const sim::Turn& turn,
                                      const std::vector<RunningJob>& running,
                                      NodeId node) {
    struct Held {
        std::int64_t share = 0;
        RunningJob job;
    };
    std::vector<Held> held;
    for (const RunningJob& job : running) {
        if (members_below(*job.record, node, turn.ledger.topology()) > 0) {
            const sim::Job& what = job.record->job;
            held.push_back({share_of_cluster(turn.ledger, what.demand, job.record->placed), job});
        }
    }
    std::ranges::stable_sort(held, {}, &Held::share);
    std::vector<RunningJob> out;
    std::ranges::transform(held, std::back_inserter(out), &Held::job);
    return out;
}

void add_leaving(const sim::Turn& turn, const std::vector<RunningJob>& gone, Changes& out) {
    std::vector<std::string> names;
    std::vector<Amount> amounts(turn.record.job.demand.size(), 0);
    for (const RunningJob& job : gone) {
        names.push_back(job.record->job.name);
        for (std::size_t r = 0; r < amounts.size(); ++r) {
            amounts[r] += job.record->job.demand[r] * job.record->placed;
        }
    }
    constexpr std::size_t shown_max = 5;
    const std::size_t shown = std::min(names.size(), shown_max);
    const std::vector<std::string> first(names.begin(),
                                         names.begin() + static_cast<std::ptrdiff_t>(shown));
    out.found.push_back(
        {fmt::format("{}{} {} ended",
                     core::join(first, ", "),
                     shown < names.size() ? fmt::format(" and {} more", names.size() - shown) : "",
                     names.size() == 1 ? "has" : "have"),
         share_of_cluster(turn.ledger, amounts, 1),
         {{"kind", "leave"}, {"jobs", names}}});
}

/// The shortest beginning of the list without which the job starts, minus those jobs that need not
/// leave.
std::vector<RunningJob> fewest(const sim::Turn& turn, const std::vector<RunningJob>& jobs) {
    std::vector<RunningJob> gone;
    const auto trial = Trial::of(turn);
    bool starts = false;
    for (std::size_t i = 0; i < std::min(jobs.size(), together_max) && !starts; ++i) {
        trial->leave(*jobs[i].record, jobs[i].quota);
        gone.push_back(jobs[i]);
        starts = trial->lets_in();
    }
    for (std::size_t i = 0; starts && i < gone.size();) {
        std::vector<RunningJob> others = gone;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        if (let_in_without(turn, others)) {
            gone = std::move(others);
        } else {
            ++i;
        }
    }
    return starts ? gone : std::vector<RunningJob>();
}

}  // namespace

void freed_amounts(const Question& question, Changes& out) {
    const sim::Turn& turn = question.turn;
    if (turn.record.job.group || question.finding.stage == WhyStage::quota) {
        return;
    }
    const core::Topology& tree = turn.ledger.topology();
    for (const NearServer& near : nearest_servers(turn, near_max)) {
        const auto trial = Trial::of(turn);
        if (trial == nullptr || near.share == 0) {
            return;  // the missing thing is not an amount
        }
        trial->free(near.server, near.lacking);
        if (!trial->lets_in()) {
            continue;
        }
        const NodeId node = tree.node_of(near.server);
        nlohmann::ordered_json amounts = nlohmann::ordered_json::object();
        for (std::size_t r = 0; r < near.lacking.size(); ++r) {
            if (near.lacking[r] > 0) {
                amounts[tree.resources().name(r)] = tree.resources().format(r, near.lacking[r]);
            }
        }
        out.found.push_back({fmt::format("{} is freed on {}",
                                         amounts_text(tree.resources(), near.lacking),
                                         tree.path(node)),
                             share_of_cluster(turn.ledger, near.lacking, 1),
                             {{"kind", "free"},
                              {"server", std::string(tree.name(node))},
                              {"amounts", std::move(amounts)}}});
        return;  // the other servers need more to be freed
    }
}

void others_leave(const Question& question, Changes& out) {
    const sim::Turn& turn = question.turn;
    if (Trial::of(turn) == nullptr) {
        out.untried.emplace_back(
            "others that end, amounts that are freed: the run looks for allocation candidates");
        return;
    }
    const std::vector<RunningJob> running = running_jobs(turn);
    const std::vector<NodeId> places = near_places(question);
    std::size_t tried = 0;
    for (const NodeId place : places) {
        for (const RunningJob& job : holders_below(turn, running, place)) {
            if (tried++ == alone_max) {
                break;
            }
            if (let_in_without(turn, {job})) {
                add_leaving(turn, {job}, out);
                return;
            }
        }
    }
    for (const NodeId place : places) {
        std::vector<RunningJob> jobs = holders_below(turn, running, place);
        if (question.finding.stage == WhyStage::quota) {
            std::ranges::stable_partition(
                jobs, [&](const RunningJob& job) { return job.quota == turn.quota; });
        }
        if (const auto gone = fewest(turn, jobs); !gone.empty()) {
            add_leaving(turn, gone, out);
            return;
        }
    }
}

/// The change that the job had its turn before the jobs that took what it needs in the same cycle.
void earlier_turn(const Question& question, Changes& out) {
    const std::vector<RunningJob> before = started_before(question.turn);
    if (before.empty() || Trial::of(question.turn) == nullptr ||
        !let_in_without(question.turn, before)) {
        return;
    }
    out.found.push_back(
        {fmt::format("it stands before {}{} in the queue, which started in the same cycle",
                     before.front().record->job.name,
                     before.size() > 1 ? fmt::format(" and {} more", before.size() - 1) : ""),
         std::nullopt,
         {{"kind", "first"}}});
}

void more_servers(const Question& question, Changes& out) {
    const sim::Turn& turn = question.turn;
    const core::Topology& tree = turn.ledger.topology();
    if (Trial::with_servers(turn, tree.parent(tree.node_of(core::ServerId{0})), 0, 1) == nullptr) {
        out.untried.emplace_back(
            "more servers: tried only where pods ask for amounts and shared GPUs alone");
        return;
    }
    NodeId parent = question.rooms.empty()
                        ? tree.root()
                        : room_in_the_way(turn, question.finding, question.rooms).best;
    if (tree.is_server(parent)) {
        parent = tree.parent(parent);
    }
    while (!tree.is_server(NodeId{tree.child_begin(parent)})) {
        parent = NodeId{tree.child_end(parent) - 1};
    }
    for (std::uint32_t type = 0; type < tree.machine_types().size(); ++type) {
        const auto starts = [&](std::uint32_t count) {
            return Trial::with_servers(turn, parent, type, count)->lets_in();
        };
        std::uint32_t low = 0;
        std::uint32_t high = 1;
        while (high <= servers_max && !starts(high)) {
            low = std::exchange(high, 2 * high);
        }
        if (high > servers_max) {
            continue;
        }
        while (high - low > 1) {
            const std::uint32_t middle = low + (high - low) / 2;
            (starts(middle) ? high : low) = middle;
        }
        const core::MachineType& machine = tree.machine_types()[type];
        const std::span<const Amount> amounts(machine.capacity.data(),
                                              static_cast<std::size_t>(machine.capacity.size()));
        out.found.push_back({fmt::format("{} has {} more server{} of type {}",
                                         tree.path(parent),
                                         high,
                                         high == 1 ? "" : "s",
                                         machine.name),
                             share_of_cluster(turn.ledger, amounts, high),
                             {{"kind", "servers"},
                              {"parent", std::string(tree.name(parent))},
                              {"type", machine.name},
                              {"count", high}}});
    }
}

}  // namespace berth::experiments::changes
