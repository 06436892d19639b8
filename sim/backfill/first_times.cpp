#include "sim/backfill/first_times.hpp"

#include <algorithm>
#include <bit>
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
      since_(table.servers(), SimTime(0), never) {}

/// Where something was given back there may be room at once.
void FirstTimes::forget_freed() {
    if (freed_.has_missed()) {
        for (std::uint32_t server = 0; server < since_.size(); ++server) {
            since_.set(server, SimTime(0));
        }
        freed_.skip();
    }
    freed_.each([this](ServerId server) { since_.set(server.index, SimTime(0)); });
}

FirstTimes::Found FirstTimes::find(SimTime duration, SimTime from) {
    BERTH_ASSERT(duration >= shortest_ && from >= table_.now(), "it knows such pods alone");
    forget_freed();
    Found found;
    std::vector<std::pair<std::uint32_t, SimTime>> looked;
    while (true) {
        const std::uint32_t server = since_.first();
        if (since_[server] > found.at || since_[server] == never) {
            break;
        }
        const SimTime since = std::max(since_[server], table_.now());
        looked.emplace_back(server, table_.first_room(server, demand_, shortest_, since, never));
        since_.set(server, never);
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
        since_.set(server, since);
    }
    std::ranges::sort(found.servers);
    return found;
}

}  // namespace berth::sim
