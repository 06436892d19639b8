#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/tree/topology.hpp"

namespace berth::experiments {

/// The resources of which some server of a cluster has some. The schema of the cluster also has
/// those for which pods ask and which no server has: often their name has a mistake.
class ServedResources {
public:
    explicit ServedResources(const core::Topology& tree);

    [[nodiscard]] bool has(std::string_view resource) const;
    /// The hint ` (did you mean 'cpu'?)` for a resource that no server has; or "".
    [[nodiscard]] std::string hint(std::string_view resource) const;

private:
    std::vector<std::string> names_;
};

}  // namespace berth::experiments
