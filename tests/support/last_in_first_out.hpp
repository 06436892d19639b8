#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "sim/scheduler/scheduler.hpp"

namespace berth::tests {

/// The job that came last starts first, on the first servers with room, and no job overtakes
/// another.
class LastInFirstOut final : public sim::Scheduler {
public:
    explicit LastInFirstOut(sim::Actions& actions) : actions_(actions) {}

    void submitted(sim::JobId id) override {
        if (actions_.job(id).waits()) {
            wait(id);
        }
    }
    void evicted(sim::JobId id, const sim::Stay& /*stay*/, sim::EvictionCause /*cause*/) override {
        wait(id);
    }
    void ended(sim::JobId /*id*/) override { look_soon(); }
    void server_changed(core::ServerId /*server*/,
                        bool /*up*/,
                        const std::vector<core::Amount>& /*outside*/,
                        bool /*foreseen*/) override {
        look_soon();
    }
    void resize_asked(sim::JobId id, core::Members size) override {
        if (actions_.job(id).waits()) {
            actions_.resize(id, size, {});
        } else {
            actions_.refuse_resize(id);
        }
    }
    void woken(sim::Timer /*timer*/) override {
        while (!waiting_.empty()) {
            sim::Placement placement = place(actions_.job(waiting_.back()).job());
            if (placement.servers.empty()) {
                return;
            }
            const sim::JobId id = waiting_.back();
            waiting_.pop_back();
            actions_.start(id, std::move(placement));
        }
    }
    const std::string& quota_of(sim::JobId id) override { return actions_.job(id).job().quota; }

private:
    void wait(sim::JobId id) {
        waiting_.push_back(id);
        look_soon();
    }
    void look_soon() { actions_.wake(actions_.now(), sim::Timer::first); }
    sim::Placement place(const sim::Job& job) const {
        sim::Placement placement;
        core::Members left = job.size;
        const core::Topology& tree = actions_.cluster().topology();
        for (std::uint32_t i = 0; i < tree.server_count() && left > 0; ++i) {
            const core::ServerId server{i};
            const core::Members here = std::min(left, actions_.cluster().places(job, server));
            if (here > 0) {
                placement.servers.push_back({tree.node_of(server), here});
                left -= here;
            }
        }
        return left == 0 ? placement : sim::Placement();
    }

    sim::Actions& actions_;
    std::vector<sim::JobId> waiting_;
};

}  // namespace berth::tests
