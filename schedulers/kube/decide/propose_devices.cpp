#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/kube/decide/proposals.hpp"
#include "schedulers/kube/decide/trial.hpp"

// Proposals for nodes that lack devices for the pod's claims: fewer devices, another class, and
// requests without a selector or a constraint.

namespace berth::core::kube {
namespace {

/// A request of a claim that is not allocated, and has no alternatives.
struct Asked {
    std::size_t claim = 0;  ///< The pod has the claim at this index.
    std::size_t request = 0;
    const ResourceClaim* as = nullptr;

    [[nodiscard]] const DeviceRequest& device_request() const {
        return as->requests[request].alternatives.front();
    }
};

class DeviceProposals {
public:
    DeviceProposals(const Rejected& rejected, std::vector<Candidate>& proposals)
        : rejected_(rejected),
          proposals_(proposals),
          nodes_(rejected.by("DynamicResources")),
          first_(proposals.size()) {}

    void add_all() {
        const DeviceClaims& claims = rejected_.cluster.claims();
        for (std::size_t i = 0; !nodes_.empty() && i < rejected_.pod.claims.size(); ++i) {
            const PodClaim& claim = rejected_.pod.claims[i];
            const ResourceClaim* as = claims.spec_of(rejected_.pod, claim);
            if (as == nullptr || claims.find(rejected_.pod, claim) != nullptr) {
                continue;
            }
            for (std::size_t request = 0; request < as->requests.size(); ++request) {
                if (!as->requests[request].has_alternatives) {
                    add({i, request, as});
                }
            }
            for (std::size_t k = 0; k < as->constraints.size(); ++k) {
                ResourceClaim changed = *as;
                changed.constraints.erase(changed.constraints.begin() +
                                          static_cast<std::ptrdiff_t>(k));
                propose(i,
                        std::move(changed),
                        fmt::format("do without the constraint on {} in the claim {}",
                                    as->constraints[k].attribute,
                                    claim.name));
            }
        }
    }

private:
    void add(const Asked& asked) {
        const DeviceRequest& request = asked.device_request();
        const std::string where =
            fmt::format("request {} of the claim {}", request.name, name_of(asked.claim));
        if (request.mode == "ExactCount") {
            if (const std::int64_t count = most_devices(asked); count > 0) {
                ResourceClaim changed = *asked.as;
                changed.requests[asked.request].alternatives.front().count = count;
                propose(
                    asked.claim,
                    std::move(changed),
                    fmt::format("ask for {} devices, not {}, in {}", count, request.count, where));
            }
        }
        for (const auto& [name, of] : rejected_.cluster.claims().inventory().catalog.classes) {
            if (name != request.class_name) {
                ResourceClaim changed = *asked.as;
                changed.requests[asked.request].alternatives.front().class_name = name;
                propose(asked.claim,
                        std::move(changed),
                        fmt::format("ask for the device class {}, not {}, in {}",
                                    name,
                                    request.class_name,
                                    where));
            }
        }
        for (std::size_t k = 0; k < request.selectors.size(); ++k) {
            ResourceClaim changed = *asked.as;
            std::vector<std::optional<std::string>>& selectors =
                changed.requests[asked.request].alternatives.front().selectors;
            selectors.erase(selectors.begin() + static_cast<std::ptrdiff_t>(k));
            propose(
                asked.claim,
                std::move(changed),
                fmt::format(
                    "do without the selector {} in {}", request.selectors[k].value_or(""), where));
        }
    }

    [[nodiscard]] const std::string& name_of(std::size_t claim) const {
        return rejected_.pod.claims[claim].name;
    }

    /// The pod with a claim as it would be.
    [[nodiscard]] Pod with(std::size_t claim, ResourceClaim changed) const {
        Pod pod = rejected_.pod;
        pod.claims[claim].instead = std::make_shared<const ResourceClaim>(std::move(changed));
        return pod;
    }

    /// The largest count that some node has; 0 if that is none.
    [[nodiscard]] std::int64_t most_devices(const Asked& asked) const {
        std::int64_t most = 0;
        std::int64_t too_many = asked.device_request().count;
        while (too_many - most > 1) {
            const std::int64_t count = most + (too_many - most) / 2;
            ResourceClaim changed = *asked.as;
            changed.requests[asked.request].alternatives.front().count = count;
            const Pod pod = with(asked.claim, std::move(changed));
            const bool fits =
                Trial(pod, rejected_.cluster).first_passing(nodes_, nullptr).has_value();
            (fits ? most : too_many) = count;
        }
        return most;
    }

    void propose(std::size_t claim, ResourceClaim changed, std::string text) {
        if (proposals_.size() - first_ < most_of_a_field) {
            Candidate& candidate = proposals_.emplace_back(
                Candidate{.field = ChangedField::claims, .pod = with(claim, std::move(changed))});
            candidate.text = std::move(text);
            candidate.among = nodes_;
        }
    }

    const Rejected& rejected_;
    std::vector<Candidate>& proposals_;
    std::vector<std::size_t> nodes_;
    std::size_t first_;  ///< So many proposals were there before.
};

}  // namespace

void propose_devices(const Rejected& rejected, std::vector<Candidate>& proposals) {
    DeviceProposals(rejected, proposals).add_all();
}

}  // namespace berth::core::kube
