#include <algorithm>
#include <cstddef>
#include <memory>
#include <tuple>
#include <vector>

#include "schedulers/rounds/decide/tick_policy.hpp"

namespace berth::core::rounds {
namespace {

class ShortestFirst final : public TickPolicy {
public:
    explicit ShortestFirst(bool times_gpus) : times_gpus_(times_gpus) {}

private:
    struct Before {
        bool operator()(const Ranked& a, const Ranked& b) const {
            return std::tie(a.key, a.was) < std::tie(b.key, b.was);
        }
    };

    /// Nanoseconds, rounded up.
    [[nodiscard]] Ranked::Key key_of(const TickJob& job) const {
        constexpr Ranked::Key second = 1'000'000'000;
        const auto speed = static_cast<Ranked::Key>(job.speed);
        const Ranked::Key time = (static_cast<Ranked::Key>(job.left) * second + speed - 1) / speed;
        return times_gpus_ ? time * static_cast<Ranked::Key>(job.gpus) : time;
    }

    /// Jobs that have waited are in order: only those that ran, and those that came, are sorted.
    void sort(std::chrono::nanoseconds /*now*/,
              const TickJobs& jobs,
              std::size_t first_new) override {
        waited_.clear();
        others_.clear();
        for (std::size_t i = 0; i < order_.size(); ++i) {
            Ranked& one = order_[i];
            one.was = static_cast<std::uint32_t>(i);
            if (one.placed || i >= first_new) {
                one.key = key_of(jobs[one.job]);
                others_.push_back(one);
            } else {
                waited_.push_back(one);
            }
        }
        std::ranges::sort(others_, Before());
        std::ranges::merge(waited_, others_, order_.begin(), Before());
    }

    bool times_gpus_;
    std::vector<Ranked> waited_;
    std::vector<Ranked> others_;
};

}  // namespace

std::unique_ptr<TickPolicy> make_shortest_first(bool times_gpus) {
    return std::make_unique<ShortestFirst>(times_gpus);
}

}  // namespace berth::core::rounds
