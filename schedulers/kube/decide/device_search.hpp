#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "schedulers/kube/decide/device_allocator.hpp"
#include "schedulers/kube/decide/device_constraints.hpp"
#include "schedulers/kube/decide/device_pools.hpp"
#include "schedulers/kube/decide/device_selectors.hpp"

namespace berth::core::kube {

/// The search for devices: depth first over claims, requests and devices, in the order of
/// Kubernetes, which decides which solution is found first.
class DeviceSearch {
public:
    enum class Outcome : std::uint8_t {
        found,
        failed,
        exceeded,  ///< A claim would get more devices than it may have.
        stopped,   ///< The limit of steps is reached.
    };

    /// `pools` are those of the node. Both arguments must outlive the search.
    DeviceSearch(const DeviceQuestion& question, const std::vector<DevicePool>& pools);

    /// Checks the requests. Errors: AllocationError, CelUnsupported.
    void prepare();
    /// Errors: AllocationError, CelUnsupported.
    [[nodiscard]] Outcome run() { return step({}); }

    [[nodiscard]] std::int64_t steps() const { return steps_; }
    [[nodiscard]] bool has_invalid_pool() const;
    /// The devices of a claim, after a search that found some.
    [[nodiscard]] const std::vector<TakenDevice>& taken(std::size_t claim) const {
        return results_[claim];
    }
    /// The alternative that a request of a claim was given.
    [[nodiscard]] std::size_t chosen(std::size_t claim, std::size_t request) const {
        return chosen_[claim][request];
    }

private:
    struct Choice {
        const DevicePool* pool = nullptr;
        const ResourceSlice* slice = nullptr;
        const Device* device = nullptr;
    };
    /// Where the search for a device of a request starts.
    struct Start {
        std::size_t pool = 0;
        std::size_t slice = 0;
        std::size_t device = 0;
    };
    /// How far the search is.
    struct Place {
        std::size_t claim = 0;
        std::size_t request = 0;
        std::size_t alternative = 0;
        std::int64_t device = 0;
        bool in_alternative = false;
        Start start;
    };
    /// What is known of a request or an alternative before the search.
    struct Prepared {
        const DeviceClass* of = nullptr;
        std::int64_t count = 0;
        std::vector<Choice> all;  ///< A request for all devices takes these.
    };
    /// What must be taken back if a device is not kept.
    struct Taken {
        bool has_device = false;
        bool has_counters = false;
        std::size_t constraints = 0;
        bool is_marked = false;
        bool is_shared = false;
        bool was_shared = false;
        Quantities shared_before;
    };

    void prepare(std::size_t claim);
    void prepare(const ResourceClaim& claim, const DeviceRequest& request, Prepared& prepared);
    void check_features(const ResourceClaim& claim, const ResourceClaim::Request& request) const;
    void find_all(const ResourceClaim& claim, const DeviceRequest& request, Prepared& prepared);

    Outcome step(const Place& place);
    Outcome try_alternatives(const Place& place);
    Outcome take_next_of_all(const Place& place);
    Outcome try_devices(const Place& place);
    /// Takes a device, goes on with the rest, and takes it back if that fails.
    Outcome take_and_go_on(const Place& place, const Choice& choice, const Start& next);

    [[nodiscard]] const DeviceRequest& request_at(const Place& place) const;
    [[nodiscard]] bool is_in_use(const DeviceRequest& request,
                                 std::size_t claim,
                                 const ResourceSlice& slice,
                                 const Device& device) const;
    [[nodiscard]] bool fits(const DeviceRequest& request,
                            const ResourceSlice& slice,
                            const Device& device) const;
    [[nodiscard]] bool is_shared(const Device& device) const;
    [[nodiscard]] bool is_tolerated(const DeviceRequest& request, const Device& device) const;
    /// Takes a device for the request. `must`: a constraint that does not hold is an error.
    bool take(const Place& place, const Choice& choice, bool must, Taken& taken);
    bool add_constraints(const Place& place, const Choice& choice, bool must, Taken& taken);
    void take_back(const Place& place, const Choice& choice, const Taken& taken);
    bool reserve_counters(const Choice& choice);
    void count(const Choice& choice, int sign);
    [[nodiscard]] Counters available_counters(const DevicePool& pool) const;

    const DeviceQuestion& question_;
    const DeviceFeatures& features_;
    const AllocatedDevices& allocated_;
    const std::vector<DevicePool>& pools_;
    DeviceSelectors selectors_;
    // Each of these has an entry for each claim. Those of prepared_ and chosen_ have one for each
    // request, and those of prepared_ one for each of its alternatives.
    std::vector<std::vector<std::vector<Prepared>>> prepared_;
    std::vector<std::vector<ConstraintState>> constraints_;
    std::vector<std::vector<TakenDevice>> results_;
    std::vector<std::vector<std::size_t>> chosen_;
    // Both are looked up by devices, and never iterated. A usable pool has each device once.
    /// Which claims, by position, take a device that cannot be shared; none, if it was given back.
    std::unordered_map<const Device*, std::set<std::size_t>> allocating_;
    /// What these claims take of the capacities of a device that can be shared.
    std::unordered_map<const Device*, Quantities> taken_capacity_;
    /// Counters are kept by the name of a pool: Kubernetes 1.36 does not tell apart two drivers'
    /// pools of one name.
    std::map<std::string, Counters> available_;
    std::map<std::string, Counters> used_;
    std::int64_t steps_ = 0;
};

}  // namespace berth::core::kube
