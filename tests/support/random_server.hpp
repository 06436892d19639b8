#pragma once

#include <deque>
#include <string>

#include "sim/scheduler/scheduler.hpp"
#include "tests/support/dice.hpp"

namespace berth::tests {

/// Each pod goes to a randomly drawn server and waits until that server has room; groups are
/// refused.
class RandomServer final : public sim::Scheduler {
public:
    RandomServer(sim::Actions& actions, std::uint64_t seed) : actions_(actions), dice_(seed) {}

    void submitted(sim::JobId id) override {
        if (actions_.job(id).job().group) {
            actions_.reject(id, "it is a group");
        } else if (actions_.job(id).waits()) {
            draw(id);
        }
    }
    void evicted(sim::JobId id, const sim::Stay& /*stay*/, sim::EvictionCause /*cause*/) override {
        draw(id);
    }
    void ended(sim::JobId /*id*/) override { actions_.wake(actions_.now(), sim::Timer::second); }
    void resize_asked(sim::JobId id, core::Members /*size*/) override {
        actions_.refuse_resize(id);
    }
    void woken(sim::Timer /*timer*/) override {
        for (std::size_t left = waiting_.size(); left > 0; --left) {
            const Drawn next = waiting_.front();
            waiting_.pop_front();
            if (actions_.cluster().has_room(actions_.job(next.id).job(), next.server)) {
                const core::Topology& tree = actions_.cluster().topology();
                actions_.start(next.id, {{{tree.node_of(next.server), 1}}, {}, {}});
            } else {
                waiting_.push_back(next);
            }
        }
    }
    sim::Refusal why_waiting(sim::JobId /*id*/) override { return {"its server is full", 0}; }
    const std::string& quota_of(sim::JobId id) override { return actions_.job(id).job().quota; }

private:
    struct Drawn {
        sim::JobId id;
        core::ServerId server;
    };
    void draw(sim::JobId id) {
        const auto last = static_cast<std::int64_t>(actions_.cluster().topology().server_count());
        const auto server = static_cast<std::uint32_t>(dice_.roll(0, last - 1));
        waiting_.push_back({id, core::ServerId{server}});
        actions_.wake(actions_.now(), sim::Timer::second);
    }

    sim::Actions& actions_;
    Dice dice_;
    std::deque<Drawn> waiting_;
};

}  // namespace berth::tests
