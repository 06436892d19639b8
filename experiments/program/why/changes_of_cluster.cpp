/// Changes of the cluster: what other jobs could give back, and how many more servers are needed.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include "experiments/program/why/nearest.hpp"
#include "experiments/program/why/profile_changes.hpp"
#include "experiments/program/why/trial.hpp"
#include "experiments/program/why/words.hpp"
#include "sim/job/node_selector.hpp"

namespace berth::experiments::changes {
namespace {

using core::Amount;
using core::NodeId;

constexpr std::size_t near_max = 3;  ///< The number of servers on which freeing amounts is tried.
constexpr core::Amount servers_max = 64;  ///< The largest number of servers that is tried.

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

/// The jobs that hold something below a node, by their number, ordered by their share of the
/// cluster, the smallest first.
std::vector<std::size_t> holders_below(const sim::Turn& turn,
                                       const std::vector<RunningJob>& running,
                                       NodeId node) {
    std::vector<std::size_t> held;
    for (std::size_t i = 0; i < running.size(); ++i) {
        if (members_below(*running[i].record, node, turn.ledger.topology()) > 0) {
            held.push_back(i);
        }
    }
    std::ranges::stable_sort(held, {}, [&](std::size_t i) {
        const sim::JobRecord& record = *running[i].record;
        return share_of_cluster(turn.ledger, record.job.demand, record.placed);
    });
    return held;
}

sim::Answer ask_without(const sim::Turn& turn, const std::vector<RunningJob>& gone) {
    const auto trial = Trial::of(turn);
    for (const RunningJob& job : gone) {
        trial->leave(*job.record, job.quota);
    }
    return trial->ask();
}

std::vector<Search::Other> holdings(const std::vector<RunningJob>& running) {
    std::vector<Search::Other> out;
    for (const RunningJob& job : running) {
        const sim::JobRecord& record = *job.record;
        out.push_back({record.job.name, {}});
        for (const Amount demand : record.job.demand) {
            out.back().amounts.push_back(demand * record.placed);
        }
    }
    return out;
}

/// What more servers must have besides their amounts, for a job that does not go to all servers.
std::string suiting(const sim::Job& job) {
    if (job.nodes == nullptr) {
        return "";
    }
    const std::string asked = job.nodes->asked();
    return asked.empty() ? ", without a taint that it does not tolerate"
                         : fmt::format(", with what it asks of nodes ({})", asked);
}

}  // namespace

void freed_amounts(const Question& question) {
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
        const sim::Answer answer = trial->ask();
        if (!is_let_in(answer)) {
            continue;
        }
        const NodeId node = tree.node_of(near.server);
        nlohmann::ordered_json amounts = nlohmann::ordered_json::object();
        for (std::size_t r = 0; r < near.lacking.size(); ++r) {
            if (near.lacking[r] > 0) {
                amounts[tree.resources().name(r)] = tree.resources().format(r, near.lacking[r]);
            }
        }
        question.search.add({fmt::format("{} is freed on {}",
                                         amounts_text(tree.resources(), near.lacking),
                                         tree.path(node)),
                             {{"kind", "free"},
                              {"server", std::string(tree.name(node))},
                              {"amounts", std::move(amounts)}},
                             question.search.share(near.lacking)},
                            answer);
        return;  // the other servers need more to be freed
    }
}

void others_leave(const Question& question) {
    const sim::Turn& turn = question.turn;
    if (Trial::of(turn) == nullptr) {
        question.search.not_tried(
            "others that end, amounts that are freed: the run looks for allocation candidates");
        return;
    }
    const std::vector<RunningJob> running = running_jobs(turn);
    const auto ask = [&](const Search::Gone& gone) {
        std::vector<RunningJob> jobs;
        for (const std::size_t number : gone) {
            jobs.push_back(running[number]);
        }
        return ask_without(turn, jobs);
    };
    Search::Gone alone;
    std::vector<Search::Gone> together;
    for (const NodeId place : near_places(question)) {
        Search::Gone held = holders_below(turn, running, place);
        std::ranges::copy_if(held, std::back_inserter(alone), [&](std::size_t job) {
            return std::ranges::find(alone, job) == alone.end();  // it may run at several places
        });
        if (question.finding.stage == WhyStage::quota) {
            std::ranges::stable_partition(
                held, [&](std::size_t job) { return running[job].quota == turn.quota; });
        }
        together.push_back(std::move(held));
    }
    question.search.others_end(holdings(running), alone, together, ask);
}

/// The change that the job had its turn before the jobs that took what it needs in the same cycle.
void earlier_turn(const Question& question) {
    const sim::Turn& turn = question.turn;
    const std::vector<RunningJob> before = started_before(turn);
    if (before.empty() || Trial::of(turn) == nullptr) {
        return;
    }
    std::vector<std::string> names;
    std::ranges::transform(before, std::back_inserter(names), [](const RunningJob& job) {
        return job.record->job.name;
    });
    question.search.try_it(
        [&] { return ask_without(turn, before); },
        {fmt::format("it stands before {} in the queue, which started in the same cycle",
                     names_text(names, 1)),
         {{"kind", "first"}}});
}

void more_servers(const Question& question) {
    const sim::Turn& turn = question.turn;
    const core::Topology& tree = turn.ledger.topology();
    if (Trial::with_servers(turn, tree.parent(tree.node_of(core::ServerId{0})), 0, 1) == nullptr) {
        question.search.not_tried(
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
        const core::MachineType& machine = tree.machine_types()[type];
        const std::span<const Amount> amounts(machine.capacity.data(),
                                              static_cast<std::size_t>(machine.capacity.size()));
        const auto ask = [&](const Amounts& count) {
            return Trial::with_servers(
                       turn, parent, type, static_cast<std::uint32_t>(count.front()))
                ->ask();
        };
        const auto change = [&](const Amounts& count) {
            const Amount servers = count.front();
            return Change{fmt::format("{} has {} more server{} of type {}{}",
                                      tree.path(parent),
                                      servers,
                                      servers == 1 ? "" : "s",
                                      machine.name,
                                      suiting(turn.record.job)),
                          {{"kind", "servers"},
                           {"parent", std::string(tree.name(parent))},
                           {"type", machine.name},
                           {"count", servers}},
                          question.search.share(amounts, servers)};
        };
        question.search.turn({{{0, servers_max}}, ask, change});
    }
}

}  // namespace berth::experiments::changes
