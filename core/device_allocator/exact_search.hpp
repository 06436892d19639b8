#pragma once

#include <array>
#include <compare>
#include <optional>
#include <span>

#include "core/device_allocator/device_view.hpp"

namespace berth::core {

/// How good a choice of the primary's devices is. Smaller is better for each figure, and earlier
/// figures decide.
struct ExactRank {
    int scope = 0;         ///< 0 one switch, 1 one NUMA node, 2 the machine.
    int uncovered = 0;     ///< Pairs of a switch and a secondary type that is not on it, ...
    int pairs = 1;         ///< ... out of this number of pairs, so that the two form a share.
    Amount far = 0;        ///< The number of secondaries that must come from other NUMA nodes.
    int switch_count = 0;  ///< The number of PCIe switches of the primary.
    int new_on_numa = 0;   ///< The number of devices on NUMA nodes that were unused before.
    int new_on_pcie = 0;   ///< The number of devices on switches that were unused before.

    [[nodiscard]] std::strong_ordering compare(const ExactRank& other) const;
};

/// A choice with its rank. Of choices with equal ranks, the better score wins, then the lower
/// minors.
struct ExactFound {
    ExactRank rank;
    Amount score = 0;
    DeviceMask devices = 0;

    [[nodiscard]] bool is_better_than(const ExactFound& other) const;
};

/// The machine as the exact solver sees it: the switches with the number of usable devices of the
/// primary type, and the secondaries beside them.
class ExactSearch {
public:
    ExactSearch(const DeviceQuestion& question,
                DeviceType primary,
                std::span<const DeviceType> secondaries);

    /// The best choice of `count` devices in the tightest scope that has one. The scope is not
    /// wider than `widest`.
    [[nodiscard]] std::optional<ExactFound> search(Amount count, TopologyScope widest);
    /// The value of choosing exactly these devices; nothing if SamePCIe forbids them.
    [[nodiscard]] std::optional<ExactFound> judge(DeviceMask devices);

private:
    static constexpr std::size_t secondaries_max = device_type_count - 1;

    /// One switch. Each device without a topology is a switch of its own.
    struct Site {
        DeviceMask devices = 0;    ///< The usable devices of the primary type.
        DeviceMask numa_node = 0;  ///< The bit of its NUMA node; 0 if that is not known.
        int room = 0;
        int new_devices = 0;  ///< The number of devices if none is in use, else 0.
        std::array<int, secondaries_max> beside{};
    };
    /// Sites that are equally good, with the lowest minors first: [first, first + size).
    struct Kind {
        std::size_t first = 0;
        std::size_t size = 0;
        int room = 0;
        int rooms_from_here = 0;  ///< The sum over this kind and all after it.
        int sites_from_here = 0;
        int pairs_from_here = 0;  ///< The pairs of a site and a secondary type that is on it.
        int most_room_from_here = 0;
        int least_new_from_here = 0;
    };
    /// The sum over some sites.
    struct Chosen {
        DeviceMask devices = 0;
        DeviceMask numa_nodes = 0;
        int switch_count = 0;
        int room = 0;
        int new_on_pcie = 0;
        std::array<int, secondaries_max> beside{};
        std::array<int, secondaries_max> covered{};
    };
    struct Secondary {
        DeviceType type = DeviceType::rdma;
        Amount desired = 0;
        int usable = 0;
        bool is_fixed = false;  ///< The desired number is taken, and never more.
        std::array<int, devices_of_type_max> on_numa{};
    };

    void find_sites();
    void find_secondaries(std::span<const DeviceType> secondaries);
    void search_one_switch();
    void search_within(DeviceMask numa_nodes, int scope);
    void make_kinds(std::span<const std::size_t> sites);
    void extend(std::size_t kind, const Chosen& chosen);
    void add_sites(std::size_t kind, std::size_t index, const Chosen& chosen);
    [[nodiscard]] bool is_hopeless(std::size_t kind, const Chosen& chosen);
    void bound_share(const Kind& next, const Chosen& chosen, int added_min, ExactRank& bound) const;
    void bound_numa_nodes(std::size_t kind,
                          const Chosen& chosen,
                          int missing,
                          ExactRank& bound) const;
    [[nodiscard]] Chosen with(Chosen chosen, const Site& site) const;
    void consider(const Chosen& chosen);
    [[nodiscard]] bool is_allowed(const Chosen& chosen) const;
    [[nodiscard]] ExactRank rank(const Chosen& chosen) const;
    [[nodiscard]] int covered_pairs(const Chosen& chosen) const;
    [[nodiscard]] Amount far_count(const Chosen& chosen, std::size_t secondary) const;
    [[nodiscard]] int near_count(DeviceMask numa_nodes, std::size_t secondary) const;
    [[nodiscard]] int new_on_numa(DeviceMask numa_nodes) const;
    /// `count_` devices, with at least one from each chosen switch and the lowest minors.
    [[nodiscard]] DeviceMask lowest(const Chosen& chosen) const;

    const DeviceQuestion& question_;
    DeviceType primary_;
    bool same_pcie_ = false;
    int count_ = 0;
    int scope_ = 0;
    std::array<Site, devices_of_type_max> sites_;
    std::size_t site_count_ = 0;
    std::array<std::int8_t, devices_of_type_max> site_of_{};  ///< The site of each device.
    /// For each NUMA node, the number of devices if none is in use, else 0.
    std::array<int, devices_of_type_max> new_on_numa_{};
    std::array<Secondary, secondaries_max> secondaries_;
    std::size_t secondary_count_ = 0;
    std::array<std::size_t, devices_of_type_max> ordered_{};  ///< The sites, ordered by kind.
    std::array<Kind, devices_of_type_max> kinds_;
    std::size_t kind_count_ = 0;
    int ties_ = 0;
    int visits_ = 0;
    std::optional<ExactFound> best_;
};

}  // namespace berth::core
