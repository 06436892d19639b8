#pragma once

#include <vector>

#include "schedulers/slurm/requests/slurm_request.hpp"

namespace berth::experiments {

/// When jobs end of which a recording says how long they sleep, but not how long their start and
/// end took. Each end asks for a pass of the main loop, which comes within a tick of the
/// controller. So no job ends long before the next recorded pass.
class EndTimes {
public:
    EndTimes(const SlurmRequest& request, Milliseconds launch);

    /// The end of a job that started at an instant.
    [[nodiscard]] Milliseconds of(Milliseconds start, Milliseconds sleep);
    /// The earliest end of such a job.
    [[nodiscard]] static Milliseconds earliest(Milliseconds start, Milliseconds sleep) {
        return start + sleep + least_launch;
    }
    /// Whether a job was submitted after the pass before this one, and so asked for it.
    /// `at`: a recorded pass of the main loop. `before` becomes the instant of the pass before.
    [[nodiscard]] bool was_asked_for(Milliseconds at, Milliseconds& before);
    void add_misfit(Milliseconds time) { misfit_ += time; }
    [[nodiscard]] Milliseconds misfit() const { return misfit_; }

private:
    static constexpr Milliseconds least_launch = 40;

    Milliseconds launch_;
    Milliseconds tick_;
    std::vector<Milliseconds> passes_;
    std::vector<Milliseconds> submissions_;
    Milliseconds last_pass_;
    Milliseconds misfit_ = 0;
};

}  // namespace berth::experiments
