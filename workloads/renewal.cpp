#include <fmt/format.h>

#include <boost/random/uniform_01.hpp>
#include <cmath>

#include "core/support/assert.hpp"
#include "workloads/sources.hpp"

namespace berth::workloads {
namespace {

/// Seconds to the nearest nanosecond, within what SimTime holds from `now` on.
sim::SimTime duration_of(double seconds, sim::SimTime now) {
    constexpr double nanoseconds = 1e9;
    const double rounded = std::round(seconds * nanoseconds);
    const sim::SimTime room = sim::never - now;
    if (!(rounded < static_cast<double>(room.count()))) {
        return room;
    }
    return sim::SimTime(static_cast<std::int64_t>(rounded));
}

class RenewalSource final : public sim::PodSource {
public:
    RenewalSource(Renewal renewal, sim::RandomBits bits)
        : renewal_(std::move(renewal)),
          bits_(bits),
          now_(renewal_.start),
          intensity_(renewal_.diurnal, renewal_.bursts) {
        BERTH_ASSERT(renewal_.count > 0 || renewal_.until != sim::never, "a process ends");
        for (const Renewal::Template& entry : renewal_.mix) {
            weight_total_ += entry.weight;
        }
    }

    std::optional<sim::Job> next() override {
        if (renewal_.count > 0 && drawn_ == renewal_.count) {
            return std::nullopt;
        }
        if (!arrive()) {
            return std::nullopt;
        }
        const Renewal::Template& entry = draw_template();
        sim::Job job = entry.job;
        job.name = fmt::format("{}-{}", job.name, drawn_++);
        job.submit = now_;
        if (const auto& service = entry.service ? entry.service : renewal_.service) {
            job.duration = duration_of(service->draw(bits_), now_);
        }
        return job;
    }

private:
    /// Goes to the next arrival; returns false when there is none.
    bool arrive() {
        do {
            now_ += duration_of(renewal_.arrivals.draw(bits_) / intensity_.most(), now_);
            if (now_ > renewal_.until || now_ == sim::never) {
                return false;
            }
        } while (is_thinned_out());
        return true;
    }

    bool is_thinned_out() {
        return intensity_.varies() &&
               boost::random::uniform_01<double>()(bits_) * intensity_.most() >=
                   intensity_.at(now_, bits_);
    }

    const Renewal::Template& draw_template() {
        double left = boost::random::uniform_01<double>()(bits_) * weight_total_;
        for (const Renewal::Template& entry : renewal_.mix) {
            left -= entry.weight;
            if (left < 0) {
                return entry;
            }
        }
        return renewal_.mix.back();
    }

    Renewal renewal_;
    sim::RandomBits bits_;
    sim::SimTime now_;
    Intensity intensity_;
    std::uint64_t drawn_ = 0;
    double weight_total_ = 0;
};

}  // namespace

std::unique_ptr<sim::PodSource> make_renewal(Renewal renewal, sim::RandomBits bits) {
    return std::make_unique<RenewalSource>(std::move(renewal), bits);
}

}  // namespace berth::workloads
