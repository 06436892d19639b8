#include "sim/schedulers/outside/outside_actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/index/fit_index.hpp"
#include "core/support/assert.hpp"
#include "sim/job/members.hpp"
#include "sim/schedulers/outside/bounded_reason.hpp"

namespace berth::sim {

void Turns::ask(SimTime at) {
    constexpr std::uint32_t at_once_max = 10'000;
    asked_at_once_ += at > actions_.now() ? 0 : 1;
    if (asked_at_once_ > at_once_max) {
        throw SchedulerError(
            fmt::format("at {} s: the scheduler asked for another turn {} times "
                        "while no time went by: expected a time to come",
                        format_seconds(actions_.now()),
                        at_once_max));
    }
    request(at, true);
}

void Turns::request(SimTime at, bool asked) {
    if (at > actions_.now() && !actions_.more_to_come()) {
        return;  // the run would go on until then for nothing
    }
    bool& known = times_.try_emplace(at, false).first->second;
    known = known || asked;
    arm();
}

void Turns::all_have_ended() {
    times_.erase(times_.upper_bound(actions_.now()), times_.end());
    if (rings_at_ && *rings_at_ > actions_.now()) {
        actions_.call_off(Timer::third);
        rings_at_.reset();
    }
}

void Turns::arm() {
    if (times_.empty() || (rings_at_ && *rings_at_ <= times_.begin()->first)) {
        return;
    }
    if (rings_at_) {
        actions_.call_off(Timer::third);
    }
    rings_at_ = times_.begin()->first;
    actions_.wake(*rings_at_, Timer::third);
}

bool Turns::begin() {
    BERTH_ASSERT(rings_at_ == actions_.now() && !times_.empty(), "a turn comes when it is due");
    const auto turn = times_.extract(times_.begin());
    BERTH_ASSERT(turn.key() == actions_.now(), "turns come in the order of time");
    rings_at_.reset();
    if (last_ != actions_.now()) {
        asked_at_once_ = 0;
    }
    last_ = actions_.now();
    arm();
    return turn.mapped();
}

std::vector<JobOrder::Entry>::iterator JobOrder::find(std::uint64_t key) {
    return std::ranges::lower_bound(entries_, key, {}, &Entry::key);
}

void JobOrder::add(JobId id, std::uint64_t key) {
    BERTH_ASSERT(!contains(id), "a job has one place in an order");
    if (id.index >= keys_.size()) {
        keys_.resize(id.index + std::size_t{1});
    }
    keys_[id.index] = key;
    ++size_;
    const auto at = find(key);
    const auto place = static_cast<std::size_t>(at - entries_.begin());
    if (at != entries_.end() && at->key == key) {
        BERTH_ASSERT(!at->there, "no two jobs have one key");
        *at = {key, id, true};  // it comes back to the place that it left
    } else {
        entries_.insert(at, {key, id, true});
    }
    first_ = std::min(first_, place);
}

void JobOrder::remove(JobId id) {
    BERTH_ASSERT(contains(id), "a job that leaves an order was in it");
    const auto at = find(*keys_[id.index]);
    BERTH_ASSERT(at != entries_.end() && at->there && at->id == id, "a job is where its key says");
    at->there = false;
    keys_[id.index].reset();
    --size_;
    while (first_ < entries_.size() && !entries_[first_].there) {
        ++first_;
    }
}

void JobOrder::close_gaps() {
    if (entries_.size() > 2 * size_) {
        std::erase_if(entries_, [](const Entry& entry) { return !entry.there; });
        first_ = 0;
    }
}

using core::Members;
using core::PlacedNode;

namespace {

std::string members_text(Members count) {
    return fmt::format("{} member{}", count, count == 1 ? "" : "s");
}

/// The number of members on these servers, or some number above `most` if there are more.
Members sum_of(std::span<const PlacedNode> servers, Members most) {
    Members sum = 0;
    for (const PlacedNode& server : servers) {
        sum = std::min(sum, most) + std::min(server.count, most + 1);
    }
    return sum;
}

/// The first resource of which a server has too little for `members` members; there is one.
std::size_t lacking_resource(std::span<const core::Amount> available,
                             std::span<const core::Amount> demand,
                             Members members) {
    std::size_t resource = 0;
    while (demand[resource] == 0 || available[resource] / demand[resource] >= members) {
        ++resource;
    }
    return resource;
}

}  // namespace

void OutsideActions::refuse(JobId id, std::string_view verb, const std::string& rule) const {
    throw SchedulerError(fmt::format(
        "at {} s: job '{}' cannot {}: {}", format_seconds(now()), job(id).job().name, verb, rule));
}

void OutsideActions::check_known(JobId id, std::string_view verb) const {
    if (!knows(id)) {
        throw SchedulerError(
            fmt::format("at {} s: job number {} cannot {}: it neither waits nor runs",
                        format_seconds(now()),
                        id.index,
                        verb));
    }
}

/// Checks that the servers exist, that each is listed once, and that each has members. They are in
/// the order of the tree.
void OutsideActions::check_servers(JobId id,
                                   std::string_view verb,
                                   std::span<const PlacedNode> servers) const {
    const core::Topology& tree = cluster().topology();
    for (const PlacedNode& server : servers) {
        if (server.node.index >= tree.node_count() || !tree.is_server(server.node)) {
            refuse(id,
                   verb,
                   fmt::format("node number {} is not a server: expected {} to {}",
                               server.node.index,
                               tree.node_of(core::ServerId{0}).index,
                               tree.node_count() - 1));
        }
        if (server.count < 1) {
            refuse(id,
                   verb,
                   fmt::format("{} on server '{}': expected 1 at least",
                               members_text(server.count),
                               tree.name(server.node)));
        }
    }
    const auto twice = std::ranges::adjacent_find(servers, {}, &PlacedNode::node);
    if (twice != servers.end()) {
        refuse(id,
               verb,
               fmt::format("server '{}' is in its list twice: expected each server once",
                           tree.name(twice->node)));
    }
}

/// Checks that these further members fit on one server.
void OutsideActions::check_room(JobId id, std::string_view verb, const PlacedNode& more) const {
    const core::Topology& tree = cluster().topology();
    const core::ServerId server = tree.server_of(more.node);
    const Job& asking = job(id).job();
    const std::string name = fmt::format("server '{}'", tree.name(more.node));
    if (!cluster().ledger().is_up(server)) {
        refuse(id, verb, fmt::format("{} is down", name));
    }
    if (cluster().calendar().is_open(server)) {
        refuse(id, verb, fmt::format("{} is being drained", name));
    }
    const auto available = cluster().ledger().available(more.node);
    if (core::fit_of(available, asking.demand) < more.count) {
        const std::size_t lacking = lacking_resource(available, asking.demand, more.count);
        const core::ResourceSchema& schema = tree.resources();
        refuse(id,
               verb,
               fmt::format("{} has {} {} free, and {} of {} each are to start there",
                           name,
                           schema.format(lacking, available[lacking]),
                           schema.name(lacking),
                           members_text(more.count),
                           schema.format(lacking, asking.demand[lacking])));
    }
    const core::ServerRule* spread = cluster().spread_rule(asking);
    if (spread != nullptr && spread->most(server, more.count) < more.count) {
        refuse(id,
               verb,
               fmt::format("{} more on {}, where {} of application '{}' are: expected at most {} "
                           "of them",
                           members_text(more.count),
                           name,
                           cluster().application_pods(asking, server),
                           asking.application,
                           asking.per_server_max));
    }
    constexpr std::uint32_t whatever_is_drained_later = 0;
    const Members places = cluster().places(asking, server, whatever_is_drained_later);
    if (places < more.count) {
        refuse(id,
               verb,
               fmt::format("what its members ask for inside {} is free for {} of {}",
                           name,
                           places,
                           members_text(more.count)));
    }
}

/// Checks that these further members fit on their servers at the same time.
void OutsideActions::check_rooms(JobId id,
                                 std::string_view verb,
                                 std::span<const PlacedNode> more) const {
    Members members = 0;
    for (const PlacedNode& server : more) {
        check_room(id, verb, server);
        members += server.count;
    }
    const Job& asking = job(id).job();
    if (cluster().asks_inside(asking)) {
        cluster().inside().catch_up();
        const Members served = cluster().inside().servable(asking, more);
        if (served < members) {
            refuse(id,
                   verb,
                   fmt::format("what its servers share is enough for {} of {}",
                               served,
                               members_text(members)));
        }
    }
}

void OutsideActions::start(JobId id, std::vector<PlacedNode> servers) {
    constexpr std::string_view verb = "start";
    check_known(id, verb);
    if (running_.contains(id)) {
        refuse(id, verb, "it runs already");
    }
    std::ranges::sort(servers, {}, &PlacedNode::node);
    check_servers(id, verb, servers);
    const Job& asking = job(id).job();
    const Members members = sum_of(servers, asking.size);
    if (members < asking.min_available || members > asking.size) {
        const std::string range = asking.min_available == asking.size
                                      ? fmt::format("{}", asking.size)
                                      : fmt::format("{} to {}", asking.min_available, asking.size);
        refuse(id,
               verb,
               fmt::format("{} on its servers: expected {}",
                           members > asking.size
                               ? fmt::format("more than {}", members_text(asking.size))
                               : members_text(members),
                           range));
    }
    check_rooms(id, verb, servers);
    ++starts_;
    actions_.start(id, {std::move(servers), {}, {}});
}

void OutsideActions::evict(JobId id) {
    constexpr std::string_view verb = "be evicted";
    check_known(id, verb);
    if (!running_.contains(id)) {
        refuse(id, verb, "it does not run");
    }
    if (!job(id).job().preemptible) {
        refuse(id, verb, "it is not preemptible");
    }
    actions_.evict(id, EvictionCause::preempted);
}

bool OutsideActions::resize(JobId id, Members size, std::vector<PlacedNode> after) {
    constexpr std::string_view verb = "be resized";
    check_known(id, verb);
    const JobState& state = job(id);
    if (!state.job().group || size < 1) {
        refuse(id,
               verb,
               state.job().group ? fmt::format("to {}: expected 1 at least", members_text(size))
                                 : "it is a single pod: expected a group");
    }
    if (state.waits()) {
        if (!after.empty()) {
            refuse(id, verb, "it waits: expected no servers");
        }
        actions_.resize(id, size, {});
        return true;
    }
    std::ranges::sort(after, {}, &PlacedNode::node);
    check_servers(id, verb, after);
    if (const Members members = sum_of(after, size); members != size) {
        refuse(
            id,
            verb,
            fmt::format("{} on its servers: expected {}",
                        members > size ? fmt::format("more than {}", size) : members_text(members),
                        size));
    }
    std::map<core::NodeId, Members> before;
    for (const PlacedNode& server : running_members(state.record, cluster().topology())) {
        before[server.node] = server.count;
    }
    std::vector<PlacedNode> more;
    for (const PlacedNode& server : after) {
        const auto had = before.find(server.node);
        const Members joining = server.count - (had == before.end() ? 0 : had->second);
        if (joining > 0) {
            more.push_back({server.node, joining});
        }
    }
    if (!more.empty() && state.is_on_its_way_out()) {
        refuse(id, verb, "it is on its way out, and no member can join it");
    }
    check_rooms(id, verb, more);
    if (state.hung_since) {
        return false;
    }
    actions_.resize(id, size, after);
    return true;
}

void OutsideActions::reject(JobId id, std::string reason) {
    constexpr std::string_view verb = "be rejected";
    check_known(id, verb);
    if (running_.contains(id)) {
        refuse(id, verb, "it runs: expected one that waits");
    }
    actions_.reject(id, bounded_reason(std::move(reason)));
}

void OutsideActions::wake(SimTime at) {
    if (at < now()) {
        throw SchedulerError(fmt::format(
            "at {} s: the scheduler asks for a turn at {} s: expected a time that is not past",
            format_seconds(now()),
            format_seconds(at)));
    }
    if (at != never) {
        turns_.ask(at);
    }
}

}  // namespace berth::sim
