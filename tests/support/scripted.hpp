#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/scheduler/scheduler.hpp"

namespace berth::tests {

/// Calls the steps of a script at their times, and records what the run tells it.
class Scripted final : public sim::Scheduler {
public:
    using Step = std::function<void(sim::Actions& actions)>;
    using Script = std::multimap<sim::SimTime, Step>;

    Scripted(sim::Actions& actions, Script script, std::vector<std::string>& told)
        : actions_(actions), script_(std::move(script)), told_(told) {
        for (const auto& [at, step] : script_) {
            actions_.wake(at, sim::Timer::third);
        }
    }

    void submitted(sim::JobId id) override { tell("submitted", id); }
    void started(sim::JobId id, bool fresh) override {
        tell(fresh ? "started" : "started more of", id);
    }
    void evicted(sim::JobId id, const sim::Stay& stay, sim::EvictionCause /*cause*/) override {
        told_.push_back("evicted " + name(id) + " after " + text(actions_.now() - stay.since) +
                        ", lost " + text(stay.lost));
    }
    void suspended(sim::JobId id, const sim::Stay& /*stay*/) override { tell("suspended", id); }
    void moved(sim::JobId id, const sim::Stay& /*stay*/) override { tell("moved", id); }
    void ended(sim::JobId id) override {
        told_.push_back("ended " + name(id) + " at " + text(actions_.now()));
    }
    void resize_asked(sim::JobId id, core::Members size) override {
        told_.push_back(name(id) + " asks for " + std::to_string(size));
        actions_.refuse_resize(id);
    }
    void woken(sim::Timer /*timer*/) override {
        script_.begin()->second(actions_);
        script_.erase(script_.begin());
    }
    const std::string& quota_of(sim::JobId id) override { return actions_.job(id).job().quota; }

private:
    [[nodiscard]] const std::string& name(sim::JobId id) const {
        return actions_.job(id).job().name;
    }
    [[nodiscard]] static std::string text(sim::SimTime time) {
        return std::to_string(static_cast<std::int64_t>(sim::seconds(time))) + " s";
    }
    void tell(const std::string& what, sim::JobId id) { told_.push_back(what + " " + name(id)); }

    sim::Actions& actions_;
    Script script_;
    std::vector<std::string>& told_;
};

}  // namespace berth::tests
