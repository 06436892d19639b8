#include "experiments/program/plan/quota_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "core/elastic_quota/elastic_quota.hpp"
#include "core/support/made_value.hpp"
#include "core/support/parse_number.hpp"
#include "core/tree/resources.hpp"
#include "experiments/program/config/quota/read_quota.hpp"

namespace berth::experiments {
namespace {

using core::Value;

/// A quota of the experiment, and the path of its object.
struct PlacedQuota {
    core::ElasticQuota quota;
    std::string path;
};

/// Adds the quotas of an object, which may be a list of objects.
void add_quotas(const Value& object, const std::string& path, std::vector<PlacedQuota>& out) {
    if (const Value* items = object.find("items")) {
        for (std::size_t i = 0; i < items->items.size(); ++i) {
            add_quotas(items->items[i], fmt::format("{}.items[{}]", path, i), out);
        }
        return;
    }
    core::Diagnostics ignored;  // the experiment is read again, and its errors are reported then
    for (ReadQuota& read : read_quotas(std::span(&object, 1), ignored)) {
        out.push_back({std::move(read.quota), path});
    }
}

std::vector<PlacedQuota> quotas_of(const Value& resolved) {
    std::vector<PlacedQuota> out;
    const Value* spec = resolved.find("spec");
    const Value* sources = spec != nullptr ? spec->find("quotas") : nullptr;
    for (std::size_t i = 0; sources != nullptr && i < sources->items.size(); ++i) {
        const Value* objects = sources->items[i].find("objects");
        for (std::size_t n = 0; objects != nullptr && n < objects->items.size(); ++n) {
            add_quotas(objects->items[n], fmt::format("spec.quotas[{}].objects[{}]", i, n), out);
        }
    }
    return out;
}

PlacedQuota* find(std::vector<PlacedQuota>& quotas, const std::string& name) {
    const auto at = std::ranges::find(
        quotas, name, [](const PlacedQuota& placed) { return placed.quota.name; });
    return at == quotas.end() ? nullptr : &*at;
}

/// Raises the mins of the quotas above one to the sums of their children's where they are less.
void raise_above(std::vector<PlacedQuota>& quotas, const PlacedQuota& changed) {
    PlacedQuota* above = find(quotas, changed.quota.parent);
    for (std::size_t depth = 0; above != nullptr && depth < quotas.size(); ++depth) {
        core::Quantities sum;
        for (const PlacedQuota& placed : quotas) {
            for (const auto& [resource, amount] : placed.quota.min) {
                sum[resource] += placed.quota.parent == above->quota.name ? amount : 0;
            }
        }
        for (const auto& [resource, amount] : sum) {
            core::Quantity& own = above->quota.min[resource];
            own = std::max(own, amount);
        }
        above = find(quotas, above->quota.parent);
    }
}

/// The part of each amount, rounded up to whole units.
core::Quantities part_of(const core::Quantities& all, double share) {
    constexpr core::Quantity unit = 1'000'000'000;
    constexpr core::Quantity shares = 1'000'000;
    const auto part =
        static_cast<core::Quantity>(std::llround(share * static_cast<double>(shares)));
    core::Quantities out;
    for (const auto& [resource, amount] : all) {
        const core::Quantity exact = amount / shares * part + amount % shares * part / shares;
        out[resource] = std::min(amount, (exact + unit - 1) / unit * unit);
    }
    return out;
}

/// The changes of an experiment with which its quotas have other mins.
Value changes_of(const std::vector<PlacedQuota>& before,
                 const std::vector<PlacedQuota>& now,
                 const core::SourceSpan& span) {
    Value out = map_value(span);
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (now[i].quota.min == before[i].quota.min) {
            continue;
        }
        Value min = map_value(span);
        for (const auto& [resource, amount] : now[i].quota.min) {
            set_member(min, resource, text_value(core::format_quantity(resource, amount), span));
        }
        set_member(out, now[i].path + ".spec.min", std::move(min));
    }
    return out;
}

/// Errors: core::InputError if there is no such quota that pods may be in.
void check_is_there(const std::vector<PlacedQuota>& quotas,
                    const std::string& name,
                    const core::SourceSpan& span) {
    std::vector<std::string> names;
    for (const PlacedQuota& placed : quotas) {
        if (!placed.quota.is_parent) {
            names.push_back(placed.quota.name);
        }
    }
    if (std::ranges::find(names, name) == names.end()) {
        throw core::InputError(
            span,
            fmt::format("no quota '{}' that pods may be in: expected {}{}",
                        name,
                        names.empty() ? "an experiment with quotas" : core::alternatives(names),
                        core::suggestion(name, names)));
    }
}

}  // namespace

std::string quota_in(const std::string& path) {
    const std::string before = "spec.quota[";
    const std::string after = "].min";
    return path.size() > before.size() + after.size() && path.starts_with(before) &&
                   path.ends_with(after)
               ? path.substr(before.size(), path.size() - before.size() - after.size())
               : "";
}

Value variants_of_min(const Value& resolved,
                      const std::string& quota,
                      const std::vector<std::string>& shares,
                      const core::SourceSpan& span) {
    const std::vector<PlacedQuota> before = quotas_of(resolved);
    check_is_there(before, quota, span);
    Value out = map_value(span);
    for (const std::string& text : shares) {
        const auto share = core::parse_number<double>(text);
        if (!share || !(*share >= 0 && *share <= 1)) {
            throw core::InputError(
                span,
                fmt::format(
                    "found '{}': expected a share of the max of {}, from 0 to 1", text, quota));
        }
        std::vector<PlacedQuota> now = before;
        PlacedQuota& chosen = *find(now, quota);
        for (const auto& [resource, amount] : part_of(chosen.quota.max, *share)) {
            chosen.quota.min[resource] = amount;
        }
        raise_above(now, chosen);
        set_member(out, text, changes_of(before, now, span));
    }
    return out;
}

}  // namespace berth::experiments
