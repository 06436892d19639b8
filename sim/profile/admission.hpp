#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/job/by_job.hpp"
#include "sim/queue/waiting_queue.hpp"
#include "sim/quota/quota_settings.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// What the profile's scheduler knows of a job besides its state: by JobId.
struct OwnJob {
    core::QuotaId owner;       ///< Its quota, or its user's number: see WaitingQueue.
    QueueKey queued;           ///< Its place in the queue: later after an eviction.
    std::int64_t service = 0;  ///< What it attained before evictions, as QueuePolicy says.
};
using OwnJobs = ByJob<OwnJob>;

/// What keeps a job from those for whom places are sought.
struct KeptOut {
    std::string reason;       ///< One sentence.
    std::string by;           ///< What it lacks, or who is before it, in a few words.
    std::uint64_t looks = 0;  ///< How often it was decided so until now.
    friend bool operator==(const KeptOut&, const KeptOut&) = default;
};

/// A copy of an admission's state at one moment, to be asked what would admit a job.
class Inquiry {
public:
    virtual ~Inquiry() = default;
};

/// Those for whom places are sought.
class PlaceQueue {
public:
    PlaceQueue() = default;
    virtual ~PlaceQueue() = default;
    PlaceQueue(const PlaceQueue&) = delete;
    PlaceQueue& operator=(const PlaceQueue&) = delete;

    /// A job that waits joins them.
    virtual void let_in(JobId id) = 0;
    /// It waits on, but not for a place.
    virtual void take_out(JobId id) = 0;
    /// A job that waits starts at these places, and none is sought for it.
    virtual void start_at(JobId id, Placement placement) = 0;
};

/// Decides who may have how much. It is asked before a place is sought, and again if none was
/// found. This base class admits everybody; QuotaAdmission goes by quotas. A job that is being
/// resized has its old size until resized().
class Admission {
public:
    Admission() = default;
    virtual ~Admission() = default;
    Admission(const Admission&) = delete;
    Admission& operator=(const Admission&) = delete;

    [[nodiscard]] virtual core::QuotaId owner_of(const Job& /*job*/) { return {}; }
    /// The name of the quota that is its owner, for the job's record.
    [[nodiscard]] virtual const std::string& name_of(JobId /*id*/, const Job& job) {
        return job.quota;
    }
    [[nodiscard]] virtual std::optional<std::string> rejects(JobId /*id*/) { return std::nullopt; }

    /// In turn: a job asks for its pods; they come to wait, or come back; they no longer wait;
    /// those in its record run.
    virtual void asks(JobId /*id*/) {}
    virtual void waits(JobId /*id*/) {}
    virtual void leaves_queue(JobId /*id*/) {}
    /// Whether a place is sought for a job that has come to wait; if not, it is let in later.
    [[nodiscard]] virtual bool lets_in(JobId /*id*/) { return true; }
    virtual void runs(JobId /*id*/) {}
    virtual void evicted(JobId /*id*/, const Stay& /*stay*/, EvictionCause /*cause*/) {}
    virtual void ended(JobId /*id*/) {}
    /// Its owner's amounts changed through one of the calls above.
    virtual void changed(JobId /*id*/) {}

    /// How many pods of a waiting job may start now; 0 if fewer than it needs.
    [[nodiscard]] virtual core::Members admissible(JobId /*id*/, const Job& job) {
        return job.size;
    }
    /// Why so many may not; empty if they may.
    [[nodiscard]] virtual std::string explain(JobId /*id*/) { return {}; }
    /// What keeps a job out that is not let in.
    [[nodiscard]] virtual KeptOut kept_out(JobId /*id*/) { return {}; }
    /// Whether all has been decided at this instant about those who are kept out.
    [[nodiscard]] virtual bool has_decided() { return true; }
    /// What can be asked about a job that is kept out; nullptr where nothing can.
    [[nodiscard]] virtual std::shared_ptr<Inquiry> inquire(JobId /*id*/) { return nullptr; }
    /// No place was found for the job that the queue gave: takes others out of its way and starts
    /// it. Returns whether it did.
    [[nodiscard]] virtual bool preempt_for(JobId /*id*/) { return false; }

    /// A running job asks for `more` pods, or fewer. Returns whether it may have them; then
    /// resized() follows once it has them, or not_resized().
    [[nodiscard]] virtual bool may_grow(JobId /*id*/, core::Members /*more*/) { return true; }
    virtual void not_resized(JobId /*id*/, core::Members /*more*/) {}
    virtual void resized(JobId /*id*/, core::Members /*more*/) {}
    /// A waiting job asks for `more` pods, or fewer.
    virtual void asks_for_more(JobId /*id*/, core::Members /*more*/) {}
    /// Members of a running job left a server in a resize.
    virtual void left(core::ServerId /*server*/) {}

    virtual void server_changed(bool /*up*/, const std::vector<core::Amount>& /*outside*/) {}
    /// Servers that nobody could start on, and never left, take pods again.
    virtual void drain_is_over() {}
    /// The change of this number among those of the settings. Returns whether those who wait may
    /// start now.
    [[nodiscard]] virtual bool change_quotas(std::uint32_t /*change*/) { return false; }
    /// Timer::first and Timer::second are its own. Returns whether those who wait may start now.
    [[nodiscard]] virtual bool woken(Timer /*timer*/) { return false; }
    /// A scheduling cycle begins: at this instant its timers have had their turn.
    virtual void begin_cycle() {}
    virtual void event_handled() {}

    /// Computes its books afresh, after an event.
    [[nodiscard]] virtual std::optional<core::Violation> find_violation() { return std::nullopt; }
    [[nodiscard]] virtual QuotaManager* quotas() { return nullptr; }
    [[nodiscard]] virtual Meter* meter() { return nullptr; }
};

/// What a document says of a system that admits jobs, and of its objects: makes its part in a run.
class AdmissionSettings {
public:
    AdmissionSettings() = default;
    virtual ~AdmissionSettings() = default;

    /// All arguments outlive what is made, and so do these settings.
    [[nodiscard]] virtual std::unique_ptr<Admission> make_admission(const Window& window,
                                                                    RecordSink& sink,
                                                                    Actions& actions,
                                                                    PlaceQueue& places) const = 0;
    /// When its objects change, in the order of the changes' numbers.
    [[nodiscard]] virtual std::vector<SimTime> change_times() const = 0;
    /// Whether it may stop jobs that run in favour of others.
    [[nodiscard]] virtual bool may_preempt() const = 0;

protected:
    AdmissionSettings(const AdmissionSettings&) = default;
    AdmissionSettings(AdmissionSettings&&) = default;
    AdmissionSettings& operator=(const AdmissionSettings&) = default;
    AdmissionSettings& operator=(AdmissionSettings&&) = default;
};

/// Everybody is admitted, and users are told apart.
class UserAdmission final : public Admission {
public:
    [[nodiscard]] core::QuotaId owner_of(const Job& job) override {
        const auto number = static_cast<std::uint32_t>(users_.size());
        return core::QuotaId{users_.try_emplace(job.user, number).first->second};
    }

private:
    std::map<std::string, std::uint32_t> users_;  ///< Their numbers.
};

}  // namespace berth::sim
