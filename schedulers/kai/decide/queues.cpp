#include "schedulers/kai/decide/queues.hpp"

#include <algorithm>
#include <string_view>

namespace berth::core::kai {

double Share::requestable() const {
    return limit == unlimited ? request : std::min(limit, request);
}

double Share::remaining() const {
    const double wanted = requestable();
    return wanted < fair ? 0 : wanted - fair;
}

bool Share::is_satisfied() const {
    return request <= fair || (limit != unlimited && limit <= fair);
}

double Share::allocatable() const {
    if (quota == unlimited) {
        return limit;
    }
    const double most = std::max(quota, fair);
    return limit == unlimited ? most : std::min(limit, most);
}

Amounts Queue::allocatable() const {
    return {shares[0].allocatable(), shares[1].allocatable(), shares[2].allocatable()};
}

bool Queue::fits_quota(const Amounts& more) const {
    return at_most(plus(amounts(&Share::allocated), more), amounts(&Share::quota));
}

bool Queue::fixed_fits_quota(const Amounts& more) const {
    return at_most(plus(amounts(&Share::allocated_fixed), more), amounts(&Share::quota));
}

Queues::Queues(std::vector<Queue> queues) : queues_(std::move(queues)) {
    for (QueueIndex queue = 0; queue < queues_.size(); ++queue) {
        const QueueIndex parent = queues_[queue].parent;
        (parent == no_queue ? roots_ : queues_[parent].children).push_back(queue);
    }
}

std::optional<QueueIndex> Queues::find(std::string_view name) const {
    const auto at = std::ranges::lower_bound(queues_, name, {}, &Queue::name);
    if (at == queues_.end() || at->name != name) {
        return std::nullopt;
    }
    return static_cast<QueueIndex>(at - queues_.begin());
}

std::vector<QueueIndex> Queues::path(QueueIndex queue) const {
    std::vector<QueueIndex> path;
    for (; queue != no_queue; queue = queues_[queue].parent) {
        path.push_back(queue);
    }
    std::ranges::reverse(path);
    return path;
}

std::pair<QueueIndex, QueueIndex> Queues::leveled(QueueIndex a, QueueIndex b) const {
    const auto depth_of = [&](QueueIndex queue) {
        std::size_t depth = 0;
        for (; queues_[queue].parent != no_queue; queue = queues_[queue].parent) {
            ++depth;
        }
        return depth;
    };
    const auto lift = [&](QueueIndex& queue, std::size_t from, std::size_t to) {
        for (; from > to; --from) {
            queue = queues_[queue].parent;
        }
    };
    const std::size_t depth_a = depth_of(a);
    const std::size_t depth_b = depth_of(b);
    lift(a, depth_a, depth_b);
    lift(b, depth_b, depth_a);
    while (queues_[a].parent != queues_[b].parent) {
        a = queues_[a].parent;
        b = queues_[b].parent;
    }
    return {a, b};
}

void Queues::charge(QueueIndex queue, const Amounts& amounts, bool is_fixed, double sign) {
    for (; queue != no_queue; queue = queues_[queue].parent) {
        for (std::size_t resource = 0; resource < resource_count; ++resource) {
            Share& share = queues_[queue].shares[resource];
            share.allocated += sign * amounts[resource];
            if (is_fixed) {
                share.allocated_fixed += sign * amounts[resource];
            }
        }
    }
}

}  // namespace berth::core::kai
