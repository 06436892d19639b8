#include "core/device_allocator/device_allocator.hpp"

#include "core/support/assert.hpp"

namespace berth::core {

DeviceAllocator::DeviceAllocator(std::shared_ptr<const DeviceInventory> inventory,
                                 const DeviceRequest& request,
                                 DeviceOptions options)
    : inventory_(std::move(inventory)),
      options_(std::move(options)),
      plan_(make_device_plan(*inventory_, request, options_.rules, options_.scorer)) {
    BERTH_ASSERT(!request.empty(), "a pod without devices is none of the allocator's");
}

DeviceOutcome DeviceAllocator::allocate(const DeviceState& state) const {
    using Phase = DeviceRefusal::Phase;
    const bool scores = options_.scorer.has_value();
    if (options_.mode == DeviceOptions::Mode::allocate) {
        return pass(state, scores, options_.rules.filter_and_reserve_differ, Phase::allocate);
    }
    if (!options_.rules.filter_and_reserve_differ) {
        DeviceOutcome outcome = pass(state, scores, false, Phase::filter);
        if (auto* granted = std::get_if<GrantedDevices>(&outcome); granted && scores) {
            granted->score = score(state);
        }
        return outcome;
    }
    DeviceOutcome filtered = pass(state, false, true, Phase::filter);
    if (std::holds_alternative<DeviceRefusal>(filtered)) {
        return filtered;
    }
    DeviceOutcome reserved = pass(state, scores, false, Phase::reserve);
    if (auto* granted = std::get_if<GrantedDevices>(&reserved); granted && scores) {
        granted->score = score(state);
    }
    return reserved;
}

DeviceOutcome DeviceAllocator::pass(const DeviceState& state,
                                    bool is_scored,
                                    bool primary_only,
                                    DeviceRefusal::Phase phase) const {
    const DeviceQuestion question(*inventory_, plan_, state, options_.rules, is_scored);
    auto decided = decide(question, options_.solver, primary_only);
    if (const auto* failures = std::get_if<DeviceFailures>(&decided)) {
        return DeviceRefusal{
            {failures->messages.begin(), failures->messages.end()}, failures->resolvable, phase};
    }
    return GrantedDevices{std::move(std::get<DeviceAllocation>(decided)), std::nullopt};
}

Amount DeviceAllocator::score(const DeviceState& state) const {
    BERTH_ASSERT(!plan_.skips_secondaries || !plan_.joint.empty(), "secondaries follow a primary");
    const DeviceQuestion question(*inventory_, plan_, state, options_.rules, true);
    Amount sum = 0;
    for (const DeviceType type : device_request_order) {
        const bool skipped = plan_.skips_secondaries && type != plan_.joint.front();
        if (plan_.types[type].requested && !skipped && question.views[type].kept != 0) {
            sum += question.score_of_all(type);
        }
    }
    return sum;
}

}  // namespace berth::core
