#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "experiments/program/why/scheduler_why.hpp"
#include "experiments/program/why/search.hpp"
#include "experiments/program/why/story.hpp"
#include "schedulers/rounds/run/rounds_inquiry.hpp"

namespace berth::experiments {

extern constinit const SchedulerWhy rounds_why;
constinit const SchedulerWhy rounds_why{
    "rounds", [](const sim::Turn& /*turn*/, sim::Inquiry& inquiry, Scene& scene) {
        const auto* stood = dynamic_cast<const sim::RoundsInquiry*>(&inquiry);
        if (stood == nullptr) {
            return false;
        }
        scene.own.json = {{"rank", stood->rank}, {"jobs", stood->jobs}, {"free", stood->free}};
        std::vector<Change>& found = scene.changes.found;
        if (stood->enough_rank > 0) {
            found.push_back(worded_change("rank",
                                          "it is number {to} in the order instead of number {from}",
                                          {{"from", stood->rank}, {"to", stood->enough_rank}}));
        }
        if (stood->enough_gpus > 0) {
            Change fewer = worded_change(
                "gpus",
                "with the rank that it has, it asks for {to} GPU(s) instead of {from}",
                {{"from", stood->asked}, {"to", stood->enough_gpus}});
            fewer.is_far = stood->enough_gpus < stood->asked - stood->enough_gpus;
            found.insert(fewer.is_far ? found.end() : found.begin(), std::move(fewer));
        }
        scene.changes.untried.push_back(
            "another policy, or another batch size: they change the whole run");
        return true;
    }};

}  // namespace berth::experiments
