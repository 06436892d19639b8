#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/elastic_quota/quota_trees.hpp"

namespace berth::tests {

/// Amounts of two resources, 0 and 1; `{{1, 5}}` has resource 1 alone.
inline core::ResourceList amounts(std::initializer_list<std::pair<std::size_t, core::Amount>> of) {
    core::ResourceList out(2);
    for (const auto& [resource, amount] : of) {
        out.set(resource, amount);
    }
    return out;
}

/// A leaf with amounts of resource 0 alone.
inline core::QuotaSpec leaf(std::string name,
                            core::Amount min,
                            core::Amount max,
                            std::string parent = "") {
    core::QuotaSpec spec;
    spec.name = std::move(name);
    spec.parent = std::move(parent);
    spec.min = amounts({{0, min}});
    spec.max = amounts({{0, max}});
    spec.shared_weight = amounts({});
    return spec;
}

inline core::QuotaSpec inner(std::string name,
                             core::Amount min,
                             core::Amount max,
                             std::string parent = "") {
    core::QuotaSpec spec = leaf(std::move(name), min, max, std::move(parent));
    spec.is_parent = true;
    return spec;
}

/// The quota with a weight other than its max; 0 is a weight too.
inline core::QuotaSpec weighing(core::QuotaSpec spec, core::Amount weight) {
    // Weights that are all zero would mean max. The other resource, of which there is nothing,
    // prevents that.
    spec.shared_weight = amounts({{0, weight}, {1, 1}});
    return spec;
}

inline core::QuotaSpec not_lent(core::QuotaSpec spec) {
    spec.allow_lent_resource = false;
    return spec;
}

/// Quotas by name, and amounts of resource 0.
struct Trees {
    explicit Trees(core::Amount total, bool scale_min = true) : quotas(2, scale_min) {
        quotas.set_cluster_total(amounts({{0, total}}));
    }

    void add(const std::vector<core::QuotaSpec>& specs) {
        for (const core::QuotaSpec& spec : specs) {
            quotas.add(spec);
        }
    }
    [[nodiscard]] core::QuotaId id(const std::string& name) const {
        return quotas.find(name).value();
    }
    void ask(const std::string& name, core::Amount amount) {
        quotas.add_request(id(name), std::vector<core::Amount>{amount, 0}, 1);
    }
    void use(const std::string& name, core::Amount amount, bool preemptible = true) {
        quotas.add_used(id(name), std::vector<core::Amount>{amount, 0}, 1, preemptible);
    }
    [[nodiscard]] core::Amount runtime(const std::string& name) {
        return quotas.runtime(id(name), 0).value();
    }

    core::QuotaTrees quotas;
};

}  // namespace berth::tests
