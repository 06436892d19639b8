#include "sim/backfill/growing_room.hpp"

#include <algorithm>

#include "core/index/fit_index.hpp"
#include "core/support/assert.hpp"

namespace berth::sim {

using core::Members;
using core::ServerId;

GrowingRoom::GrowingRoom(Timetable& table, const Job& job, Members members)
    : table_(table),
      changes_(&table.changes()),
      demand_(job.demand),
      members_(members),
      needed_(std::min(members, job.min_available)),
      at_(table.now()),
      fits_(table.servers()) {
    for (std::uint32_t server = 0; server < table.servers(); ++server) {
        look(ServerId{server}, at_);
    }
}

/// Has each server as it is at a time.
void GrowingRoom::look(ServerId server, SimTime time) {
    const Timetable::Place& here = table_.at(server.index);
    const Members fit = core::fit_of(table_.free(here, here.step_at(time)), demand_);
    Members& known = fits_[server.index];
    all_ -= known;
    known = std::clamp<Members>(fit, 0, members_);
    all_ += known;
}

/// Brings the counts up to the table. Who has left by now, or stays for longer than expected, is
/// among its changes.
void GrowingRoom::follow() {
    BERTH_ASSERT(table_.promised().empty() && table_.calendar().empty(), "room only grows");
    at_ = std::max(at_, table_.now());
    if (changes_.has_missed()) {
        for (std::uint32_t server = 0; server < table_.servers(); ++server) {
            look(ServerId{server}, at_);
        }
        changes_.skip();
    }
    changes_.each([this](ServerId server) { look(server, at_); });
}

bool GrowingRoom::go_to_first() {
    follow();
    while (all_ >= needed_ && go_back()) {
    }
    while (all_ < needed_) {
        if (!advance()) {
            return false;
        }
    }
    return true;
}

/// Goes back to before the last time at which members leave, if there is enough room even then.
/// Returns whether it did, and so may go on.
bool GrowingRoom::go_back() {
    const auto end = table_.last_end(at_);
    if (!end) {
        at_ = table_.now();  // nobody leaves until then
        return false;
    }
    const SimTime before = *end - SimTime(1);
    table_.each_left_at(*end, [&](ServerId server) { look(server, before); });
    if (all_ >= needed_) {
        at_ = before;
        return true;
    }
    table_.each_left_at(*end, [&](ServerId server) { look(server, *end); });
    at_ = *end;
    return false;
}

bool GrowingRoom::advance() {
    const auto end = table_.next_end(at_);
    if (!end) {
        return false;
    }
    at_ = *end;
    table_.each_left_at(*end, [&](ServerId server) { look(server, *end); });
    return true;
}

std::vector<ServerId> GrowingRoom::first_servers() const {
    std::vector<ServerId> servers;
    const auto add = [&](ServerId server) {
        if (fits_[server.index] > 0) {
            servers.push_back(server);
        }
    };
    if (at_ > table_.now()) {
        table_.each_left_at(at_, add);  // no other had room before
        std::ranges::sort(servers);
        const auto [again, end] = std::ranges::unique(servers);
        servers.erase(again, end);
    } else {
        for (std::uint32_t server = 0; server < fits_.size(); ++server) {
            add(ServerId{server});
        }
    }
    return servers;
}

}  // namespace berth::sim
