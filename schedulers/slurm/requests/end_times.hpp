#pragma once

#include <vector>

#include "schedulers/slurm/requests/slurm_request.hpp"

namespace berth::experiments {

/// What recorded passes of the main loop say about ends of jobs. Each end asks for a pass, which
/// comes within a tick of the controller: so no job ends long before the next recorded pass.
class EndTimes {
public:
    explicit EndTimes(const SlurmRequest& request);

    /// Whether a pass comes within a tick of an end.
    [[nodiscard]] bool is_followed(Milliseconds end) const;
    /// The instant nearest to `end` that a pass follows, and not before `least`; `end` itself if no
    /// pass is left.
    [[nodiscard]] Milliseconds nearest_followed(Milliseconds end, Milliseconds least) const;
    /// Whether a job was submitted after the pass at `before`, and so asked for the pass at `at`.
    [[nodiscard]] bool was_asked_for(Milliseconds before, Milliseconds at) const;
    /// The recorded pass of the main loop before an instant.
    [[nodiscard]] Milliseconds pass_before(Milliseconds at) const;

private:
    Milliseconds tick_;
    std::vector<Milliseconds> passes_;
    std::vector<Milliseconds> submissions_;
};

/// Draws how much longer than its sleep a job runs, until its end is known to the controller: on a
/// quick machine about 0.1 s, on a busy one about 0.95 s, and now and then up to 2.6 s.
class LaunchTimes {
public:
    LaunchTimes(std::uint64_t seed, bool is_busy) : key_(seed), is_busy_(is_busy) {}

    [[nodiscard]] Milliseconds draw();
    /// Draws other times from now on.
    void fork(std::uint64_t seed) { key_ = seed; }

private:
    /// Uniform, from 0 to 999.
    [[nodiscard]] Milliseconds uniform();

    std::uint64_t key_;
    std::uint64_t drawn_ = 0;
    bool is_busy_;
};

}  // namespace berth::experiments
