#include "sim/cluster/inside/devices/server_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "core/support/assert.hpp"
#include "sim/clock/fingerprint.hpp"
#include "sim/cluster/inside/devices/device_metrics.hpp"

namespace berth::sim {

using core::MachineAllocator;
using core::MachineAnswer;
using core::MachineState;
using core::ServerId;

namespace {

/// A plan's numbers of a server are one, the state.
MachineState state_of(const Inside::Taken& taken) {
    BERTH_ASSERT(taken.size() == 1, "what is taken of a server's devices is a state");
    return static_cast<MachineState>(taken.front());
}

}  // namespace

class ServerDevices::Rule final : public core::ServerRule {
public:
    Rule(const ServerDevices& devices, const core::PodDevices& pod, std::uint32_t number)
        : devices_(devices), pod_(pod), number_(number) {}

    [[nodiscard]] const MachineAnswer& ask(ServerId server, MachineState state) const {
        return devices_.machine(server).ask(pod_, number_, state);
    }
    [[nodiscard]] std::optional<std::int64_t> score(ServerId server) const override {
        if (devices_.away_.contains(server)) {
            return std::nullopt;  // a pod may ask for devices alone, and for no amounts
        }
        const MachineAnswer& answer = ask(server, devices_.states_[server.index]);
        return answer.fits ? std::optional(devices_.weight_ * answer.score) : std::nullopt;
    }
    [[nodiscard]] core::Members most(ServerId server, core::Members fit) const override {
        if (devices_.away_.contains(server)) {
            return 0;
        }
        MachineState state = devices_.states_[server.index];
        core::Members count = 0;
        for (; count < fit; ++count) {
            const MachineAnswer& answer = ask(server, state);
            if (!answer.fits) {
                break;
            }
            state = answer.after;
        }
        return count;
    }

private:
    const ServerDevices& devices_;
    core::PodDevices pod_;
    std::uint32_t number_;
};

ServerDevices::ServerDevices(const core::Ledger& ledger, const DevicePlugin& plugin)
    : topology_(ledger.topology()),
      weight_(plugin.weight),
      states_(topology_.server_count(), MachineAllocator::idle()) {
    const auto entry = std::ranges::find(
        core::machine_allocators(), plugin.allocator, &core::MachineAllocatorEntry::name);
    BERTH_ASSERT(entry != core::machine_allocators().end(), "the profile was checked");
    for (const core::MachineType& type : topology_.machine_types()) {
        machines_->by_type.push_back(entry->make(type, plugin.rules));
    }
    for (std::uint32_t server = 0; server < topology_.server_count(); ++server) {
        count_free(ServerId{server}, 1);
    }
    occupy(ledger);
}

ServerDevices::ServerDevices(const ServerDevices& other)
    : Inside(other),
      topology_(other.topology_),
      weight_(other.weight_),
      machines_(other.machines_),
      states_(other.states_),
      away_(other.away_),
      free_(other.free_) {}

ServerDevices::~ServerDevices() = default;

void ServerDevices::occupy(const core::Ledger& ledger) {
    const auto gpus = topology_.resources().find(core::device_resource::nvidia_gpu);
    if (!gpus) {
        return;
    }
    const core::Amount per_gpu = topology_.resources().per_unit(*gpus);
    for (std::uint32_t index = 0; index < topology_.server_count(); ++index) {
        const ServerId server{index};
        const core::Amount used = ledger.allocated(topology_.node_of(server), *gpus);
        const auto here = static_cast<core::Amount>(machine(server).layout().gpu_count());
        core::Amount left = std::min((used + per_gpu - 1) / per_gpu, here);
        // As one pod; as several where not all are healthy, or not so many are given out together.
        for (core::Amount count = left; count > 0; count = std::min(count, left)) {
            core::PodDevices outside;
            outside.text = "outside " + std::to_string(count);
            outside.pod.requests.emplace(core::device_resource::nvidia_gpu, count);
            if (rule(outside).score(server)) {
                (void)take(outside, server);
                left -= count;
            } else {
                --count;
            }
        }
    }
}

const core::ServerRule& ServerDevices::rule(const core::PodDevices& pod) {
    return rule_of(pod);
}

const ServerDevices::Rule& ServerDevices::rule_of(const core::PodDevices& pod) {
    std::unique_ptr<Rule>& rule = rules_[pod.text];
    if (rule == nullptr) {
        auto& numbers = machines_->pod_numbers;
        const auto number = static_cast<std::uint32_t>(numbers.size() + 1);
        rule =
            std::make_unique<Rule>(*this, pod, numbers.try_emplace(pod.text, number).first->second);
    }
    return *rule;
}

DeviceGrant ServerDevices::take(const core::PodDevices& pod, ServerId server) {
    const MachineAnswer& answer = rule_of(pod).ask(server, states_[server.index]);
    BERTH_ASSERT(answer.fits, "a pod goes where its devices are");
    set_state(server, answer.after);
    return &answer;
}

void ServerDevices::give_back(ServerId server, DeviceGrant grant) {
    BERTH_ASSERT(grant != nullptr, "who gives devices back was given some");
    set_state(server, machine(server).without(states_[server.index], *grant));
}

bool ServerDevices::serves_without(const core::PodDevices& pod,
                                   ServerId server,
                                   std::span<const DeviceGrant> grants) {
    MachineState state = states_[server.index];
    for (const DeviceGrant grant : grants) {
        state = machine(server).without(state, *grant);
    }
    return rule_of(pod).ask(server, state).fits;
}

std::string ServerDevices::why_not(const core::PodDevices& pod, ServerId server) {
    const MachineState state = states_[server.index];
    const std::string reason = machine(server).why_not(pod, state);
    const MachineAllocator::Free& free = machine(server).free(state);
    return fmt::format("{}{}{} of {} GPUs are free, {} of them on entirely free islands",
                       reason,
                       reason.empty() ? "" : "; ",
                       free.gpus,
                       machine(server).layout().gpu_count(),
                       free.whole);
}

const core::ServerRule* ServerDevices::rule(const Job& job) {
    return job.devices != nullptr ? &rule_of(*job.devices) : nullptr;
}

Grant ServerDevices::take(const Job& job, ServerId server, core::Members /*before*/) {
    return {take(*job.devices, server), nullptr, {}};
}

void ServerDevices::give_back(ServerId server, const Grant& grant) {
    give_back(server, grant.devices);
}

bool ServerDevices::serves_without(const Job& job, ServerId server, std::span<const Grant> grants) {
    std::vector<DeviceGrant> devices;
    std::ranges::transform(grants, std::back_inserter(devices), &Grant::devices);
    return serves_without(*job.devices, server, devices);
}

Lack ServerDevices::lack(const Job& job) const {
    return job.devices != nullptr && job.devices->rdma() > 0 ? Lack::nic : Lack::devices;
}

std::string ServerDevices::why_not(const Job& job, ServerId server) {
    return why_not(*job.devices, server);
}

std::string_view ServerDevices::refusal() const {
    return "didn't have the devices free together";
}

void ServerDevices::put_in(std::uint32_t place, const Grant& grant, Taken& taken) const {
    taken = {machine(ServerId{place}).with(state_of(taken), *grant.devices)};
}

void ServerDevices::take_out(std::uint32_t place, const Grant& grant, Taken& taken) const {
    taken = {machine(ServerId{place}).without(state_of(taken), *grant.devices)};
}

void ServerDevices::put_in_either(std::uint32_t place, const Taken& other, Taken& taken) const {
    taken = {machine(ServerId{place}).either(state_of(taken), state_of(other))};
}

std::unique_ptr<Inside> ServerDevices::plan_over(core::Ledger& /*copy*/) const {
    return std::make_unique<ServerDevices>(*this);
}

void ServerDevices::show(std::uint32_t place, const Taken& taken) {
    if (!away_.contains(ServerId{place})) {
        set_state(ServerId{place}, state_of(taken));
    }
}

bool ServerDevices::is_free(std::uint32_t place, const Grant& grant, const Taken& taken) const {
    return machine(ServerId{place}).is_free(state_of(taken), *grant.devices);
}

Grant ServerDevices::take_planned(ServerId server, const Grant& grant) {
    BERTH_ASSERT(machine(server).is_free(states_[server.index], *grant.devices),
                 "a pod gets devices that nobody has");
    set_state(server, machine(server).with(states_[server.index], *grant.devices));
    return grant;
}

std::unique_ptr<Inside> ServerDevices::copy_over(core::Ledger& /*copy*/) const {
    return std::make_unique<ServerDevices>(*this);
}

void ServerDevices::fold(const Grant& grant, Fingerprint& into) const {
    into.add(grant.devices->gpus);
    into.add(grant.devices->nics);
}

std::unique_ptr<Meter> ServerDevices::meter(Window window) {
    return std::make_unique<DeviceMetrics>(*this, window);
}

void ServerDevices::leave(ServerId server) {
    count_free(server, -1);
    BERTH_ASSERT(away_.insert(server).second, "a server that is there leaves");
}

void ServerDevices::join(ServerId server) {
    BERTH_ASSERT(away_.erase(server) == 1, "a server that left joins again");
    count_free(server, 1);
}

void ServerDevices::set_state(ServerId server, MachineState state) {
    BERTH_ASSERT(!away_.contains(server), "devices change hands on a server that is there");
    count_free(server, -1);
    states_[server.index] = state;
    count_free(server, 1);
}

void ServerDevices::count_free(ServerId server, std::int64_t sign) {
    const MachineAllocator::Free& here = machine(server).free(states_[server.index]);
    free_.all += static_cast<std::uint64_t>(sign * static_cast<std::int64_t>(here.gpus));
    free_.whole += static_cast<std::uint64_t>(sign * static_cast<std::int64_t>(here.whole));
    BERTH_ASSERT(free_.whole <= free_.all, "a GPU of a whole island is free");
}

std::uint64_t ServerDevices::decisions() const {
    std::uint64_t sum = 0;
    for (const auto& machine : machines_->by_type) {
        sum += machine->decisions();
    }
    return sum;
}

std::unique_ptr<Inside> make_devices(core::Ledger& ledger, const InsidePlugins& plugins) {
    return plugins.devices ? std::make_unique<ServerDevices>(ledger, *plugins.devices) : nullptr;
}

void sampled_devices(const core::Topology& /*tree*/,
                     const InsidePlugins& plugins,
                     std::vector<std::string>& names) {
    if (plugins.devices) {
        std::ranges::copy(DeviceMetrics::sampled(), std::back_inserter(names));
    }
}

}  // namespace berth::sim
