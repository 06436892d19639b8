#include "experiments/python/module/shown_queue.hpp"

#include <algorithm>
#include <chrono>
#include <ratio>
#include <span>

#include "core/index/fit_index.hpp"
#include "sim/clock/time.hpp"

namespace berth::python {

namespace {

float hours(sim::SimTime time) {
    return static_cast<float>(std::chrono::duration<double, std::ratio<3600>>(time).count());
}

bool has_amounts(std::span<const core::Amount> available, std::span<const core::Amount> demand) {
    return std::ranges::equal(demand,
                              available.first(demand.size()),
                              [](core::Amount asked, core::Amount free) { return asked <= free; });
}

}  // namespace

ShownQueue::ShownQueue(EnvironmentShape shape, QueueArrays arrays)
    : shape_(std::move(shape)),
      arrays_(arrays),
      rooms_(shape_.servers),
      most_free_(shape_.resources) {}

std::int64_t ShownQueue::action_count() const {
    return static_cast<std::int64_t>(shape_.slots * shape_.servers + 1);
}

/// Writes how many members of a job fit on each server, at most the job's size.
/// Returns: whether all members fit.
bool ShownQueue::find_rooms(const sim::OutsideActions& see, const sim::Job& job) {
    const sim::Cluster& cluster = see.cluster();
    const auto free = see.free();
    const core::ServerRule* spread = cluster.spread_rule(job);
    const bool asks_inside = cluster.asks_inside(job);
    std::int64_t sum = 0;
    for (std::uint32_t index = 0; index < shape_.servers; ++index) {
        const core::ServerId server{index};
        const auto row = free.subspan(index * shape_.resources, shape_.resources);
        core::Members room = 0;
        if (has_amounts(row, job.demand) && cluster.ledger().is_up(server) &&
            !cluster.calendar().is_open(server)) {
            room = job.size == 1 ? 1 : std::min(job.size, core::fit_of(row, job.demand));
        }
        if (room > 0 && spread != nullptr) {
            room = std::min(room, spread->most(server, room));
        }
        if (room > 0 && asks_inside) {
            constexpr std::uint32_t whatever_is_drained_later = 0;
            room = std::min(room, cluster.places(job, server, whatever_is_drained_later));
        }
        rooms_[index] = std::max<core::Members>(room, 0);
        sum += rooms_[index];
    }
    return sum >= job.size;
}

void ShownQueue::show_job(const sim::OutsideActions& see, std::size_t slot, const sim::Job& job) {
    float* demand = arrays_.demand + slot * shape_.resources;
    for (std::size_t resource = 0; resource < shape_.resources; ++resource) {
        demand[resource] = resource < job.demand.size()
                               ? static_cast<float>(static_cast<double>(job.demand[resource]) /
                                                    shape_.scale[resource])
                               : 0.0F;
    }
    arrays_.size[slot] = static_cast<float>(job.size);
    arrays_.wait[slot] = hours(see.now() - job.submit);
    arrays_.estimate[slot] = job.estimate ? hours(*job.estimate) : 0.0F;
}

void ShownQueue::show_free(const sim::OutsideActions& see) {
    const auto free = see.free();
    std::ranges::fill(most_free_, 0);
    for (std::size_t i = 0; i < free.size(); ++i) {
        const std::size_t resource = i % shape_.resources;
        most_free_[resource] = std::max(most_free_[resource], free[i]);
        arrays_.free[i] = static_cast<float>(static_cast<double>(free[i]) / shape_.scale[resource]);
    }
}

void ShownQueue::look(const sim::OutsideActions& see) {
    show_nothing();
    show_free(see);
    jobs_.clear();
    for (const sim::JobId id : see.waiting()) {
        const sim::Job& job = see.job(id).job();
        pods_waiting_ += job.size;
        if (jobs_.size() == shape_.slots) {
            continue;
        }
        const std::size_t slot = jobs_.size();
        jobs_.push_back(id);
        show_job(see, slot, job);
        // On a full cluster, this check saves looking at each server.
        if (has_amounts(most_free_, job.demand) && find_rooms(see, job)) {
            can_start_ = true;
            std::ranges::transform(rooms_,
                                   arrays_.mask + slot * shape_.servers,
                                   [](core::Members room) { return room > 0 ? 1 : 0; });
        }
    }
    *arrays_.waiting = static_cast<float>(see.waiting().size());
}

void ShownQueue::show_nothing() {
    can_start_ = false;
    pods_waiting_ = 0;
    const auto clear = [](float* numbers, std::size_t count) { std::fill_n(numbers, count, 0.0F); };
    clear(arrays_.free, shape_.servers * shape_.resources);
    clear(arrays_.demand, shape_.slots * shape_.resources);
    clear(arrays_.size, shape_.slots);
    clear(arrays_.wait, shape_.slots);
    clear(arrays_.estimate, shape_.slots);
    clear(arrays_.waiting, 1);
    std::fill_n(arrays_.mask, action_count(), std::int8_t{0});
    arrays_.mask[action_count() - 1] = 1;
}

std::optional<std::pair<sim::JobId, std::vector<core::PlacedNode>>> ShownQueue::start_of(
    const sim::OutsideActions& see, std::int64_t action) {
    const auto number = static_cast<std::size_t>(action);
    const std::size_t slot = number / shape_.servers;
    const std::size_t first = number % shape_.servers;
    if (slot >= jobs_.size() || arrays_.mask[number] == 0) {
        return std::nullopt;
    }
    const sim::Job& job = see.job(jobs_[slot]).job();
    (void)find_rooms(see, job);
    std::vector<core::PlacedNode> placement;
    core::Members left = job.size;
    for (std::size_t step = 0; step < shape_.servers && left > 0; ++step) {
        const auto server = static_cast<std::uint32_t>((first + step) % shape_.servers);
        const core::Members here = std::min(left, rooms_[server]);
        if (here > 0) {
            placement.push_back({see.cluster().topology().node_of(core::ServerId{server}), here});
            left -= here;
        }
    }
    return std::pair(jobs_[slot], std::move(placement));
}

}  // namespace berth::python
