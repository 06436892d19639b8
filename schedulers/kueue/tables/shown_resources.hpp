#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/kueue/tables/queues.hpp"

namespace berth::report {

/// The resources that the page can show: each resource over all flavors and, if there are several
/// flavors, in each of them.
class ShownResources {
public:
    ShownResources(const std::vector<QueueObject>& objects, const std::vector<QueueStay>& stays);

    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    /// The resource of a place in names(), without the flavor.
    [[nodiscard]] const std::string& resource(std::size_t place) const { return resources_[place]; }
    /// Calls `add` with the place of the resource over all flavors, and with that of this flavor if
    /// it differs.
    template <class Add>
    void each(const std::string& flavor, const std::string& resource, const Add& add) const {
        const auto [all, own] = places_.at({flavor, resource});
        add(all);
        if (own != all) {
            add(own);
        }
    }

private:
    void note(const std::string& flavor, const std::string& resource);

    using Flavors = std::pair<std::string, std::vector<std::string>>;
    /// The flavors of each resource, both in the order in which they are first mentioned.
    std::vector<Flavors> flavors_;
    std::vector<std::string> names_;
    std::vector<std::string> resources_;  ///< The resource of each entry of `names_`.
    std::map<std::pair<std::string, std::string>, std::pair<std::size_t, std::size_t>> places_;
};

}  // namespace berth::report
