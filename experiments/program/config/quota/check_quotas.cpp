#include "experiments/program/config/quota/check_quotas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::ElasticQuota;

class QuotaChecker {
public:
    QuotaChecker(std::span<const ReadQuota> quotas, Diagnostics& diagnostics)
        : diagnostics_(diagnostics) {
        for (const ReadQuota& read : quotas) {
            const auto [known, fresh] = by_name_.try_emplace(read.quota.name, &read);
            if (!fresh) {
                diagnostics_.error(read.span,
                                   fmt::format("a second ElasticQuota is named '{}': expected "
                                               "distinct names",
                                               read.quota.name));
            }
        }
        for (const auto& [name, read] : by_name_) {
            children_[parent_of(read->quota)].push_back(read);
        }
        for (auto& [parent, children] : children_) {
            std::ranges::stable_sort(children, {}, [](const ReadQuota* child) {
                return child->quota.allow_force_update || child->quota.is_root;
            });
        }
    }

    core::QuotaRules check() {
        if (const auto root = by_name_.find(core::root_quota_name); root != by_name_.end()) {
            create(*root->second);
        }
        create_below(core::root_quota_name);
        report_unknown_parents();
        report_cycles();
        return std::move(rules_);
    }

private:
    void create_below(std::string_view top) {
        std::vector<std::string_view> parents{top};
        for (std::size_t i = 0; i < parents.size(); ++i) {
            const auto children = children_.find(parents[i]);
            if (children == children_.end()) {
                continue;
            }
            for (const ReadQuota* child : children->second) {
                if (create(*child)) {
                    parents.push_back(child->quota.name);
                } else {
                    check_alone_below(child->quota.name);
                }
            }
        }
    }

    bool create(const ReadQuota& read) {
        seen_.insert(read.quota.name);
        const core::Refusal refusal = rules_.create(read.quota);
        if (refusal) {
            diagnostics_.error(read.span, *refusal);
        }
        return !refusal;
    }

    void check_alone(const ReadQuota& read) {
        seen_.insert(read.quota.name);
        if (const core::Refusal refusal = core::check_alone(read.quota)) {
            diagnostics_.error(read.span, *refusal);
        }
    }

    /// What stands below a quota that is not there: nothing can be said of its place.
    void check_alone_below(std::string_view top) {
        std::vector<std::string_view> parents{top};
        for (std::size_t i = 0; i < parents.size(); ++i) {
            const auto children = children_.find(parents[i]);
            if (children == children_.end()) {
                continue;
            }
            for (const ReadQuota* child : children->second) {
                if (!seen_.contains(child->quota.name)) {
                    check_alone(*child);
                    parents.push_back(child->quota.name);
                }
            }
        }
    }

    void report_unknown_parents() {
        std::vector<std::string> names{std::string(core::root_quota_name)};
        for (const auto& [name, read] : by_name_) {
            names.push_back(name);
        }
        // The nearest of many names is dear, and nobody reads on for that long.
        int suggestions = 20;
        for (const auto& [parent, children] : children_) {
            if (parent.empty() || parent == core::root_quota_name || by_name_.contains(parent)) {
                continue;
            }
            const std::string hint =
                suggestions-- > 0 ? core::suggestion(parent, names) : std::string();
            for (const ReadQuota* child : children) {
                diagnostics_.error(child->span,
                                   fmt::format("unknown parent '{}' of {}: expected the name of "
                                               "another ElasticQuota of the file{}",
                                               parent,
                                               child->quota.name,
                                               hint));
            }
            check_alone_below(parent);
        }
    }

    /// What has not been seen has its parent in the file, and no way up to the root.
    void report_cycles() {
        std::set<std::string_view> walked;
        for (const auto& [start, unused] : by_name_) {
            if (seen_.contains(start)) {
                continue;
            }
            std::vector<std::string_view> path;
            std::string_view at = start;
            for (; walked.insert(at).second; at = parent_of(by_name_.find(at)->second->quota)) {
                path.push_back(at);
            }
            // Another walk came by here, or the end of the path is a cycle.
            if (const auto first = std::ranges::find(path, at); first != path.end()) {
                report_cycle({first, path.end()});
            }
        }
        for (const auto& [name, read] : by_name_) {
            if (!seen_.contains(name)) {
                check_alone(*read);
            }
        }
    }

    void report_cycle(std::vector<std::string_view> cycle) {
        std::ranges::rotate(cycle, std::ranges::min_element(cycle));
        const ReadQuota& read = *by_name_.find(cycle.front())->second;
        constexpr std::size_t shown_max = 5;
        std::string way;
        for (std::size_t i = 1; i < std::min(cycle.size(), shown_max); ++i) {
            way += fmt::format("{}, ", cycle[i]);
        }
        way += cycle.size() > shown_max ? "..., " : "";
        diagnostics_.error(read.span,
                           fmt::format("the parents of {} lead back to it ({}{}): expected them to "
                                       "lead to {}",
                                       cycle.front(),
                                       way,
                                       cycle.front(),
                                       core::root_quota_name));
    }

    Diagnostics& diagnostics_;
    core::QuotaRules rules_;
    std::map<std::string, const ReadQuota*, std::less<>> by_name_;
    std::map<std::string_view, std::vector<const ReadQuota*>> children_;  ///< By parent's name.
    std::set<std::string_view> seen_;
};

}  // namespace

core::QuotaRules check_quotas(std::span<const ReadQuota> quotas, Diagnostics& diagnostics) {
    return QuotaChecker(quotas, diagnostics).check();
}

void check_pods(std::span<const ReadPod> pods, core::QuotaRules& rules, Diagnostics& diagnostics) {
    std::set<std::string_view> warned;
    for (const ReadPod& read : pods) {
        if (const core::Refusal refusal = rules.add_pod(read.pod)) {
            diagnostics.error(read.span, *refusal);
        }
        const std::string& quota = read.pod.quota;
        if (!quota.empty() && rules.quota_of(read.pod) != quota && warned.insert(quota).second) {
            diagnostics.warning(read.span,
                                fmt::format("pod {} is in the unknown quota '{}': it belongs to {}",
                                            read.pod.name,
                                            quota,
                                            core::default_quota_name));
        }
    }
}

}  // namespace berth::experiments
