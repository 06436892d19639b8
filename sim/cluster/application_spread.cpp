#include "sim/cluster/application_spread.hpp"

#include <algorithm>
#include <optional>

#include "core/support/assert.hpp"

namespace berth::sim {

class ApplicationSpread::Rule final : public core::ServerRule {
public:
    Rule(const Counts& counts, core::Members limit) : counts_(counts), limit_(limit) {}

    [[nodiscard]] std::optional<std::int64_t> score(core::ServerId server) const override {
        return most(server, 1) > 0 ? std::optional<std::int64_t>(0) : std::nullopt;
    }
    [[nodiscard]] core::Members most(core::ServerId server, core::Members fit) const override {
        const auto here = counts_.find(server);
        const core::Members count = here == counts_.end() ? 0 : here->second;
        return std::min(fit, std::max<core::Members>(limit_ - count, 0));
    }

private:
    const Counts& counts_;
    core::Members limit_;
};

ApplicationSpread::ApplicationSpread() = default;
ApplicationSpread::ApplicationSpread(const ApplicationSpread& other) : counts_(other.counts_) {}
ApplicationSpread::~ApplicationSpread() = default;

const core::ServerRule* ApplicationSpread::rule(const Job& job) {
    if (job.per_server_max == 0) {
        return nullptr;
    }
    std::unique_ptr<Rule>& rule = rules_[{job.application, job.per_server_max}];
    if (rule == nullptr) {
        rule = std::make_unique<Rule>(counts_[job.application], job.per_server_max);
    }
    return rule.get();
}

core::Members ApplicationSpread::pods(const Job& job, core::ServerId server) const {
    const auto counts = counts_.find(job.application);
    if (counts == counts_.end()) {
        return 0;
    }
    const auto here = counts->second.find(server);
    return here == counts->second.end() ? 0 : here->second;
}

void ApplicationSpread::count(const Job& job, core::ServerId server, core::Members pods) {
    Counts& counts = counts_[job.application];
    const core::Members here = counts[server] += pods;
    BERTH_ASSERT(here >= 0, "no more pods of an application leave a server than came");
    if (here == 0) {
        counts.erase(server);
    }
}

bool ApplicationSpread::show(const Job& job, core::ServerId server, core::Members pods) {
    Counts& counts = counts_[job.application];
    const auto known = counts.find(server);
    const core::Members before = known != counts.end() ? known->second : 0;
    add(job, server, pods - before);
    return pods != before;
}

}  // namespace berth::sim
