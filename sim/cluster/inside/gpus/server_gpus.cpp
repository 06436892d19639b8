#include "sim/cluster/inside/gpus/server_gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "core/gpu_sharing/tree_score_index.hpp"
#include "core/support/assert.hpp"
#include "sim/clock/fingerprint.hpp"
#include "sim/clock/random.hpp"
#include "sim/cluster/inside/gpus/fragmentation_metrics.hpp"
#include "sim/cluster/inside/gpus/requested_gpus.hpp"

namespace berth::sim {

using core::GpuGrant;
using core::GpuMilli;
using core::Members;
using core::ServerId;

namespace {

constexpr auto whole_device = static_cast<GpuMilli>(core::gpu_whole_milli);

core::Ledger& sharing_gpus(core::Ledger& ledger) {
    ledger.share_gpus();
    return ledger;
}

}  // namespace

class ServerGpus::Rule final : public core::ServerRule {
public:
    Rule(const core::GpuShares& gpus, const core::GpuRequest& request, const core::GpuPod& pod)
        : gpus_(gpus), accepted_(gpus.models().accepted(request)), pod_(pod) {}

    [[nodiscard]] std::optional<std::int64_t> score(ServerId server) const override {
        const bool fits = accepted_[gpus_.model(server)] != 0 &&
                          gpus_.sets().fits(gpus_.set(server), pod_.milli, pod_.count);
        return fits ? std::optional<std::int64_t>(0) : std::nullopt;
    }
    [[nodiscard]] Members most(ServerId server, Members fit) const override {
        if (accepted_[gpus_.model(server)] == 0) {
            return 0;
        }
        BERTH_AUDIT(pod_.milli > 0 && pod_.count > 0, "a pod with a rule asks for GPUs");
        Members places = 0;
        for (const GpuMilli free : gpus_.free(server)) {
            places += free / pod_.milli;
        }
        return std::min<Members>(fit, places / pod_.count);
    }

private:
    const core::GpuShares& gpus_;
    std::vector<char> accepted_;
    core::GpuPod pod_;
};

ServerGpus::ServerGpus(core::Ledger& ledger, const GpuPlugin& plugin)
    : ServerGpus(plugin, sharing_gpus(ledger)) {}

ServerGpus::ServerGpus(const GpuPlugin& plugin, core::Ledger& ledger)
    : ledger_(ledger),
      plugin_(plugin),
      cpu_(ledger.topology().resources().find("cpu").value_or(ledger.resource_count())),
      gpu_(ledger.topology()
               .resources()
               .find(core::device_resource::nvidia_gpu)
               .value_or(ledger.resource_count())),
      typical_(plugin.typical != nullptr ? *plugin.typical : core::TypicalPods()),
      fragmentation_(typical_, ledger.gpus().sets(), ledger.gpus().models()) {
    const auto tree =
        std::ranges::find(core::tree_policies(), plugin.policy, &core::TreePolicyEntry::name);
    if (tree != core::tree_policies().end()) {
        tree_policy_ = tree->make({ledger.gpus().sets(), fragmentation_, plugin.gangs});
        domains_.emplace(ledger);
    } else if (!plugin.policy.empty()) {
        const auto entry =
            std::ranges::find(core::gpu_policies(), plugin.policy, &core::GpuPolicyEntry::name);
        BERTH_ASSERT(entry != core::gpu_policies().end(), "the profile was checked");
        const std::uint64_t seed = random_bits(plugin.seed, "gpu-sharing/policy")();
        policy_ = entry->make({ledger.gpus().sets(), fragmentation_, seed});
        if (plugin.ties_at_random) {
            order_ = core::ServerOrder::drawn(ledger.topology().server_count(),
                                              random_bits(plugin.seed, "gpu-sharing/ties")());
        }
    }
}

ServerGpus::~ServerGpus() = default;

ServerGpus::Shape& ServerGpus::shape(const Job& job) {
    if (last_ != nullptr && job.gpus != nullptr && job.gpus == last_request_) {
        return *last_;
    }
    const core::GpuRequest request = requested_gpus(job, gpu_);
    const auto [at, fresh] = shapes_.try_emplace(request);
    Shape& shape = at->second;
    if (fresh) {
        const auto milli = static_cast<GpuMilli>(request.milli);
        const auto count = static_cast<std::uint32_t>(request.count);
        const auto number = static_cast<std::uint32_t>(numbers_.size());
        shape.request = request;
        shape.pod = {0, milli, count, numbers_.try_emplace({milli, count}, number).first->second};
        shape.rule = std::make_unique<Rule>(ledger_.gpus(), request, shape.pod);
    }
    last_request_ = job.gpus;
    last_ = &shape;
    return shape;
}

std::unique_ptr<core::PodIndex> ServerGpus::index(const Job& job, const core::ServerRule* also) {
    if (policy_ == nullptr && tree_policy_ == nullptr) {
        return nullptr;
    }
    const Shape& shape = this->shape(job);
    core::GpuPod pod = shape.pod;
    pod.cpu = cpu_ < job.demand.size() ? job.demand[cpu_] : 0;
    if (tree_policy_ == nullptr) {
        return std::make_unique<core::GpuScoreIndex>(ledger_,
                                                     job.demand.in_a_vector(),
                                                     shape.request,
                                                     pod,
                                                     *policy_,
                                                     order_ ? &*order_ : nullptr,
                                                     also);
    }
    return std::make_unique<core::TreeScoreIndex>(
        ledger_, *domains_, job.demand.in_a_vector(), shape.request, pod, *tree_policy_, also);
}

const core::ServerRule* ServerGpus::rule(const Job& job) {
    const Shape& shape = this->shape(job);
    return shape.request.count > 0 ? shape.rule.get() : nullptr;
}

core::GpuServer ServerGpus::view(ServerId server) const {
    const auto available = ledger_.available(ledger_.topology().node_of(server));
    const core::GpuShares& gpus = ledger_.gpus();
    return {cpu_ < available.size() ? available[cpu_] : 0,
            gpus.set(server),
            gpus.free(server),
            gpus.model(server),
            gpus.kinds(server)};
}

Grant ServerGpus::take(const Job& job, ServerId server, Members before) {
    core::GpuPod pod = shape(job).pod;
    pod.cpu = cpu_ < job.demand.size() ? job.demand[cpu_] : 0;
    core::GpuServer view = this->view(server);
    view.cpu_free -= before * pod.cpu;
    BERTH_ASSERT(pod.count > 0 && pod.milli > 0, "a pod that takes GPUs asks for some");
    const GpuGrant grant{choose(view, pod, server), pod.milli};
    BERTH_ASSERT(std::cmp_equal(std::popcount(grant.devices), pod.count),
                 "a pod gets as many devices as it asks for");
    ledger_.claim_gpus(server, grant);
    if (domains_) {
        domains_->take_in(server);
    }
    return {nullptr, nullptr, grant};
}

core::DeviceMask ServerGpus::choose(const core::GpuServer& view,
                                    const core::GpuPod& pod,
                                    ServerId server) {
    if (pod.is_share()) {
        return core::bit(policy_ != nullptr        ? policy_->device(view, pod)
                         : tree_policy_ != nullptr ? choose_by_tree(view, pod, server)
                                                   : core::tightest_device(view, pod));
    }
    const core::Topology& tree = ledger_.topology();
    if (tree_policy_ != nullptr) {
        const std::uint32_t type = tree.machine_type_index(server);
        return core::choose_by_island(
            view.by_device, ledger_.gpus().models().islands(type), pod.count);
    }
    core::DeviceMask devices = 0;
    for (std::size_t device = 0, left = pod.count; left > 0; ++device) {
        BERTH_ASSERT(device < view.by_device.size(), "a pod goes where its devices are");
        if (view.by_device[device] == whole_device) {
            devices |= core::bit(device);
            --left;
        }
    }
    return devices;
}

/// The device for a share of a GPU: one in use, or a free one if that costs less in total.
std::size_t ServerGpus::choose_by_tree(const core::GpuServer& view,
                                       const core::GpuPod& pod,
                                       ServerId server) {
    domains_->catch_up();
    const core::Topology& tree = ledger_.topology();
    core::NodeId node = tree.node_of(server);
    core::TakeCosts costs = tree_policy_->server_costs(view, domains_->domain(node), pod);
    for (node = tree.parent(node); node != tree.root(); node = tree.parent(node)) {
        const core::GpuDomain domain = domains_->domain(node);
        for (std::size_t take = 0; take < core::take_count; ++take) {
            if (costs[take] != core::no_way) {
                costs[take] +=
                    tree_policy_->domain_cost(domain, static_cast<std::int64_t>(take), pod);
            }
        }
    }
    if (costs[0] <= costs[1]) {
        return tree_policy_->used_device(view, pod);
    }
    const std::uint32_t type = tree.machine_type_index(server);
    return static_cast<std::size_t>(std::countr_zero(
        core::choose_by_island(view.by_device, ledger_.gpus().models().islands(type), 1)));
}

void ServerGpus::give_back(ServerId server, const Grant& grant) {
    ledger_.release_gpus(server, grant.gpus);
}

bool ServerGpus::serves_without(const Job& job, ServerId server, std::span<const Grant> grants) {
    // The answer of a rule depends only on the ledger, so these grants are released while it is
    // asked.
    for (const Grant& grant : grants) {
        ledger_.release_gpus(server, grant.gpus);
    }
    const bool serves = rule(job)->score(server).has_value();
    for (const Grant& grant : grants) {
        ledger_.claim_gpus(server, grant.gpus);
    }
    return serves;
}

Lack ServerGpus::lack(const Job& job) const {
    return job.gpus != nullptr ? Lack::gpu : Lack::devices;
}

std::string ServerGpus::why_not(const Job& /*job*/, ServerId server) {
    return fmt::format("free thousandths by GPU: {}", fmt::join(ledger_.gpus().free(server), ", "));
}

std::string_view ServerGpus::refusal() const {
    return "had no room on GPUs of an accepted model";
}

std::uint32_t ServerGpus::places() const {
    return ledger_.topology().server_count();
}

Inside::Taken ServerGpus::taken(std::uint32_t place) const {
    return ledger_.gpus().taken(ServerId{place});
}

void ServerGpus::put_in(std::uint32_t /*place*/, const Grant& grant, Taken& taken) const {
    ledger_.gpus().put_in(taken, grant.gpus);
}

void ServerGpus::take_out(std::uint32_t /*place*/, const Grant& grant, Taken& taken) const {
    ledger_.gpus().take_out(taken, grant.gpus);
}

std::unique_ptr<Inside> ServerGpus::plan_over(core::Ledger& copy) const {
    return std::make_unique<ServerGpus>(plugin_, copy);
}

void ServerGpus::show(std::uint32_t place, const Taken& taken) {
    ledger_.show_gpus(ServerId{place}, taken);
}

bool ServerGpus::is_free(std::uint32_t /*place*/, const Grant& grant, const Taken& taken) const {
    return core::GpuShares::is_free(taken, grant.gpus);
}

Grant ServerGpus::take_planned(ServerId server, const Grant& grant) {
    ledger_.claim_gpus(server, grant.gpus);
    return grant;
}

std::unique_ptr<Inside> ServerGpus::copy_over(core::Ledger& copy) const {
    return std::make_unique<ServerGpus>(plugin_, copy);
}

void ServerGpus::fold(const Grant& grant, Fingerprint& into) const {
    into.add(grant.gpus.devices);
    into.add(static_cast<std::uint64_t>(grant.gpus.milli));
}

std::unique_ptr<Meter> ServerGpus::meter(Window window) {
    return std::make_unique<FragmentationMetrics>(ledger_, fragmentation_, window);
}

std::unique_ptr<Inside> make_gpus(core::Ledger& ledger, const InsidePlugins& plugins) {
    return plugins.gpus ? std::make_unique<ServerGpus>(ledger, *plugins.gpus) : nullptr;
}

void sampled_gpus(const core::Topology& /*tree*/,
                  const InsidePlugins& plugins,
                  std::vector<std::string>& names) {
    if (plugins.gpus) {
        std::ranges::copy(FragmentationMetrics::sampled(plugins.gpus->typical != nullptr),
                          std::back_inserter(names));
    }
}

}  // namespace berth::sim
