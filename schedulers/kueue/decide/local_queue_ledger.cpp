#include "schedulers/kueue/decide/local_queue_ledger.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "core/support/assert.hpp"
#include "core/support/rounded_math.hpp"
#include "schedulers/kueue/decide/cache.hpp"

namespace berth::core::kueue {
namespace {

using boost::multiprecision::cpp_int;

constexpr std::int64_t second = 1'000'000'000;

double in_seconds(std::chrono::nanoseconds time) {
    const std::int64_t whole = time.count() / second;
    return static_cast<double>(whole) + static_cast<double>(time.count() % second) / 1e9;
}

/// Multiplies an amount by a factor from 0 to 1, taken as the shortest decimal that stands for it,
/// and rounds down.
cpp_int scaled(const cpp_int& amount, double factor) {
    std::array<char, 512> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), factor, std::chars_format::fixed);
    BERTH_ASSERT(end.ec == std::errc(), "a factor has few digits");
    std::string_view digits(text.data(), static_cast<std::size_t>(end.ptr - text.data()));
    const std::size_t point = digits.find('.');
    const std::string_view whole = digits.substr(0, point);
    const std::string_view fraction =
        point == std::string_view::npos ? std::string_view() : digits.substr(point + 1);
    cpp_int product = 0;
    for (const std::string_view part : {whole, fraction}) {
        for (const char digit : part) {
            product = product * 10 + (digit - '0');
        }
    }
    return amount * product /
           boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(fraction.size()));
}

}  // namespace

LocalQueueLedger::LocalQueueLedger(AdmissionFairSharing settings, const Names& names)
    : settings_(std::move(settings)) {
    BERTH_ASSERT(settings_.sampling.count() > 0, "samples are taken at times");
    const std::vector<std::string> all = names.resources.values();
    for (std::uint32_t i = 0; i < all.size(); ++i) {
        const auto weight = settings_.resource_weights.find(all[i]);
        resources_.push_back(
            {ResourceId{i}, weight != settings_.resource_weights.end() ? weight->second : 1});
        if (all[i] == "cpu") {
            cpu_ = ResourceId{i};
        }
    }
    std::ranges::sort(resources_, {}, [&](const Resource& one) -> const std::string& {
        return all[one.id.index];
    });
}

LocalQueueId LocalQueueLedger::add(double weight) {
    queues_.push_back({weight, {}, {}, {}, 0});
    sum_up(queues_.back());
    return {static_cast<std::uint32_t>(queues_.size() - 1)};
}

void LocalQueueLedger::set_weight(LocalQueueId queue, double weight) {
    queues_[queue.index].weight = weight;
    sum_up(queues_[queue.index]);
}

/// CPUs are counted in thousandths, everything else in whole units.
LocalQueueLedger::Billionths LocalQueueLedger::in_billionths(ResourceId resource,
                                                             Amount amount) const {
    return Billionths(amount) * (resource == cpu_ ? 1'000'000 : second);
}

double LocalQueueLedger::alpha(Nanoseconds elapsed) const {
    if (settings_.half_life.count() == 0) {
        return 0;
    }
    return 1.0 - rounded_pow(0.5, in_seconds(elapsed) / in_seconds(settings_.half_life));
}

bool LocalQueueLedger::sample(Queue& queue, Nanoseconds now) const {
    const double share = alpha(now - queue.sampled);
    queue.sampled = now;
    Usage before = std::exchange(queue.consumed, {});
    for (const auto& [resource, amount] : before) {
        queue.consumed[resource] = scaled(amount, 1 - share);
    }
    for (const auto& [resource, amount] : queue.held) {
        queue.consumed[resource] += scaled(in_billionths(resource, amount), share);
    }
    return queue.consumed != before;
}

/// Takes a sample at every sampling interval since the last one.
void LocalQueueLedger::sample_until(Queue& queue, Nanoseconds now) const {
    BERTH_ASSERT(now >= queue.sampled, "time does not go back");
    const auto is_zero = [](const auto& part) { return part.second == 0; };
    if (std::ranges::all_of(queue.held, is_zero) && std::ranges::all_of(queue.consumed, is_zero)) {
        queue.sampled = now - (now - queue.sampled) % settings_.sampling;
        return;
    }
    while (queue.sampled + settings_.sampling <= now) {
        if (!sample(queue, queue.sampled + settings_.sampling)) {
            // From here on all samples are alike, and they change nothing either.
            queue.sampled = now - (now - queue.sampled) % settings_.sampling;
        }
    }
    sum_up(queue);
}

void LocalQueueLedger::sum_up(Queue& queue) const {
    double usage = 0;
    for (const Resource& resource : resources_) {
        const auto consumed = queue.consumed.find(resource.id);
        if (consumed != queue.consumed.end()) {
            usage += resource.weight * (consumed->second.convert_to<double>() * 1e-9);
        }
    }
    queue.usage =
        queue.weight <= 0 ? std::numeric_limits<double>::infinity() : usage / queue.weight;
}

void LocalQueueLedger::admit(LocalQueueId id,
                             const ResourceAmounts& held,
                             const ResourceAmounts& requests,
                             Nanoseconds now) {
    Queue& queue = queues_[id.index];
    sample_until(queue, now);
    for (const auto& [resource, amount] : held) {
        add_to(queue.held, resource, amount);
    }
    (void)sample(queue, now);
    const double share = alpha(settings_.sampling);
    for (const auto& [resource, amount] : requests) {
        queue.consumed[resource] += scaled(in_billionths(resource, amount), share);
    }
    sum_up(queue);
}

void LocalQueueLedger::release(LocalQueueId id, const ResourceAmounts& held, Nanoseconds now) {
    Queue& queue = queues_[id.index];
    sample_until(queue, now);
    for (const auto& [resource, amount] : held) {
        queue.held[resource] = minus(queue.held[resource], amount);
        BERTH_ASSERT(queue.held[resource] >= 0, "only what was held is given back");
    }
}

void LocalQueueLedger::go_to(Nanoseconds now) {
    for (Queue& queue : queues_) {
        sample_until(queue, now);
    }
}

std::optional<LocalQueueLedger::Nanoseconds> LocalQueueLedger::next_sample() const {
    std::optional<Nanoseconds> next;
    for (const Queue& queue : queues_) {
        const bool is_left = settings_.sampling < Nanoseconds::max() - queue.sampled;
        const Nanoseconds at = is_left ? queue.sampled + settings_.sampling : Nanoseconds::max();
        next = next ? std::min(*next, at) : at;
    }
    return next;
}

}  // namespace berth::core::kueue
