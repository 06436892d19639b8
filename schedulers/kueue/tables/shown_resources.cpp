#include "schedulers/kueue/tables/shown_resources.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace berth::report {

ShownResources::ShownResources(const std::vector<QueueObject>& objects,
                               const std::vector<QueueStay>& stays) {
    for (const QueueObject& object : objects) {
        for (const QueueObject::Limits& one : object.limits) {
            note(one.flavor, one.resource);
        }
    }
    for (const QueueStay& stay : stays) {
        for (const QueueStay::Held& one : stay.amounts) {
            note(one.flavor, one.resource);
        }
    }
    for (const auto& [resource, flavors] : flavors_) {
        const std::size_t all = names_.size();
        names_.push_back(resource);
        resources_.push_back(resource);
        for (const std::string& flavor : flavors) {
            places_[{flavor, resource}] = {all, all};
            if (flavors.size() > 1) {
                places_[{flavor, resource}].second = names_.size();
                names_.push_back(fmt::format("{} of {}", resource, flavor));
                resources_.push_back(resource);
            }
        }
    }
}

void ShownResources::note(const std::string& flavor, const std::string& resource) {
    auto known = std::ranges::find(flavors_, resource, &Flavors::first);
    if (known == flavors_.end()) {
        known = flavors_.insert(known, {resource, {}});
    }
    if (std::ranges::find(known->second, flavor) == known->second.end()) {
        known->second.push_back(flavor);
    }
}

}  // namespace berth::report
