#include <fmt/format.h>

#include <string_view>

#include "core/support/assert.hpp"
#include "core/support/source.hpp"
#include "workloads/distribution.hpp"
#include "workloads/sources.hpp"

namespace berth::workloads {
namespace {

class RenewalSource final : public sim::PodSource {
public:
    RenewalSource(Renewal renewal, std::uint64_t seed)
        : renewal_(std::move(renewal)),
          gaps_(series(seed, "arrivals")),
          thinning_(series(seed, "thinning")),
          mix_(series(seed, "mix")),
          service_(series(seed, "service")),
          now_(renewal_.start),
          intensity_(renewal_.diurnal, renewal_.bursts, series(seed, "bursts")) {
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
        const Renewal::Template& entry = template_of(drawn_);
        sim::Job job = entry.job;
        const fmt::format_int number(drawn_);
        job.name.append("-").append(number.data(), number.size());
        job.submit = now_;
        if (const auto& service = entry.service ? entry.service : renewal_.service) {
            job.duration = drawn_duration(service->quantile(service_.uniform(drawn_)), now_);
        }
        ++drawn_;
        return job;
    }

private:
    sim::RandomSeries series(std::uint64_t seed, std::string_view purpose) const {
        return {seed, fmt::format("generate/{}/{}", renewal_.name, purpose)};
    }

    /// Goes to the next arrival; returns false when there is none.
    bool arrive() {
        constexpr std::uint64_t in_vain_max = 100'000'000;
        const std::uint64_t first = candidates_;
        std::uint64_t candidate = 0;
        do {
            candidate = candidates_++;
            if (candidate - first == in_vain_max) {
                throw core::InputError(fmt::format(
                    "generate {}: error: diurnal and bursts leave none of {} arrivals that were "
                    "drawn up to {}: expected fewer arrivals, or a time at which some come",
                    renewal_.name,
                    in_vain_max,
                    sim::time_text(now_)));
            }
            const double gap = renewal_.arrivals.quantile(gaps_.uniform(candidate));
            now_ += drawn_duration(gap / intensity_.most(), now_);
            if (now_ > renewal_.until || now_ == sim::never) {
                return false;
            }
        } while (is_thinned_out(candidate));
        return true;
    }

    bool is_thinned_out(std::uint64_t candidate) {
        return intensity_.varies() &&
               thinning_.uniform(candidate) * intensity_.most() >= intensity_.at(now_);
    }

    const Renewal::Template& template_of(std::uint64_t job) const {
        double left = mix_.uniform(job) * weight_total_;
        for (const Renewal::Template& entry : renewal_.mix) {
            left -= entry.weight;
            if (left < 0) {
                return entry;
            }
        }
        return renewal_.mix.back();
    }

    Renewal renewal_;
    sim::RandomSeries gaps_;      ///< One number for each candidate, thinned out or not.
    sim::RandomSeries thinning_;  ///< One number for each candidate.
    sim::RandomSeries mix_;       ///< One number for each job.
    sim::RandomSeries service_;   ///< One number for each job.
    sim::SimTime now_;
    Intensity intensity_;
    std::uint64_t candidates_ = 0;
    std::uint64_t drawn_ = 0;
    double weight_total_ = 0;
};

}  // namespace

std::unique_ptr<sim::PodSource> make_renewal(Renewal renewal, std::uint64_t seed) {
    return std::make_unique<RenewalSource>(std::move(renewal), seed);
}

}  // namespace berth::workloads
