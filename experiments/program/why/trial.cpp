#include "experiments/program/why/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "sim/job/node_selector.hpp"
#include "sim/run/simulation.hpp"

namespace berth::experiments {
namespace {

using core::Amount;
using core::Members;
using core::NodeId;
using core::ServerId;
using core::Topology;

/// The tree with additional servers, which are the last children of their parent.
std::shared_ptr<const Topology> extended(const Topology& tree,
                                         NodeId parent,
                                         std::uint32_t machine_type,
                                         std::uint32_t count) {
    core::TopologyBuilder builder(tree.resources());
    for (const core::MachineType& type : tree.machine_types()) {
        builder.add_machine_type(type);
    }
    for (std::uint32_t level = 0; level < tree.level_count(); ++level) {
        const auto nodes = tree.level_nodes(core::Level{level});
        builder.begin_level(tree.level_name(core::Level{level}));
        const std::uint32_t first_above =
            level == 0 ? 0 : (*tree.level_nodes(core::Level{level - 1}).begin()).index;
        for (const NodeId node : nodes) {
            const std::uint32_t above = level == 0 ? 0 : tree.parent(node).index - first_above;
            if (!tree.is_server(node)) {
                builder.add_node(above, tree.name(node));
                continue;
            }
            builder.add_server(
                above, tree.name(node), tree.machine_type_index(tree.server_of(node)));
            const bool last = node.index + 1 == tree.child_end(tree.parent(node));
            for (std::uint32_t i = 0; last && tree.parent(node) == parent && i < count; ++i) {
                builder.add_server(above, fmt::format("one-more-{}", i), machine_type);
            }
        }
    }
    return std::make_shared<const Topology>(builder.build());
}

/// The index of a server in the extended tree.
ServerId server_after(const Topology& tree, ServerId server, NodeId parent, std::uint32_t count) {
    const bool behind = tree.node_of(server).index >= tree.child_end(parent);
    return ServerId{server.index + (behind ? count : 0)};
}

std::vector<Amount> allocated(const core::Ledger& ledger, NodeId node) {
    std::vector<Amount> amounts;
    for (std::size_t r = 0; r < ledger.resource_count(); ++r) {
        amounts.push_back(ledger.allocated(node, r));
    }
    return amounts;
}

/// Claims, device by device, the used parts of a server's GPUs.
void take_gpus(const core::Ledger& from, ServerId server, core::Ledger& to, ServerId there) {
    const auto free = from.gpus().free(server);
    for (std::size_t device = 0; device < free.size(); ++device) {
        const auto taken = static_cast<core::GpuMilli>(core::gpu_whole_milli - free[device]);
        if (taken > 0) {
            to.claim_gpus(there, {core::bit(device), taken});
        }
    }
}

/// What is decided about a job as it is, or as it would be.
sim::Answer decide(sim::Placer& placer,
                   sim::QuotaManager* quotas,
                   core::QuotaId quota,
                   const sim::Job& job) {
    const Members members = admitted(quotas, quota, job);
    const bool starts = members > 0 && placer.look(job, members).found;
    return {starts ? sim::Answer::Outcome::admitted : sim::Answer::Outcome::refused};
}

}  // namespace

Trial::Trial(const sim::Turn& turn, core::Ledger ledger) : turn_(turn), ledger_(std::move(ledger)) {
    if (turn.quotas != nullptr) {
        quotas_.emplace(*turn.quotas);
    }
}

void Trial::decide_over(std::unique_ptr<sim::Cluster> cluster) {
    cluster_ = std::move(cluster);
    placer_.emplace(turn_.settings.profile, *cluster_, false);
}

std::unique_ptr<Trial> Trial::of(const sim::Turn& turn) {
    std::unique_ptr<Trial> trial(new Trial(turn, turn.ledger));
    auto cluster = turn.cluster.copy_over(trial->ledger_);
    if (cluster == nullptr) {
        return nullptr;
    }
    trial->decide_over(std::move(cluster));
    return trial;
}

std::unique_ptr<Trial> Trial::with_servers(const sim::Turn& turn,
                                           NodeId parent,
                                           std::uint32_t machine_type,
                                           std::uint32_t count) {
    const Topology& tree = turn.ledger.topology();
    const bool shares = turn.settings.profile.inside.gpus.has_value();
    if (!turn.cluster.inside().is_in_ledger() || turn.record.job.per_server_max > 0) {
        return nullptr;
    }
    std::unique_ptr<Trial> trial(
        new Trial(turn, core::Ledger(extended(tree, parent, machine_type, count))));
    core::Ledger& ledger = trial->ledger_;
    trial->decide_over(std::make_unique<sim::Cluster>(ledger, turn.settings.profile.inside));
    if (const auto& nodes = turn.record.job.nodes) {
        const ServerId last = tree.server_of(NodeId{tree.child_end(parent) - 1});
        trial->job_ = turn.record.job;
        trial->job_->nodes =
            std::make_shared<const sim::NodeSelector>(nodes->with_more(last.index + 1, count));
    }
    std::vector<Amount> capacity(ledger.resource_count());  // the amounts of drained servers
    for (std::uint32_t index = 0; index < tree.server_count(); ++index) {
        const ServerId server{index};
        const ServerId there = server_after(tree, server, parent, count);
        const bool up = turn.ledger.is_up(server);
        if (!up || turn.cluster.would_be_drained(turn.record.job, server)) {
            for (std::size_t r = 0; up && r < capacity.size(); ++r) {
                capacity[r] += ledger.capacity(ledger.topology().node_of(there))[r];
            }
            ledger.take_down(there);
        }
        ledger.occupy(there, allocated(turn.ledger, tree.node_of(server)));
        if (shares) {
            take_gpus(turn.ledger, server, ledger, there);
        }
    }
    if (trial->quotas_) {
        core::ResourceList total(ledger.resource_count());
        for (std::size_t r = 0; r < ledger.resource_count(); ++r) {
            total.set(r, capacity[r] + ledger.capacity(ledger.topology().root())[r]);
        }
        trial->quotas_->trees().set_cluster_total(total);
    }
    return trial;
}

void Trial::free(ServerId server, std::span<const Amount> amounts) {
    ledger_.release(server, amounts, 1);
}

void Trial::leave(const sim::JobRecord& running, core::QuotaId quota) {
    for (const sim::Stint& stint : running.stints) {
        if (!stint.finish) {
            cluster_->release(running.job, stint.server, stint.members, stint.grants);
        }
    }
    if (quotas_) {
        quotas_->used(quota, running.job, -running.placed);
        quotas_->requested(quota, running.job, -running.placed);
    }
}

sim::Answer Trial::ask() {
    return decide(
        *placer_, quotas_ ? &*quotas_ : nullptr, turn_.quota, job_ ? *job_ : turn_.record.job);
}

sim::Answer ask_as(const sim::Turn& turn, const sim::Job& changed) {
    std::optional<sim::QuotaManager> quotas;
    if (turn.quotas != nullptr) {
        quotas.emplace(*turn.quotas);
        quotas->requested(turn.quota, turn.record.job, -turn.record.job.size);
        quotas->requested(turn.quota, changed, changed.size);
    }
    return decide(turn.placer, quotas ? &*quotas : nullptr, turn.quota, changed);
}

sim::Answer ask_with(const sim::Turn& turn, sim::QuotaManager& quotas) {
    return decide(turn.placer, &quotas, turn.quota, turn.record.job);
}

std::vector<RunningJob> running_jobs(const sim::Turn& turn) {
    std::vector<RunningJob> jobs;
    turn.each_running([&](const sim::JobRecord& record, core::QuotaId quota) {
        jobs.push_back({&record, quota});
    });
    return jobs;
}

std::vector<RunningJob> started_before(const sim::Turn& turn) {
    std::vector<RunningJob> jobs = running_jobs(turn);
    std::erase_if(jobs, [&](const RunningJob& job) {
        return *job.record->start != turn.at || job.record->ran_from_the_start();
    });
    return jobs;
}

}  // namespace berth::experiments
