#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "experiments/program/results/queues.hpp"

namespace berth::report {

/// Which resource people pay for, and figures show unless told otherwise: GPUs, else another device
/// (a name with a `/`), else CPUs, else the first.
[[nodiscard]] std::size_t paid_resource(const std::vector<std::string>& resources);

/// The resources that the page can show: each one of all flavors together, and where there are
/// several, of each flavor.
class ShownResources {
public:
    ShownResources(const std::vector<QueueObject>& objects, const std::vector<QueueStay>& stays);

    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    /// The name of the resource alone, in one of these places.
    [[nodiscard]] const std::string& resource(std::size_t place) const { return resources_[place]; }
    /// Calls `add` with the place of the resource of all flavors, and with that of this flavor.
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
    std::vector<Flavors> flavors_;  ///< By resource, in the order in which they are mentioned.
    std::vector<std::string> names_;
    std::vector<std::string> resources_;  ///< Of each of `names_`.
    std::map<std::pair<std::string, std::string>, std::pair<std::size_t, std::size_t>> places_;
};

}  // namespace berth::report
