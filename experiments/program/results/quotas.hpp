#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::report {

/// The quota above the first level. It may have no rows of its own.
inline constexpr std::string_view root_quota_name = "koordinator-root-quota";
inline constexpr std::uint32_t no_quota = 0xFFFFFFFF;

/// The amounts of one quota and one resource from `time_s` until the next step. An amount that the
/// file does not state is NaN; `used` is NaN from the instant at which the quota is gone.
struct QuotaStep {
    static constexpr double not_stated = std::numeric_limits<double>::quiet_NaN();
    double time_s = 0;
    double min = not_stated;
    double max = not_stated;
    double runtime = not_stated;
    double request = not_stated;
    double used = not_stated;

    [[nodiscard]] bool there() const { return used == used; }
    /// The amount that the quota is guaranteed; 0 without a min.
    [[nodiscard]] double sure() const { return min > 0 ? min : 0; }
    [[nodiscard]] double borrowed() const { return used > sure() ? used - sure() : 0; }
    [[nodiscard]] double over_use() const { return used > runtime ? used - runtime : 0; }
};

/// The parent of a quota from `time_s` on; `no_quota` for the root.
struct QuotaParent {
    double time_s = 0;
    std::uint32_t parent = no_quota;
};

struct Quota {
    std::string name;
    std::vector<QuotaParent> parents;           ///< The parents, ascending in time; never empty.
    std::vector<std::vector<QuotaStep>> steps;  ///< The steps of each resource, ascending in time.

    [[nodiscard]] std::uint32_t last_parent() const { return parents.back().parent; }
    /// Whether it is the system or the default quota: these are below the root only by name and
    /// take no part in the sharing.
    [[nodiscard]] bool special() const;
};

/// A pod that lost its place.
struct Eviction {
    double time_s = 0;
    std::string pod;
    std::uint32_t quota = no_quota;
    std::string cause;  ///< Such as revoked, preempted or node-failed.
    double ran_s = 0;
    double lost_s = 0;
};

/// An object that was created, changed or deleted, or a change that was refused.
struct QuotaChange {
    double time_s = 0;
    std::string change;  ///< create, update or delete.
    std::string quota;   ///< Any name: a quota whose change was refused may occur nowhere else.
    bool accepted = true;
    std::string message;
};

/// The quotas of replication 0. quotas[0] is the root. A parent stands before its children, at
/// least as of the children's first sample.
struct Quotas {
    std::vector<std::string> resources;
    std::vector<Quota> quotas;
    std::vector<Eviction> evictions;
    std::vector<QuotaChange> changes;
    double first_s = 0;
    double last_s = 0;  ///< The time of the last sample, until which the last steps hold.
    std::size_t samples = 0;
    std::size_t replications = 0;  ///< The number of replications with rows in the file.

    [[nodiscard]] std::uint32_t find(std::string_view name) const;
};

/// Reads quotas.csv, and evictions.csv and quota_changes.csv beside it if they exist. A root
/// without rows gets the sums of the first level: of what is used, and of requests, each limited by
/// its max. Returns nothing if the directory has no quotas.csv, or the file has no row of
/// replication 0.
///
/// Errors: core::InputError with the file, the line and the column.
/// Cost:   O(rows) time; memory by changes, since a sample equal to the one before is not kept.
[[nodiscard]] std::optional<Quotas> read_quotas(const std::filesystem::path& directory);

/// The figures of one quota and one resource, weighted by the time between samples while the quota
/// existed.
struct QuotaFigures {
    std::optional<double> used_mean;
    std::optional<double> min_mean;
    std::optional<double> max_mean;
    double there_s = 0;
    double over_min_s = 0;  ///< The time with more in use than min.
    double over_use_s = 0;  ///< The time with more in use than runtime.
    double borrowed_h = 0;  ///< The use beyond min, as amount times hours.
    double borrowed_most = 0;
    double over_use_most = 0;
};
[[nodiscard]] QuotaFigures figures_of(const std::vector<QuotaStep>& steps, double end_s);

/// The step that holds at an instant; nullptr before the first one.
[[nodiscard]] const QuotaStep* step_at(const std::vector<QuotaStep>& steps, double time_s);

/// At most about `points` steps, which keep the least and the greatest value of each interval in
/// each column. If there are few enough steps, all of them stay.
[[nodiscard]] std::vector<QuotaStep> thinned(const std::vector<QuotaStep>& steps,
                                             std::size_t points);

/// The quota and the resource to show first: the first quota, in order, that has a min and used
/// more of the paid resource than that; otherwise the first quota below the root.
struct QuotaChoice {
    std::uint32_t quota = 0;
    std::size_t resource = 0;
};
[[nodiscard]] QuotaChoice usual_choice(const Quotas& quotas);

}  // namespace berth::report
