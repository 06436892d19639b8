#include "core/allocation_candidates/provider_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/allocation_candidates/candidate_query.hpp"
#include "core/support/text.hpp"

namespace berth::core {
namespace {

/// How many members of a loop of parents a message shows, so that it stays one line.
constexpr std::size_t members_shown_max = 10;

class ProviderChecker {
public:
    explicit ProviderChecker(std::span<const ResourceProvider> providers) : providers_(providers) {
        by_uuid_.reserve(providers.size());
    }

    std::vector<ProviderFault> check() {
        for (std::size_t i = 0; i < providers_.size(); ++i) {
            check_uuid(i);
        }
        for (std::size_t i = 0; i < providers_.size(); ++i) {
            find_parent(i);
            check_inventories(i);
            check_usages(i);
            for (const std::string& trait : providers_[i].traits) {
                check_name(i, "trait", trait, "traits");
            }
        }
        report_cycles();
        std::ranges::stable_sort(faults_, {}, &ProviderFault::provider);
        return std::move(faults_);
    }

private:
    void report(std::size_t provider, std::vector<std::string> field, std::string message) {
        faults_.push_back({provider, std::move(field), std::move(message)});
    }

    void check_uuid(std::size_t i) {
        const std::string& uuid = providers_[i].uuid;
        const bool fresh = by_uuid_.emplace(uuid, i).second;
        if (!looks_like_uuid(uuid)) {
            report(i,
                   {"uuid"},
                   fmt::format("uuid is '{}': expected one such as "
                               "00000000-0000-0000-0000-000000000001",
                               uuid));
        } else if (!fresh) {
            report(
                i, {"uuid"}, fmt::format("uuid {} is there twice: expected each uuid once", uuid));
        }
    }

    void find_parent(std::size_t i) {
        parent_.emplace_back();
        if (!providers_[i].parent_uuid) {
            return;
        }
        const auto found = by_uuid_.find(*providers_[i].parent_uuid);
        if (found == by_uuid_.end()) {
            report(i,
                   {"parent_uuid"},
                   fmt::format("unknown parent '{}': expected the uuid of another provider",
                               *providers_[i].parent_uuid));
        } else {
            parent_.back() = found->second;
        }
    }

    void check_name(std::size_t i,
                    std::string_view what,
                    const std::string& name,
                    const char* field) {
        if (!is_placement_name(name)) {
            report(i,
                   {field, name},
                   fmt::format("{} '{}': expected 1 to 255 of A-Z, 0-9 and _", what, name));
        }
    }

    void check_inventories(std::size_t i) {
        for (const auto& [type, inventory] : providers_[i].inventories) {
            check_name(i, "resource class", type, "inventories");
            const auto check = [&, &resource = type](const char* field, Amount amount, Amount min) {
                if (amount < min || amount > provider_amount_max) {
                    report_amount(i, {"inventories", resource, field}, amount, min);
                }
            };
            check("total", inventory.total, 0);
            check("reserved", inventory.reserved, 0);
            check("min_unit", inventory.min_unit, 1);
            check("max_unit", inventory.max_unit, 1);
            check("step_size", inventory.step_size, 1);
            check_capacity(i, type, inventory);
        }
    }

    void report_amount(std::size_t i, std::vector<std::string> field, Amount amount, Amount min) {
        const std::string what = fmt::format("{} of {}", field[2], field[1]);
        report(
            i,
            std::move(field),
            amount < min
                ? fmt::format("{} is {}: expected at least {}", what, amount, min)
                : fmt::format("{} is {}: expected at most {}", what, amount, provider_amount_max));
    }

    void check_capacity(std::size_t i,
                        const std::string& type,
                        const ProviderInventory& inventory) {
        const bool in_range = inventory.total >= 0 && inventory.reserved >= 0;
        if (in_range && inventory.reserved > inventory.total) {
            report(i,
                   {"inventories", type, "reserved"},
                   fmt::format("reserved of {} is {}: expected at most its total, {}",
                               type,
                               inventory.reserved,
                               inventory.total));
        }
        const double ratio = inventory.allocation_ratio;
        if (!std::isfinite(ratio) || ratio <= 0) {
            report(i,
                   {"inventories", type, "allocation_ratio"},
                   fmt::format(
                       "allocation_ratio of {} is {}: expected a number above 0", type, ratio));
        } else if (in_range && static_cast<double>(inventory.total - inventory.reserved) * ratio >=
                                   static_cast<double>(CandidateGroup::amount_max)) {
            report(i,
                   {"inventories", type, "allocation_ratio"},
                   fmt::format("allocation_ratio of {} is {}: expected a capacity below {}",
                               type,
                               ratio,
                               CandidateGroup::amount_max));
        }
    }

    void check_usages(std::size_t i) {
        for (const auto& [type, used] : providers_[i].usages) {
            if (used < 0 || used > provider_amount_max) {
                report(i,
                       {"usages", type},
                       fmt::format(
                           "usage of {} is {}: expected 0 to {}", type, used, provider_amount_max));
            } else if (used > 0 && !providers_[i].inventories.contains(type)) {
                report(
                    i,
                    {"usages", type},
                    fmt::format(
                        "usage of {} is {} without an inventory of it: expected one", type, used));
            }
        }
    }

    /// Reports each loop once, at the member that comes first in the list.
    void report_cycles() {
        constexpr std::size_t unseen = 0;
        std::vector<std::size_t> walk_of(providers_.size(), unseen);
        for (std::size_t first = 0; first < providers_.size(); ++first) {
            const std::size_t walk = first + 1;
            std::optional<std::size_t> at = first;
            while (at && walk_of[*at] == unseen) {
                walk_of[*at] = walk;
                at = parent_[*at];
            }
            if (at && walk_of[*at] == walk) {
                report_cycle(*at);
            }
        }
    }

    void report_cycle(std::size_t member) {
        std::vector<std::size_t> members{member};
        for (std::size_t at = *parent_[member]; at != member; at = *parent_[at]) {
            members.push_back(at);
        }
        std::ranges::rotate(members, std::ranges::min_element(members));
        std::vector<std::string> names;
        for (const std::size_t i : members) {
            if (names.size() == members_shown_max) {
                names.push_back(fmt::format("and {} more", members.size() - members_shown_max));
                break;
            }
            names.push_back(called(providers_[i]));
        }
        report(members.front(),
               {"parent_uuid"},
               fmt::format("the parents of {} lead back to it ({}): expected them to lead to a "
                           "provider without a parent",
                           names.front(),
                           join(names, ", ")));
    }

    std::span<const ResourceProvider> providers_;
    std::unordered_map<std::string_view, std::size_t> by_uuid_;
    std::vector<std::optional<std::size_t>> parent_;
    std::vector<ProviderFault> faults_;
};

}  // namespace

std::vector<ProviderFault> check_providers(std::span<const ResourceProvider> providers) {
    return ProviderChecker(providers).check();
}

bool is_placement_name(std::string_view text) {
    constexpr std::size_t length_max = 255;
    return !text.empty() && text.size() <= length_max && std::ranges::all_of(text, [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
}

const std::string& called(const ResourceProvider& provider) {
    return provider.name.empty() ? provider.uuid : provider.name;
}

}  // namespace berth::core
