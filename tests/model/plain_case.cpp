#include "tests/model/plain_case.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <string_view>

#include "core/gpu_sharing/typical_pods.hpp"
#include "core/index/scorer.hpp"
#include "core/support/assert.hpp"
#include "sim/cluster/inside/gpus/requested_gpus.hpp"
#include "tests/model/plain_gpus.hpp"

namespace berth::tests {
namespace {

class CaseOptions final : public sim::QueueOptions {
public:
    explicit CaseOptions(const PlainCase& of) : case_(of) {}
    sim::SimTime duration(const std::string& /*key*/, sim::SimTime /*otherwise*/) override {
        return case_.half_life;
    }
    std::size_t count(const std::string& /*key*/, std::size_t otherwise) override {
        return case_.depth > 0 ? case_.depth : otherwise;
    }
    sim::QueuePolicy order(const std::string& /*key*/, std::string_view /*otherwise*/) override {
        return make(case_.order);
    }
    sim::QueuePolicy make(std::string_view name) {
        const auto policies = sim::queue_policies();
        const auto entry = std::ranges::find(policies, name, &sim::QueuePolicyEntry::name);
        BERTH_ASSERT(entry != policies.end(), "a case names a queue policy that there is");
        return entry->make(*this);
    }

private:
    const PlainCase& case_;
};

}  // namespace

std::shared_ptr<const core::Topology> PlainTree::topology() const {
    core::ResourceSchema schema;
    for (std::size_t r = 0; r < types.front().size(); ++r) {
        schema.add(resource_names[r]);
    }
    core::TopologyBuilder builder(schema);
    for (std::size_t type = 0; type < types.size(); ++type) {
        core::Amounts amounts(static_cast<Eigen::Index>(types[type].size()));
        std::ranges::copy(types[type], amounts.begin());
        std::vector<core::DeviceGroup> devices;
        for (const std::vector<core::DeviceGroup>* of : {&gpus, &nics}) {
            if (type < of->size() && (*of)[type].count > 0) {
                devices.push_back((*of)[type]);
            }
        }
        core::MachineType machine{"m" + std::to_string(type), amounts, devices};
        if (type < numa_nodes.size()) {
            machine.numa_nodes = numa_nodes[type];
            machine.traits = traits[type];
        }
        builder.add_machine_type(std::move(machine));
    }
    builder.begin_level("root");
    builder.add_node(0, "root");
    for (std::size_t level = 0; level < parents.size(); ++level) {
        const bool last = level + 1 == parents.size();
        const std::string name = last ? "server" : "level-" + std::to_string(level + 1);
        builder.begin_level(name);
        for (std::uint32_t node = 0; node < parents[level].size(); ++node) {
            const std::string own = name + "-" + std::to_string(node);
            if (last) {
                builder.add_server(parents[level][node], own, type_of[node]);
            } else {
                builder.add_node(parents[level][node], own);
            }
        }
    }
    return std::make_shared<const core::Topology>(
        core::TopologyBuilder::with_shared_providers(builder.build(), shared));
}

sim::Settings PlainCase::all_settings() const {
    sim::Settings all = settings;
    all.profile.queue = CaseOptions(*this).make(queue);
    all.profile.score.clear();
    for (const auto& [name, weight] : score) {
        const auto entry = std::ranges::find(core::scorers(), name, &core::ScorerEntry::name);
        BERTH_ASSERT(entry != core::scorers().end(), "a case names a scorer that there is");
        all.profile.score.push_back({entry->make(), weight});
    }
    all.lost_work = static_cast<double>(lost_quarters) / 4;
    if (all.profile.inside.devices && all.profile.inside.devices->weight > 0) {
        all.profile.score.clear();
    }
    if (all.profile.inside.gpus) {
        core::TypicalPodCounter pods;
        for (const sim::Job& job : jobs) {
            pods.add(job.demand[0], sim::requested_gpus(job, gpu_resource), job.size);
        }
        all.profile.inside.gpus->typical =
            std::make_shared<core::TypicalPods>(pods.typical(typical_percent));
        if (!all.profile.inside.gpus->policy.empty()) {
            all.profile.score.clear();
        }
    }
    return all;
}

}  // namespace berth::tests
