#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/index/server_rule.hpp"
#include "core/ledger/ledger.hpp"
#include "core/machine_allocators/machine_allocator.hpp"
#include "sim/cluster/inside/inside.hpp"
#include "sim/cluster/inside/plugins.hpp"

namespace berth::sim {

/// The free GPUs of the cluster, and how many of them are in groups that are entirely free.
struct FreeGpus {
    std::uint64_t all = 0;
    std::uint64_t whole = 0;  ///< Free GPUs on NVLink islands (or NUMA nodes) that are entirely
                              ///< free.
};

/// The devices inside the servers of a run, and which pod has which. It goes with a ledger, which
/// only counts them; this class knows them one by one.
///
/// Cost: four bytes per server, and one answer for each machine type, state and pod shape that
///       occurs.
class ServerDevices final : public Inside {
public:
    /// GPUs that the ledger says are already in use are assumed to be the first that the allocator
    /// would give.
    ServerDevices(const core::Ledger& ledger, const DevicePlugin& plugin);
    /// A copy in which the same pods have the same devices; afterwards the two change
    /// independently. Grants of one are valid in the other.
    ServerDevices(const ServerDevices& other);
    ~ServerDevices() override;
    ServerDevices& operator=(const ServerDevices&) = delete;

    /// The rule for pods of one shape. Its address is stable.
    [[nodiscard]] const core::ServerRule& rule(const core::PodDevices& pod);

    /// Gives a pod the devices that its rule promises; the answer's address is stable.
    [[nodiscard]] DeviceGrant take(const core::PodDevices& pod, core::ServerId server);
    void give_back(core::ServerId server, DeviceGrant grant);
    /// Whether the server could serve the pod if the pods with `grants` were gone.
    [[nodiscard]] bool serves_without(const core::PodDevices& pod,
                                      core::ServerId server,
                                      std::span<const DeviceGrant> grants);

    /// Why the server has no devices for the pod.
    [[nodiscard]] std::string why_not(const core::PodDevices& pod, core::ServerId server);

    [[nodiscard]] const core::ServerRule* rule(const Job& job) override;
    [[nodiscard]] Grant take(const Job& job, core::ServerId server, core::Members before) override;
    void give_back(core::ServerId server, const Grant& grant) override;
    [[nodiscard]] bool serves_without(const Job& job,
                                      core::ServerId server,
                                      std::span<const Grant> grants) override;
    [[nodiscard]] bool is_in_ledger() const override { return false; }
    [[nodiscard]] Lack lack(const Job& job) const override;
    [[nodiscard]] std::string why_not(const Job& job, core::ServerId server) override;
    [[nodiscard]] std::string_view refusal() const override;
    [[nodiscard]] std::uint32_t places() const override { return topology_.server_count(); }
    [[nodiscard]] Taken taken(std::uint32_t place) const override { return {states_[place]}; }
    [[nodiscard]] bool is_free(std::uint32_t place,
                               const Grant& grant,
                               const Taken& taken) const override;
    void put_in(std::uint32_t place, const Grant& grant, Taken& taken) const override;
    void take_out(std::uint32_t place, const Grant& grant, Taken& taken) const override;
    void put_in_either(std::uint32_t place, const Taken& other, Taken& taken) const override;
    [[nodiscard]] std::unique_ptr<Inside> plan_over(core::Ledger& copy) const override;
    void show(std::uint32_t place, const Taken& taken) override;
    [[nodiscard]] Grant take_planned(core::ServerId server, const Grant& grant) override;
    [[nodiscard]] std::unique_ptr<Inside> copy_over(core::Ledger& copy) const override;
    [[nodiscard]] std::optional<core::Violation> find_violation() override;
    void fold(const Grant& grant, Fingerprint& into) const override;
    [[nodiscard]] std::unique_ptr<Meter> meter(Window window) override;

    /// Both keep free_gpus() up to date.
    void leave(core::ServerId server) override;
    void join(core::ServerId server) override;
    [[nodiscard]] const FreeGpus& free_gpus() const { return free_; }
    /// How many answers were worked out so far. Tests use it to check that this depends on states,
    /// not on servers.
    [[nodiscard]] std::uint64_t decisions() const;

private:
    class Rule;
    [[nodiscard]] const Rule& rule_of(const core::PodDevices& pod);
    [[nodiscard]] core::MachineAllocator& machine(core::ServerId server) const {
        return *machines_->by_type[topology_.machine_type_index(server)];
    }
    void set_state(core::ServerId server, core::MachineState state);
    void count_free(core::ServerId server, std::int64_t sign);
    void occupy(const core::Ledger& ledger);

    const core::Topology& topology_;
    std::int64_t weight_;
    /// Shared by copies, because answers depend on states and not on servers.
    struct Machines {
        std::vector<std::unique_ptr<core::MachineAllocator>> by_type;
        std::map<std::string, std::uint32_t, std::less<>> pod_numbers;  ///< A number per pod text.
    };
    std::shared_ptr<Machines> machines_ = std::make_shared<Machines>();
    std::vector<core::MachineState> states_;  ///< State of each server.
    std::set<core::ServerId> away_;
    std::map<std::string, std::unique_ptr<Rule>, std::less<>> rules_;  ///< One rule per pod text.
    FreeGpus free_;
};

}  // namespace berth::sim
