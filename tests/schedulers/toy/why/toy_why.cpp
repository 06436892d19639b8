#include "experiments/program/why/scheduler_why.hpp"
#include "experiments/program/why/story.hpp"
#include "tests/schedulers/toy/run/toy_settings.hpp"

namespace berth::experiments {

extern constinit const SchedulerWhy toy_why;
constinit const SchedulerWhy toy_why{
    "toy", [](const sim::Turn& turn, sim::Inquiry& inquiry, Scene& scene) {
        const auto* toy = dynamic_cast<const sim::ToyInquiry*>(&inquiry);
        if (toy == nullptr) {
            return false;
        }
        const std::size_t tickets = sim::ToySettings::of(turn.settings)->tickets;
        scene.waiting_before = toy->before;
        scene.own.lines.line(1, "there are {} tickets", tickets);
        scene.own.json = {{"tickets", tickets}};
        return true;
    }};

}  // namespace berth::experiments
