#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <system_error>
#include <utility>

#include "core/support/interner.hpp"
#include "experiments/program/results/quotas.hpp"
#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/results/stored/stored_table.hpp"

namespace berth::report {
namespace {

namespace fs = std::filesystem;

bool same(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

bool same_amounts(const QuotaStep& a, const QuotaStep& b) {
    return same(a.min, b.min) && same(a.max, b.max) && same(a.runtime, b.runtime) &&
           same(a.request, b.request) && same(a.used, b.used);
}

using Names = core::Interner<std::string>;

/// Gathers the rows of replication 0, sample by sample.
class QuotasReader {
public:
    explicit QuotasReader(const fs::path& path) : csv_(path) {}

    std::optional<Quotas> read() {
        std::map<std::string, bool> replications;
        while (csv_.next()) {
            replications.try_emplace(csv_.field(replication_));
            if (csv_.required_number(replication_) == 0) {
                add_row();
            }
        }
        if (all_.samples == 0) {
            return std::nullopt;
        }
        end_sample();
        all_.last_s = time_s_;
        all_.replications = replications.size();
        for (Quota& quota : all_.quotas) {
            quota.steps.resize(all_.resources.size());
            if (quota.parents.empty()) {
                quota.parents.push_back({all_.first_s, &quota == &all_.quotas[0] ? no_quota : 0});
            }
        }
        return std::move(all_);
    }

    [[nodiscard]] const Names& names() const { return names_; }

private:
    struct Sums {
        double used = 0;
        double request = 0;
        bool any = false;
    };

    void add_row() {
        const double time_s = csv_.required_number(time_);
        if (all_.samples > 0 && time_s < time_s_) {
            csv_.fail(time_, "the time goes back: expected rows in ascending time_s");
        }
        if (all_.samples == 0 || time_s > time_s_) {
            if (all_.samples > 0) {
                end_sample();
            } else {
                all_.first_s = time_s;
            }
            ++all_.samples;
            time_s_ = time_s;
        }
        const std::uint32_t at = quota(csv_.field(quota_));
        const std::string above = parent_ ? csv_.field(*parent_) : std::string();
        const std::uint32_t parent = at == 0 ? no_quota : above.empty() ? 0 : quota(above);
        if (parent == at) {
            csv_.fail(*parent_, fmt::format("the quota '{}' is its own parent", above));
        }
        std::vector<QuotaParent>& parents = all_.quotas[at].parents;
        if (parents.empty() || parents.back().parent != parent) {
            parents.push_back({time_s, parent});
        }
        const std::size_t r = resource(csv_.field(resource_));
        const auto amount = [&](std::size_t column) {
            return csv_.number(column).value_or(QuotaStep::not_stated);
        };
        QuotaStep step{time_s, amount(min_), amount(max_), amount(runtime_), amount(request_), 0};
        step.used = csv_.number(used_).value_or(0);
        if (parent == 0) {
            Sums& sums = first_level_[r];
            sums.used += step.used;
            sums.request += std::fmin(step.request == step.request ? step.request : 0, step.max);
            sums.any = true;
        }
        root_has_rows_ = root_has_rows_ || at == 0;
        add_step(at, r, step);
    }

    void add_step(std::uint32_t at, std::size_t r, const QuotaStep& step) {
        std::vector<std::vector<QuotaStep>>& by_resource = all_.quotas[at].steps;
        if (by_resource.size() <= r) {
            by_resource.resize(r + 1);
        }
        std::vector<QuotaStep>& steps = by_resource[r];
        std::vector<std::size_t>& seen = seen_[at];
        seen.resize(std::max(seen.size(), r + 1));
        seen[r] = all_.samples;
        if (steps.empty() || !same_amounts(steps.back(), step)) {
            steps.push_back(step);
        }
    }

    /// Ends the sample: a quota that was in the previous sample but is not in this one is gone, and
    /// a root without rows gets its sums.
    void end_sample() {
        for (std::size_t r = 0; r < first_level_.size() && !root_has_rows_; ++r) {
            if (first_level_[r].any) {
                QuotaStep step;
                step.time_s = time_s_;
                step.used = first_level_[r].used;
                step.request = first_level_[r].request;
                add_step(0, r, step);
            }
        }
        first_level_.assign(all_.resources.size(), {});
        for (std::uint32_t q = 0; q < all_.quotas.size(); ++q) {
            for (std::size_t r = 0; r < seen_[q].size(); ++r) {
                std::vector<QuotaStep>& steps = all_.quotas[q].steps[r];
                if (seen_[q][r] != all_.samples && !steps.empty() && steps.back().there()) {
                    QuotaStep gone;
                    gone.time_s = time_s_;
                    steps.push_back(gone);
                }
            }
        }
    }

    std::uint32_t quota(const std::string& name) {
        // A name that only occurs as a parent or with an evicted pod becomes a quota without steps.
        const std::uint32_t at = names_.number(name);
        while (all_.quotas.size() <= at) {
            all_.quotas.push_back(
                {all_.quotas.empty() ? std::string(root_quota_name) : name, {}, {}});
            seen_.emplace_back();
        }
        return at;
    }

    std::size_t resource(const std::string& name) {
        const auto found = std::ranges::find(all_.resources, name);
        if (found != all_.resources.end()) {
            return static_cast<std::size_t>(found - all_.resources.begin());
        }
        all_.resources.push_back(name);
        first_level_.emplace_back();
        return all_.resources.size() - 1;
    }

    CsvReader csv_;
    std::size_t replication_ = csv_.column("replication");
    std::size_t time_ = csv_.column("time_s");
    std::size_t quota_ = csv_.column("quota");
    std::size_t resource_ = csv_.column("resource");
    std::size_t min_ = csv_.column("min");
    std::size_t max_ = csv_.column("max");
    std::size_t runtime_ = csv_.column("runtime");
    std::size_t request_ = csv_.column("request");
    std::size_t used_ = csv_.column("used");
    std::optional<std::size_t> parent_ = csv_.find_column("parent");
    Quotas all_;
    Names names_{std::string(root_quota_name)};  ///< The root has number 0.
    std::vector<std::vector<std::size_t>>
        seen_;  ///< The number of the last sample with it, by quota and resource.
    std::vector<Sums> first_level_;  ///< The sums of the current sample, by resource.
    double time_s_ = 0;
    bool root_has_rows_ = false;
};

void read_evictions(const fs::path& path, const Names& names, Quotas& quotas) {
    CsvReader csv(path);
    const auto [replication, time, pod, quota, cause, ran, lost] =
        csv.columns("replication", "time_s", "pod", "quota", "cause", "ran_s", "lost_s");
    while (csv.next()) {
        if (csv.required_number(replication) == 0) {
            // A pod without a quota, or with one that is in no sample, counts for the root.
            quotas.evictions.push_back({csv.required_number(time),
                                        csv.field(pod),
                                        names.find(csv.field(quota)).value_or(0),
                                        csv.field(cause),
                                        csv.number(ran).value_or(0),
                                        csv.number(lost).value_or(0)});
        }
    }
    std::ranges::stable_sort(quotas.evictions, {}, &Eviction::time_s);
}

void read_changes(const fs::path& path, Quotas& quotas) {
    CsvReader csv(path);
    const auto [replication, time, change, quota, accepted, message] =
        csv.columns("replication", "time_s", "change", "quota", "accepted", "message");
    while (csv.next()) {
        const std::string& verdict = csv.field(accepted);
        if (verdict != "true" && verdict != "false") {
            csv.fail(accepted, fmt::format("'{}': expected true or false", verdict));
        }
        if (csv.required_number(replication) == 0) {
            quotas.changes.push_back({csv.required_number(time),
                                      csv.field(change),
                                      csv.field(quota),
                                      verdict == "true",
                                      csv.field(message)});
        }
    }
    std::ranges::stable_sort(quotas.changes, {}, &QuotaChange::time_s);
}

}  // namespace

std::optional<Quotas> read_quotas(const fs::path& directory) {
    const auto has = [&](const char* file) { return has_table(directory / file); };
    if (!has("quotas.csv")) {
        return std::nullopt;
    }
    QuotasReader reader(directory / "quotas.csv");
    std::optional<Quotas> quotas = reader.read();
    if (quotas && has("evictions.csv")) {
        read_evictions(directory / "evictions.csv", reader.names(), *quotas);
    }
    if (quotas && has("quota_changes.csv")) {
        read_changes(directory / "quota_changes.csv", *quotas);
    }
    return quotas;
}

}  // namespace berth::report
