#include "sim/measure/gpu_time_ledger.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/support/assert.hpp"
#include "core/tree/gpu_resource.hpp"

namespace berth::sim {
namespace {

using core::Amount;
using core::ServerId;

/// At most this many kinds are followed at a time; the one that was unused for longest is
/// forgotten.
constexpr std::size_t kinds_max = 64;

Amount built_in(const core::Topology& tree, ServerId server, std::size_t gpu) {
    return tree.machine_type(server).capacity(static_cast<Eigen::Index>(gpu));
}

bool has_hard(const core::LevelConstraints& constraints) {
    for (std::uint32_t level = 0; level < constraints.level_count(); ++level) {
        if (constraints.at(core::Level{level}).hard) {
            return true;
        }
    }
    return false;
}

}  // namespace

using core::Amount;
using core::ChangeReader;
using core::ServerId;

Amount idle_gpus(const core::Ledger& ledger, ServerId server, std::size_t gpu) {
    BERTH_AUDIT(gpu < ledger.resource_count(), "GPUs are a resource of the schema");
    return std::max<Amount>(ledger.available(ledger.topology().node_of(server))[gpu], 0);
}

GpuIdleIndex::GpuIdleIndex(const Cluster& cluster, Job job, std::size_t gpu, std::uint32_t met)
    : cluster_(cluster),
      job_(std::move(job)),
      gpu_(gpu),
      met_(met),
      changes_{
          ChangeReader(&cluster.ledger().changes()), ChangeReader(nullptr), ChangeReader(nullptr)},
      here_(cluster.topology().server_count()) {
    if (const core::ServerRule* rule = cluster.rule(job_, met_)) {
        changes_[1] = ChangeReader(rule->score_changes());
        changes_[2] = ChangeReader(rule->most_changes());
    }
    for (std::uint32_t server = 0; server < here_.size(); ++server) {
        look_at(ServerId{server});
    }
}

void GpuIdleIndex::catch_up() {
    if (std::ranges::any_of(changes_, &ChangeReader::has_missed)) {
        for (std::uint32_t server = 0; server < here_.size(); ++server) {
            look_at(ServerId{server});
        }
        std::ranges::for_each(changes_, &ChangeReader::skip);
    }
    for (ChangeReader& changes : changes_) {
        while (const auto server = changes.next()) {
            look_at(*server);
        }
    }
}

void GpuIdleIndex::look_at(ServerId server) {
    ++looks_;
    Here now;
    if (!cluster_.calendar().is_open(server)) {
        now.idle = idle_gpus(cluster_.ledger(), server, gpu_);
    }
    if (now.idle > 0) {
        now.lack = cluster_.lack(job_, server, met_);
        // Only a group asks for more than one place; for other jobs it is not counted.
        now.places =
            job_.group && now.lack == Lack::nothing ? cluster_.places(job_, server, met_) : 0;
    }
    Here& before = here_[server.index];
    idle_[static_cast<std::size_t>(before.lack)] -= before.idle;
    idle_[static_cast<std::size_t>(now.lack)] += now.idle;
    places_ += now.places - before.places;
    BERTH_ASSERT(idle_[static_cast<std::size_t>(now.lack)] >= 0 && places_ >= 0,
                 "what a server adds is taken back once");
    before = now;
}

std::string_view to_string(GpuTimeUse use) {
    static constexpr std::array<std::string_view, gpu_time_use_count> names{"allocated",
                                                                            "no_demand",
                                                                            "quota",
                                                                            "gang_waiting",
                                                                            "split",
                                                                            "nic_mismatch",
                                                                            "cpu_or_memory",
                                                                            "model_mismatch",
                                                                            "fragmented",
                                                                            "scheduler",
                                                                            "failed",
                                                                            "redone",
                                                                            "checkpoint",
                                                                            "restart",
                                                                            "hung",
                                                                            "drained",
                                                                            "spare"};
    return names[static_cast<std::size_t>(use)];
}

bool GpuTimeLedger::has_gpus(const core::Topology& tree) {
    const auto gpu = core::gpu_resource(tree);
    return gpu && std::ranges::any_of(tree.machine_types(), [&](const core::MachineType& type) {
               return type.capacity(static_cast<Eigen::Index>(*gpu)) > 0;
           });
}

GpuTimeLedger::GpuTimeLedger(const Cluster& cluster,
                             Window window,
                             const std::vector<ServerId>& left_out,
                             GpuTimeUse last,
                             bool spares)
    : cluster_(cluster),
      ledger_(cluster.ledger()),
      gpu_(core::gpu_resource(cluster.topology()).value()),
      window_(window),
      last_(last),
      tells_spares_(spares),
      changes_(&ledger_.changes()),
      here_(cluster.topology().server_count()) {
    for (const ServerId server : left_out) {
        here_[server.index].left_out = true;
    }
    for (std::uint32_t server = 0; server < here_.size(); ++server) {
        if (!here_[server].left_out) {
            capacity_ += built_in(ledger_.topology(), ServerId{server}, gpu_);
            look_at(ServerId{server});
        }
    }
}

void GpuTimeLedger::look_at(ServerId server) {
    Here& here = here_[server.index];
    if (here.left_out) {
        return;
    }
    const Here now = look(server);
    idle_ += now.idle - here.idle;
    failed_ += now.failed - here.failed;
    drained_ += now.drained - here.drained;
    spare_ += now.spare - here.spare;
    here = now;
}

GpuTimeLedger::Here GpuTimeLedger::look(ServerId server) const {
    Here here;
    const Amount idle = idle_gpus(ledger_, server, gpu_);
    const Amount away =
        ledger_.is_up(server) ? 0 : built_in(ledger_.topology(), server, gpu_) - idle;
    const bool drained = cluster_.is_drained(server);
    const bool takes_nobody = cluster_.calendar().is_open(server);
    const bool spare = cluster_.is_spare(server);
    here.idle = takes_nobody ? 0 : idle;
    here.failed = drained || spare ? 0 : away;
    here.spare = spare ? away - cluster_.background_of_absent(server)[gpu_] : 0;
    here.drained = (drained ? away : 0) + (takes_nobody ? idle : 0);
    return here;
}

void GpuTimeLedger::look_at_changes() {
    if (changes_.has_missed()) {
        for (std::uint32_t server = 0; server < here_.size(); ++server) {
            look_at(ServerId{server});
        }
        changes_.skip();
    }
    while (const auto server = changes_.next()) {
        look_at(*server);
    }
}

void GpuTimeLedger::waits(std::uint64_t number, const Job& job, JobId id) {
    if (job.demand[gpu_] == 0) {
        return;
    }
    BERTH_ASSERT(waiting_.emplace(number, Waiting{&job, id}).second,
                 "no two jobs have one number in the queue");
    waiting_demand_ += demand(job);
    asked_stale_ = asked_stale_ || asked_.size() < asked_max || number < *asked_last_;
}

void GpuTimeLedger::leaves(std::uint64_t number, const Job& job) {
    if (job.demand[gpu_] == 0) {
        return;
    }
    BERTH_ASSERT(waiting_.erase(number) == 1, "only a waiting job leaves the queue");
    waiting_demand_ -= demand(job);
    BERTH_ASSERT(!waiting_.empty() || waiting_demand_ == 0,
                 "where nobody waits, nothing is asked for");
    asked_stale_ = asked_stale_ || number <= asked_last_;
}

void GpuTimeLedger::choose_whom_to_ask() {
    asked_.clear();
    asked_last_.reset();
    for (auto at = waiting_.begin(); at != waiting_.end() && asked_.size() < asked_max; ++at) {
        asked_.push_back({at->second, &idle_index(*at->second.job)});
        asked_last_ = at->first;
    }
    asked_stale_ = false;
}

GpuIdleIndex& GpuTimeLedger::idle_index(const Job& job) {
    const std::uint32_t met = cluster_.calendar().met(job);
    Kind kind(job.demand,
              job.inside(),
              job.gpus != nullptr ? *job.gpus : core::GpuRequest{},
              job.group,
              met);
    const auto known = kinds_.find(kind);
    if (known == kinds_.end() && kinds_.size() == kinds_max) {
        kinds_.erase(std::ranges::min_element(
            kinds_, {}, [](const auto& entry) { return entry.second.last_used; }));
    }
    KindIndex& entry = known != kinds_.end() ? known->second : kinds_[std::move(kind)];
    if (entry.idle == nullptr) {
        entry.idle = std::make_unique<GpuIdleIndex>(cluster_, job, gpu_, met);
    }
    entry.last_used = ++uses_;
    return *entry.idle;
}

void GpuTimeLedger::stint_over(const Job& job, const Stint& stint, const Stretch& stretch) {
    BERTH_ASSERT(tells_gain(), "only a run that tells time without gain has any");
    const Wide gpus = Wide{stint.members} * job.demand[gpu_];
    const auto take = [&](const Window& window, ByUse& sums) {
        const TimeWithoutGain time = time_without_gain(stretch, stint, window);
        for (const auto& [use, part] : {std::pair(GpuTimeUse::redone, time.redone),
                                        std::pair(GpuTimeUse::checkpoint, time.writing),
                                        std::pair(GpuTimeUse::restart, time.restarting),
                                        std::pair(GpuTimeUse::hung, time.hung)}) {
            sums[static_cast<std::size_t>(use)] += gpus * part.count();
            sums[static_cast<std::size_t>(GpuTimeUse::allocated)] -= gpus * part.count();
        }
    };
    if (gpus != 0) {
        take({}, sum_);
        take(window_, measured_);
    }
}

void GpuTimeLedger::settle(SimTime now, const OverQuota& over_quota) {
    BERTH_ASSERT(now >= end_, "time never goes back");
    const Wide passed = (now - end_).count();
    const Wide inside = window_.part_of(end_, now).count();
    for (std::size_t use = 0; passed > 0 && use < gpu_time_use_count; ++use) {
        if (now_[use] > 0) {
            sum_[use] += now_[use] * passed;
            measured_[use] += now_[use] * inside;
        }
    }
    end_ = now;
    look_at_changes();
    divide(over_quota);
}

/// Divides the current GPUs by use.
void GpuTimeLedger::divide(const OverQuota& over_quota) {
    now_ = {};
    part(GpuTimeUse::failed) = failed_;
    part(GpuTimeUse::drained) = drained_;
    part(GpuTimeUse::spare) = spare_;
    part(GpuTimeUse::allocated) = capacity_ - failed_ - drained_ - spare_ - idle_;
    Amount left = idle_;
    if (left > 0 && (asked_stale_ || !cluster_.calendar().empty())) {
        choose_whom_to_ask();
    }
    Wide behind = waiting_demand_;
    for (std::size_t i = 0; i < asked_.size() && left > 0; ++i) {
        const Asked& asked = asked_[i];
        const bool last = i + 1 == asked_.size();
        const auto explained =
            static_cast<Amount>(std::min(Wide{left}, last ? behind : demand(*asked.waiting.job)));
        behind -= demand(*asked.waiting.job);
        left -= explained;
        if (over_quota(asked.waiting.id)) {
            part(GpuTimeUse::quota) += explained;
        } else {
            divide_by_lack(explained, asked);
        }
    }
    BERTH_ASSERT(left >= 0, "no more idle GPUs are explained than there are");
    part(GpuTimeUse::no_demand) = left;
    BERTH_ASSERT(std::accumulate(now_.begin(), now_.end(), Amount{0}) == capacity_,
                 "every GPU has one use now");
}

void GpuTimeLedger::divide_by_lack(Amount explained, const Asked& asked) {
    BERTH_ASSERT(explained <= idle_, "only GPUs that are idle are explained");
    asked.idle->catch_up();
    Wide idle = 0;
    Amount given = 0;
    for (std::size_t i = 0; i < lack_count; ++i) {
        const auto lack = static_cast<Lack>(i);
        idle += asked.idle->idle(lack);
        const auto upto = static_cast<Amount>(explained * idle / idle_);
        part(use_for(lack, asked)) += upto - given;
        given = upto;
    }
    BERTH_ASSERT(idle == idle_, "every idle GPU lies on one server, which lacks one thing first");
}

GpuTimeUse GpuTimeLedger::use_for(Lack lack, const Asked& asked) const {
    switch (lack) {
        case Lack::model:
            return GpuTimeUse::model_mismatch;
        case Lack::cpu_or_memory:
            return GpuTimeUse::cpu_or_memory;
        case Lack::nic:
            return GpuTimeUse::nic_mismatch;
        case Lack::gpu:
            return GpuTimeUse::fragmented;
        case Lack::devices:
            return GpuTimeUse::split;
        case Lack::drain:
            return GpuTimeUse::drained;
        case Lack::nothing:
            break;
    }
    const Job& job = *asked.waiting.job;
    if (job.group && asked.idle->places() < job.min_available) {
        return GpuTimeUse::gang_waiting;
    }
    return job.constraints && has_hard(*job.constraints) ? GpuTimeUse::split
                                                         : GpuTimeUse::scheduler;
}

std::vector<GpuTime> GpuTimeLedger::shares_of(const ByUse& sums, SimTime passed) const {
    const Wide whole = Wide{capacity_} * passed.count();
    BERTH_ASSERT(std::accumulate(sums.begin(), sums.end(), Wide{0}) == whole,
                 "every GPU is allocated, or idle for one cause, at each instant");
    std::vector<GpuTime> out;
    for (std::size_t i = 0; whole > 0 && i < gpu_time_use_count; ++i) {
        const auto use = static_cast<GpuTimeUse>(i);
        const auto time = static_cast<double>(sums[i]);
        if (has(use)) {
            out.push_back({use,
                           time / static_cast<double>(core::gpu_whole_milli) / 1e9,
                           time / static_cast<double>(whole)});
        }
    }
    return out;
}

void GpuTimeLedger::add_to(std::vector<Metric>& out) const {
    const std::vector<GpuTime> times = measured();
    auto next = times.begin();
    double held = 0;
    for (std::size_t i = 0; i < gpu_time_use_count; ++i) {
        const auto use = static_cast<GpuTimeUse>(i);
        if (!has(use)) {
            continue;
        }
        const bool idle = !is_held(use) && use < GpuTimeUse::drained;
        const auto share = times.empty() ? std::nullopt : std::optional(next->share);
        out.push_back({fmt::format("gpu_time_{}{}", idle ? "idle_" : "", to_string(use)), share});
        if (!times.empty()) {
            held += is_held(use) ? next->gpu_seconds : 0;
            ++next;
        }
    }
    if (tells_gain()) {
        const double useful = times.empty() ? 0 : times[0].gpu_seconds;
        out.push_back({"goodput", ratio(useful, held)});
    }
}

}  // namespace berth::sim
