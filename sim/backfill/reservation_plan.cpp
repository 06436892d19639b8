#include "sim/backfill/reservation_plan.hpp"

#include <algorithm>
#include <bit>

#include "core/index/fit_index.hpp"
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

/// Servers on which something was given back may have room at once.
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

/// Counts what fits on a server at a time.
void GrowingRoom::look(ServerId server, SimTime time) {
    const Timetable::Place& here = table_.at(server.index);
    const Members fit = core::fit_of(table_.free(here, here.step_at(time)), demand_);
    Members& known = fits_[server.index];
    all_ -= known;
    known = std::clamp<Members>(fit, 0, members_);
    all_ += known;
}

/// Brings the counts up to the state of the table. Members that have left by now, or stay for
/// longer than expected, are among its changes.
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
/// Returns whether it did, in which case it may go back further.
bool GrowingRoom::go_back() {
    const auto end = table_.last_end(at_);
    if (!end) {
        at_ = table_.now();  // no members leave until then
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
        table_.each_left_at(at_, add);  // no other server had room before
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

using core::Amount;
using core::Members;
using core::ServerId;

ReservationPlan::ReservationPlan(const Profile& profile, const Cluster& cluster)
    : profile_(profile),
      cluster_(cluster),
      ledger_(cluster.ledger()),
      changes_(&ledger_.changes()),
      table_(cluster),
      then_(profile, cluster),
      then_changes_(&table_.changes()),
      now_free_(profile, cluster) {}

void ReservationPlan::show_now(std::uint32_t place) {
    if (place < table_.servers()) {
        std::vector<Amount> available(ledger_.resource_count());
        cluster_.available_in_plans(ServerId{place}, available);
        now_free_.show(place, available);
    }
    if (place < table_.places_inside()) {
        now_free_.show_inside(place, cluster_.inside().taken(place));
    }
}

/// Makes now_free_ show the cluster as it is. What servers share changes with each of them.
void ReservationPlan::follow_now() {
    if (changes_.has_missed()) {
        for (std::uint32_t place = 0; place < table_.places(); ++place) {
            show_now(place);
        }
        changes_.skip();
    }
    while (const auto server = changes_.next()) {
        show_now(server->index);
    }
    for (std::uint32_t place = table_.servers(); place < table_.places(); ++place) {
        show_now(place);
    }
    // Where something is still promised, start_now() shows what is there.
    for (const std::uint32_t place : std::exchange(shown_less_, {})) {
        if (!table_.promised().contains(place)) {
            show_now(place);
        }
    }
}

/// Makes now_free_ show what is free at a place during the whole time.
void ReservationPlan::show_during(std::uint32_t place, SimTime from, SimTime to) {
    const Timetable::Place& here = table_.at(place);
    const std::size_t begin = here.step_at(from);
    const std::size_t end = here.steps_until(to, begin);
    if (place < table_.servers()) {
        std::vector<Amount> least(ledger_.resource_count());
        table_.least_free(here, begin, end, least);
        now_free_.show(place, least);
    }
    if (place < table_.places_inside()) {
        now_free_.show_inside(place, table_.taken(place, begin, end));
    }
    shown_less_.push_back(place);
}

/// Hides exactly those servers whose drains come too soon.
void ReservationPlan::hide_drained(SimTime duration) {
    std::vector<ServerId> drained = table_.calendar().meeting(duration);
    for (const ServerId server : hidden_) {
        if (!std::ranges::binary_search(drained, server)) {
            now_free_.hide(server.index, false);
        }
    }
    for (const ServerId server : drained) {
        now_free_.hide(server.index, true);
    }
    hidden_ = std::move(drained);
}

/// Running members only give back, so that less than now can be free later only where something is
/// promised.
std::optional<Attempt> ReservationPlan::start_now(const Job& job,
                                                  Members members,
                                                  SimTime duration) {
    follow_now();
    hide_drained(duration);
    for (const auto& [place, pieces] : table_.promised()) {
        show_during(place, table_.now(), after(table_.now(), duration));
    }
    for (std::uint32_t server = 0; job.per_server_max > 0 && server < table_.servers(); ++server) {
        const Timetable::Place& here = table_.at(server);
        const std::size_t begin = here.step_at(table_.now());
        const std::size_t end = here.steps_until(after(table_.now(), duration), begin);
        now_free_.show_pods(job, server, table_.pods(job, server, begin, end));
    }
    return now_free_.find(job, members);
}

void ReservationPlan::promise(JobId id, const Job& job, Start start, SimTime duration) {
    BERTH_ASSERT(start.at >= table_.now() && start.attempt.found,
                 "a place is promised that will be free");
    BERTH_ASSERT(!has_promise(id), "a job has one promise");
    const SimTime until = after(start.at, duration);
    for (std::size_t i = 0; i < start.attempt.servers.size(); ++i) {
        const core::PlacedNode& node = start.attempt.servers[i];
        const std::vector<Grant> none;
        table_.promise(id,
                       job,
                       ledger_.topology().server_of(node.node),
                       node.count,
                       start.attempt.grants.empty() ? none : start.attempt.grants[i],
                       start.at,
                       until);
    }
    dues_.emplace(start.at, id);
    promises_.emplace(id, std::move(start));
}

void ReservationPlan::take_back(JobId id) {
    for (const core::PlacedNode& node : promises_.at(id).attempt.servers) {
        table_.note_freed(ledger_.topology().server_of(node.node));
    }
    erase(id);
}

void ReservationPlan::erase(JobId id) {
    const auto promise = promises_.find(id);
    BERTH_ASSERT(promise != promises_.end(), "a promise is taken back that was made");
    for (const core::PlacedNode& node : promise->second.attempt.servers) {
        table_.take_back(id, ledger_.topology().server_of(node.node));
    }
    dues_.erase({promise->second.at, id});
    promises_.erase(promise);
}

std::vector<JobId> ReservationPlan::due() const {
    std::vector<JobId> ids;
    for (const auto& [at, id] : dues_) {
        if (at > table_.now()) {
            break;
        }
        ids.push_back(id);
    }
    return ids;
}

std::optional<SimTime> ReservationPlan::next_due() const {
    const auto next = dues_.upper_bound({table_.now() + SimTime(1), JobId{~0U}});
    return next == dues_.end() ? std::nullopt : std::optional(next->first);
}

std::vector<JobId> ReservationPlan::promised() const {
    std::vector<JobId> ids;
    for (const auto& [id, start] : promises_) {
        ids.push_back(id);
    }
    return ids;
}

std::optional<Attempt> ReservationPlan::redeem(JobId id, const Job& job, Members admitted) {
    const Start& promise = promises_.at(id);
    if (promise.at != table_.now() || promise.attempt.placed > admitted) {
        return std::nullopt;
    }
    if (!table_.is_free_now(id, job, promise.attempt.servers)) {
        return std::nullopt;
    }
    Attempt attempt = promise.attempt;
    erase(id);  // the job now takes as much, for as long
    return attempt;
}

}  // namespace berth::sim
