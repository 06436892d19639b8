#include "sim/cluster/inside/devices/server_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <string_view>

#include "core/support/assert.hpp"
#include "sim/clock/fingerprint.hpp"
#include "sim/clock/time.hpp"
#include "sim/clock/window.hpp"
#include "sim/job/records.hpp"
#include "sim/meter/meter.hpp"

namespace berth::sim {
namespace {

/// How close together the devices of a pod are, and how fragmented the free ones are.
/// Names and meanings: docs/reference/metrics.md.
class DeviceMetrics final : public Meter {
public:
    explicit DeviceMetrics(const ServerDevices& devices, Window window = {})
        : devices_(devices), window_(window), free_(devices.free_gpus()) {}

    /// Names of what sample() records.
    [[nodiscard]] static std::vector<std::string> sampled();
    /// Values in the order of sampled(), over all pods placed so far.
    void sample(std::vector<double>& out) override;
    void granted(const Job& job, const Grant& grant) override;
    void settle(SimTime now) override;
    void add_to(std::vector<Metric>& out) const override;

private:
    /// Sums over pods of one size.
    struct Sums {
        double pods = 0;
        std::array<double, 4> reached{};     ///< Pods that reached each kind of nearness, in the
                                             ///< order of the kinds.
        std::array<double, 4> attainable{};  ///< Pods that could have, also if they did not.
        double with_nic = 0;
    };
    static void count(Sums& sums, const core::MachineAnswer& grant);
    static void add_shares(std::vector<Metric>& out, const std::string& suffix, const Sums& sums);

    const ServerDevices& devices_;
    Window window_;
    Sums so_far_;                          ///< Pods with several GPUs, or with one and a NIC.
    Sums all_;                             ///< Those of these pods that the window counts.
    std::map<std::size_t, Sums> by_size_;  ///< Sums over the latter pods by number of GPUs.
    SimTime settled_{};
    FreeGpus free_;              ///< The free GPUs since settled_.
    double broken_seconds_ = 0;  ///< Integral over time of the share of free GPUs that are in
                                 ///< broken groups.
    double free_seconds_ = 0;    ///< Time in which any GPU was free.
};

/// Kinds of nearness, as metrics are named after them.
constexpr std::array kinds{"same_pcie", "same_nvlink", "same_numa", "nic_beside"};
constexpr std::size_t nic_beside = 3;

std::array<bool, kinds.size()> flags(const core::Locality& locality) {
    return {locality.pcie, locality.nvlink, locality.numa, locality.nic_beside};
}

std::optional<double> share(double part, double of) {
    return of > 0 ? std::optional(part / of) : std::nullopt;
}

std::vector<std::string> DeviceMetrics::sampled() {
    return {"gpus_free", "gpus_free_broken", "same_numa", "same_numa_attainable"};
}

void DeviceMetrics::sample(std::vector<double>& out) {
    const FreeGpus& free = devices_.free_gpus();
    constexpr std::size_t numa = 2;
    const auto share_of_all = [&](double part) {
        return so_far_.pods > 0 ? part / so_far_.pods : 1;
    };
    out.insert(out.end(),
               {static_cast<double>(free.all),
                static_cast<double>(free.all - free.whole),
                share_of_all(so_far_.reached[numa]),
                share_of_all(so_far_.attainable[numa])});
}

void DeviceMetrics::count(Sums& sums, const core::MachineAnswer& grant) {
    const auto reached = flags(grant.reached);
    const auto attainable = flags(grant.attainable);
    sums.pods += 1;
    sums.with_nic += grant.nics != 0 ? 1 : 0;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        sums.reached[kind] += reached[kind] ? 1 : 0;
        sums.attainable[kind] += reached[kind] || attainable[kind] ? 1 : 0;
    }
}

void DeviceMetrics::granted(const Job& job, const Grant& grant) {
    const core::MachineAnswer& got = *grant.devices;
    const auto gpus = static_cast<std::size_t>(std::popcount(got.gpus));
    if (gpus == 0 || (gpus == 1 && got.nics == 0)) {
        return;  // a GPU is always near itself
    }
    count(so_far_, got);
    if (window_.counts(job.submit)) {
        count(all_, got);
        count(by_size_[gpus], got);
    }
}

void DeviceMetrics::settle(SimTime now) {
    BERTH_ASSERT(now >= settled_, "time never goes back");
    if (free_.all > 0) {
        const double time = seconds(window_.part_of(settled_, now));
        broken_seconds_ +=
            time * static_cast<double>(free_.all - free_.whole) / static_cast<double>(free_.all);
        free_seconds_ += time;
    }
    settled_ = now;
    free_ = devices_.free_gpus();
    BERTH_ASSERT(free_.whole <= free_.all, "a GPU of a whole island is free");
}

void DeviceMetrics::add_shares(std::vector<Metric>& out,
                               const std::string& suffix,
                               const Sums& sums) {
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        const double of = kind == nic_beside ? sums.with_nic : sums.pods;
        out.push_back({fmt::format("{}{}", kinds[kind], suffix), share(sums.reached[kind], of)});
        out.push_back({fmt::format("{}_attainable{}", kinds[kind], suffix),
                       share(sums.attainable[kind], of)});
    }
}

void DeviceMetrics::add_to(std::vector<Metric>& out) const {
    out.push_back({"pods_with_devices_together", all_.pods});
    add_shares(out, "", all_);
    for (const std::size_t gpus : {2U, 4U, 8U}) {
        const auto found = by_size_.find(gpus);
        add_shares(
            out, fmt::format("_{}_gpus", gpus), found == by_size_.end() ? Sums{} : found->second);
    }
    out.push_back({"free_gpus_broken", share(broken_seconds_, free_seconds_)});
}

}  // namespace

using core::MachineAllocator;
using core::MachineState;
using core::ServerId;

namespace {

/// The numbers that a plan has for a server are a single one, the state.
MachineState state_of(const Inside::Taken& taken) {
    BERTH_ASSERT(taken.size() == 1, "what is taken of a server's devices is a state");
    return static_cast<MachineState>(taken.front());
}

}  // namespace

class ServerDevices::Rule final : public core::ServerRule {
public:
    Rule(const ServerDevices& devices, const core::PodDevices& pod, std::uint32_t number)
        : devices_(devices), pod_(pod), number_(number) {}

    [[nodiscard]] const core::MachineAnswer& ask(ServerId server, MachineState state) const {
        return devices_.machine(server).ask(pod_, number_, state);
    }
    [[nodiscard]] std::optional<std::int64_t> score(ServerId server) const override {
        if (devices_.away_.contains(server)) {
            return std::nullopt;  // a pod may ask for devices only, and for no amounts
        }
        const core::MachineAnswer& answer = ask(server, devices_.states_[server.index]);
        return answer.fits ? std::optional(devices_.weight_ * answer.score) : std::nullopt;
    }
    [[nodiscard]] core::Members most(ServerId server, core::Members fit) const override {
        if (devices_.away_.contains(server)) {
            return 0;
        }
        MachineState state = devices_.states_[server.index];
        core::Members count = 0;
        for (; count < fit; ++count) {
            const core::MachineAnswer& answer = ask(server, state);
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
        // They are taken as one pod, or as several if not all of them are healthy, or not that many
        // are given out together.
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
    const core::MachineAnswer& answer = rule_of(pod).ask(server, states_[server.index]);
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
