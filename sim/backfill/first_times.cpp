#include "sim/backfill/first_times.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::sim {

using core::ServerId;

SimTime shortest_alike(SimTime duration) {
    BERTH_ASSERT(duration >= SimTime(0), "nobody leaves before the start");
    const auto length = static_cast<std::uint64_t>(duration.count());
    const auto bits = static_cast<int>(std::bit_width(length));
    const int dropped = std::max(bits - 3, 0);
    return SimTime(static_cast<std::int64_t>(length >> dropped << dropped));
}

FirstTimes::FirstTimes(Timetable& table, Demand demand, SimTime shortest)
    : table_(table),
      freed_(&table.freed()),
      demand_(std::move(demand)),
      shortest_(shortest),
      since_(table.servers()),
      leaves_(std::bit_ceil(table.servers())),
      winners_(std::size_t{2} * leaves_) {
    std::iota(winners_.begin() + leaves_, winners_.end(), 0U);
    for (std::uint32_t match = leaves_; match-- > 1;) {
        winners_[match] = winner(winners_[2 * match], winners_[2 * match + 1]);
    }
}

/// Leaves beyond the last server lose against any.
std::uint32_t FirstTimes::winner(std::uint32_t a, std::uint32_t b) const {
    return b < since_.size() && since_[b] < since_[a] ? b : a;
}

void FirstTimes::set(std::uint32_t server, SimTime time) {
    if (since_[server] == time) {
        return;
    }
    since_[server] = time;
    for (std::uint32_t match = (leaves_ + server) / 2; match > 0; match /= 2) {
        winners_[match] = winner(winners_[2 * match], winners_[2 * match + 1]);
    }
}

/// Where something was given back there may be room at once.
void FirstTimes::forget_freed() {
    if (freed_.has_missed()) {
        for (std::uint32_t server = 0; server < since_.size(); ++server) {
            set(server, SimTime(0));
        }
        freed_.skip();
    }
    freed_.each([this](ServerId server) { set(server.index, SimTime(0)); });
}

FirstTimes::Found FirstTimes::find(SimTime duration, SimTime from) {
    BERTH_ASSERT(duration >= shortest_ && from >= table_.now(), "it knows such pods alone");
    forget_freed();
    Found found;
    std::vector<std::pair<std::uint32_t, SimTime>> looked;
    while (since_[earliest()] <= found.at && since_[earliest()] < never) {
        const std::uint32_t server = earliest();
        const SimTime since = std::max(since_[server], table_.now());
        looked.emplace_back(server, table_.first_room(server, demand_, shortest_, since, never));
        set(server, never);
        const SimTime later = std::max(looked.back().second, from);
        const SimTime before = found.at == never ? never : found.at + SimTime(1);
        const SimTime at = table_.first_room(server, demand_, duration, later, before);
        if (at < found.at) {
            found = {at, {}};
        }
        if (at == found.at && at < never) {
            found.servers.push_back(ServerId{server});
        }
    }
    for (const auto& [server, since] : looked) {
        set(server, since);
    }
    std::ranges::sort(found.servers);
    return found;
}

}  // namespace berth::sim
