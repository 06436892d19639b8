#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/elastic_quota/quota_trees.hpp"

namespace berth::tests {

/// Computes runtimes from scratch in the slow and plain way: all requests bottom-up, then one
/// family after the other, with 128-bit divisions and a full sort. core::QuotaTrees must agree with
/// it.
class PlainQuotas {
public:
    struct Quota {
        core::QuotaSpec spec;
        std::vector<core::Amount> own_request;
        std::vector<core::Amount> own_used;
    };

    std::map<std::string, Quota> quotas;  ///< Quotas by name; siblings are ordered by name.
    std::vector<core::Amount> total;
    std::vector<core::Amount> units;  ///< Units in which each resource is shared; empty: all 1.
    bool total_known = true;          ///< Whether a small total scales mins down.

    [[nodiscard]] core::Amount limited_request(const std::string& name, std::size_t r) const {
        const Quota& quota = quotas.at(name);
        core::Amount asked = quota.spec.max.has(r) ? quota.own_request[r] : 0;
        for (const std::string& child : children(name)) {
            asked += limited_request(child, r);
        }
        if (!quota.spec.allow_lent_resource) {
            asked = std::max(asked, quota.spec.min[r]);
        }
        return quota.spec.max.has(r) ? std::min(asked, quota.spec.max[r]) : asked;
    }

    [[nodiscard]] core::Amount used(const std::string& name, std::size_t r) const {
        const Quota& quota = quotas.at(name);
        core::Amount sum = quota.spec.max.has(r) ? quota.own_used[r] : 0;
        for (const std::string& child : children(name)) {
            sum += used(child, r);
        }
        return sum;
    }

    /// The runtimes of all quotas below `parent` ("" is the root) in one resource.
    void runtimes(const std::string& parent,
                  core::Amount handed_down,
                  std::size_t r,
                  std::map<std::string, core::Amount>& out) const {
        const std::vector<std::string> family = children(parent);
        __extension__ using Wide = __int128;
        const core::Amount unit = units.empty() ? 1 : units[r];
        Wide min_sum = 0;
        for (const std::string& name : family) {
            min_sum += quotas.at(name).spec.min[r];
        }
        std::map<std::string, core::Amount> min;
        for (const std::string& name : family) {
            const core::Amount own = quotas.at(name).spec.min[r];
            const bool scaled = handed_down < min_sum && (total_known || !parent.empty());
            min[name] = !scaled ? own
                        : handed_down <= 0
                            ? 0
                            : static_cast<core::Amount>(
                                  static_cast<double>(handed_down / unit) *
                                  static_cast<double>(own / unit) /
                                  static_cast<double>(static_cast<core::Amount>(min_sum) / unit)) *
                                  unit;
        }
        std::vector<std::string> hungry;
        Wide left = handed_down;
        for (const std::string& name : family) {
            const core::Amount request = limited_request(name, r);
            const bool lent = quotas.at(name).spec.allow_lent_resource;
            out[name] = request > min[name] || !lent ? min[name] : request;
            left -= out[name];
            if (request > min[name]) {
                hungry.push_back(name);
            }
        }
        for (left /= unit; left > 0 && !hungry.empty();) {
            Wide weights = 0;
            for (const std::string& name : hungry) {
                weights += weight(name, r);
            }
            if (weights <= 0) {
                break;
            }
            std::vector<std::pair<Wide, std::string>> remainders;
            Wide rest = left;
            for (const std::string& name : hungry) {
                const Wide product = left * weight(name, r);
                out[name] += static_cast<core::Amount>(product / weights) * unit;
                rest -= product / weights;
                if (weight(name, r) > 0) {
                    remainders.emplace_back(-(product % weights), name);
                }
            }
            std::ranges::sort(remainders);
            for (std::size_t i = 0; static_cast<Wide>(i) < rest; ++i) {
                out[remainders[i].second] += unit;
            }
            left = 0;
            std::vector<std::string> still;
            for (const std::string& name : hungry) {
                const core::Amount request = limited_request(name, r);
                if (out[name] < request) {
                    still.push_back(name);
                } else {
                    left += (out[name] - request) / unit;
                    out[name] = request;
                }
            }
            hungry = still;
        }
        for (const std::string& name : family) {
            runtimes(name, out[name], r, out);
        }
    }

private:
    [[nodiscard]] std::vector<std::string> children(const std::string& parent) const {
        std::vector<std::string> out;
        for (const auto& [name, quota] : quotas) {
            if (quota.spec.parent == parent) {
                out.push_back(name);
            }
        }
        return out;
    }
    [[nodiscard]] core::Amount weight(const std::string& name, std::size_t r) const {
        const core::QuotaSpec& spec = quotas.at(name).spec;
        return spec.shared_weight.all_zero() ? spec.max[r] : spec.shared_weight[r];
    }
};

}  // namespace berth::tests
