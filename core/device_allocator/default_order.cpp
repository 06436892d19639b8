#include "core/device_allocator/default_order.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace berth::core {
namespace {

/// A list of devices in the order in which they are tried.
class Order {
public:
    Order(const DeviceQuestion& question, DeviceType type, DeviceMask devices)
        : question_(question), type_(type) {
        for_each_bit(devices, [&](std::size_t d) {
            scores_[d] = question.score(type, d);
            list_[count_++] = static_cast<std::uint8_t>(d);
        });
        if (question.is_scored) {
            sort(0);
        }
    }

    /// Moves the devices near `place` to the front.
    void prefer(const PrimaryPlace& place) {
        std::array<std::uint8_t, devices_of_type_max> base = list_;
        const std::size_t count = count_;
        count_ = 0;
        DeviceMask left = 0;
        for (std::size_t i = 0; i < count; ++i) {
            left |= bit(base[i]);
        }
        const auto move = [&](std::size_t d) {
            list_[count_++] = static_cast<std::uint8_t>(d);
            left &= ~bit(d);
        };
        DeviceMask near = question_.on_switches(type_, left, place.switches);
        while (near != 0) {  // each round takes the next device of each switch
            const std::size_t round = count_;
            DeviceMask visited = 0;
            for (std::size_t i = 0; i < count; ++i) {
                const DeviceMask at = question_.switches_of(type_, bit(base[i]));
                if ((near & bit(base[i])) != 0 && (visited & at) == 0) {
                    visited |= at;
                    near &= ~bit(base[i]);
                    move(base[i]);
                }
            }
            sort(round);
        }
        const DeviceMask same_numa = question_.on_numa_nodes(type_, left, place.numa_nodes);
        for (const DeviceMask stage : {same_numa, ~DeviceMask{0}}) {
            for (std::size_t i = 0; i < count; ++i) {
                if ((left & stage & bit(base[i])) != 0) {
                    move(base[i]);
                }
            }
        }
    }

    [[nodiscard]] const std::uint8_t* begin() const { return list_.data(); }
    [[nodiscard]] const std::uint8_t* end() const { return list_.data() + count_; }

private:
    void sort(std::size_t from) {
        std::sort(
            list_.begin() + from, list_.begin() + count_, [&](std::uint8_t a, std::uint8_t b) {
                return scores_[a] != scores_[b] ? scores_[a] > scores_[b] : a < b;
            });
    }

    const DeviceQuestion& question_;
    DeviceType type_;
    std::array<Amount, devices_of_type_max> scores_;
    std::array<std::uint8_t, devices_of_type_max> list_;
    std::size_t count_ = 0;
};

}  // namespace

DeviceChoice choose_by_order(const DeviceQuestion& question,
                             DeviceType type,
                             DeviceCount count,
                             const PrimaryPlace* place,
                             DeviceMask allowed) {
    const TypeView& view = question.views[type];
    const bool needs_function = question.plan.types[type].wants_vf;
    const DeviceMask usable = question.usable(type) & allowed;
    Order order(question, type, place != nullptr && place->deals_blindly ? view.kept : usable);
    if (place != nullptr) {
        order.prefer(*place);
    }
    DevicePicks picks;
    picks.with_functions = needs_function;
    for (const std::size_t d : order) {
        if ((usable & bit(d)) != 0) {
            picks.add(d);
            if (static_cast<Amount>(picks.size()) >= count.most) {
                break;
            }
        }
    }
    if (static_cast<Amount>(picks.size()) < count.desired) {
        return insufficient_devices(type);
    }
    return picks;
}

}  // namespace berth::core
