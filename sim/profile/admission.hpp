#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/node_rules/node_affinity.hpp"
#include "core/tree/device_names.hpp"
#include "sim/job/by_job.hpp"
#include "sim/queue/waiting_queue.hpp"
#include "sim/quota/quota_settings.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// What the profile's scheduler knows of a job besides its state; kept by JobId.
struct OwnJob {
    core::QuotaId owner;       ///< The job's quota, or its user's number: see WaitingQueue.
    QueueKey queued;           ///< Its place in the queue; after an eviction, a later one.
    std::int64_t service = 0;  ///< Service that it attained before evictions, as in QueuePolicy.
};
using OwnJobs = ByJob<OwnJob>;

/// What keeps a job out of the queue of jobs for which places are sought.
struct KeptOut {
    std::string reason;       ///< One sentence.
    std::string by;           ///< What the job lacks, or which job is before it, in a few words.
    std::uint64_t looks = 0;  ///< How often this has been decided so far.
    friend bool operator==(const KeptOut&, const KeptOut&) = default;
};

/// What an admission adds to the specs of a job's pods.
struct AddedToPods {
    core::Labels node_selector;  ///< Their nodes have to have these labels.
    std::vector<core::Toleration> tolerations;
    friend bool operator==(const AddedToPods&, const AddedToPods&) = default;
};

/// A copy of an admission's state at one moment, which can be asked what would admit a job.
class Inquiry {
public:
    virtual ~Inquiry() = default;
};

/// The queue of jobs for which places are sought.
class PlaceQueue {
public:
    PlaceQueue() = default;
    virtual ~PlaceQueue() = default;
    PlaceQueue(const PlaceQueue&) = delete;
    PlaceQueue& operator=(const PlaceQueue&) = delete;

    /// A waiting job joins the queue.
    virtual void let_in(JobId id) = 0;
    /// A job leaves the queue: it waits on, but not for a place.
    virtual void take_out(JobId id) = 0;
    /// A waiting job starts at these places, and no place is sought for it.
    virtual void start_at(JobId id, Placement placement) = 0;
};

/// Decides which job may have how much. It is asked before a place is sought, and again if none was
/// found. This base class admits every job; QuotaAdmission decides by quotas. A job that is being
/// resized has its old size until resized() is called.
class Admission {
public:
    Admission() = default;
    virtual ~Admission() = default;
    Admission(const Admission&) = delete;
    Admission& operator=(const Admission&) = delete;

    [[nodiscard]] virtual core::QuotaId owner_of(const Job& /*job*/) { return {}; }
    /// The name of the quota that owns the job, for the job's record.
    [[nodiscard]] virtual const std::string& name_of(JobId /*id*/, const Job& job) {
        return job.quota;
    }
    [[nodiscard]] virtual std::optional<std::string> rejects(JobId /*id*/) { return std::nullopt; }

    /// These calls follow each other: a job asks for its pods; they begin to wait, or wait again;
    /// they no longer wait; the pods in the job's record run. If pods start one by one, the last
    /// two follow once all admissible ones run; the job may be evicted before.
    virtual void asks(JobId /*id*/) {}
    virtual void waits(JobId /*id*/) {}
    virtual void leaves_queue(JobId /*id*/) {}
    /// Whether a place is sought for a job that begins to wait; if not, the job is let in later.
    [[nodiscard]] virtual bool lets_in(JobId /*id*/) { return true; }
    virtual void runs(JobId /*id*/) {}
    virtual void evicted(JobId /*id*/, const Stay& /*stay*/, EvictionCause /*cause*/) {}
    virtual void ended(JobId /*id*/) {}
    /// The amounts of the job's owner changed through one of the calls above.
    virtual void changed(JobId /*id*/) {}

    /// How many pods of a waiting job may start now; 0 if fewer than it needs.
    [[nodiscard]] virtual core::Members admissible(JobId /*id*/, const Job& job) {
        return job.size;
    }
    /// What it has added to the pods of a job that is let in, for a scheduler that reads the labels
    /// and taints of nodes itself. All others follow Actions::select_nodes().
    [[nodiscard]] virtual AddedToPods adds_to(JobId /*id*/) { return {}; }
    /// Why that many pods may not start; empty if they may.
    [[nodiscard]] virtual std::string explain(JobId /*id*/) { return {}; }
    /// What keeps out a job that is not let in.
    [[nodiscard]] virtual KeptOut kept_out(JobId /*id*/) { return {}; }
    /// Whether everything has been decided at this instant about the jobs that are kept out.
    [[nodiscard]] virtual bool has_decided() { return true; }
    /// What can be asked about a job that is kept out; nullptr if nothing can.
    [[nodiscard]] virtual std::shared_ptr<Inquiry> inquire(JobId /*id*/) { return nullptr; }
    /// No place was found for the job that the queue gave. Preempts other jobs and starts it.
    /// Returns whether it did.
    [[nodiscard]] virtual bool preempt_for(JobId /*id*/) { return false; }

    /// A running job asks for `more` pods, or for fewer. Returns whether it may have them; if so,
    /// resized() follows once it has them, or else not_resized().
    [[nodiscard]] virtual bool may_grow(JobId /*id*/, core::Members /*more*/) { return true; }
    virtual void not_resized(JobId /*id*/, core::Members /*more*/) {}
    virtual void resized(JobId /*id*/, core::Members /*more*/) {}
    /// A waiting job asks for `more` pods, or for fewer.
    virtual void asks_for_more(JobId /*id*/, core::Members /*more*/) {}
    /// Members of a running job left a server in a resize.
    virtual void left(core::ServerId /*server*/) {}

    virtual void server_changed(bool /*up*/, const std::vector<core::Amount>& /*outside*/) {}
    /// Servers on which no pod could start, but which never left, take pods again.
    virtual void drain_is_over() {}
    /// Applies the change of quotas that has this number in the settings. Returns whether waiting
    /// jobs may start now.
    [[nodiscard]] virtual bool change_quotas(std::uint32_t /*change*/) { return false; }
    /// The timers Timer::first and Timer::second belong to the admission. Returns whether waiting
    /// jobs may start now.
    [[nodiscard]] virtual bool woken(Timer /*timer*/) { return false; }
    /// A scheduling cycle begins: the admission's timers of this instant have rung.
    virtual void begin_cycle() {}
    virtual void event_handled() {}

    /// Compares its books with a fresh computation, after an event.
    [[nodiscard]] virtual std::optional<core::Violation> find_violation() { return std::nullopt; }
    [[nodiscard]] virtual QuotaManager* quotas() { return nullptr; }
    [[nodiscard]] virtual Meter* meter() { return nullptr; }
};

/// What a document says about a system that admits jobs and about its objects. It makes the part
/// of that system in a run.
class AdmissionSettings {
public:
    AdmissionSettings() = default;
    virtual ~AdmissionSettings() = default;

    /// All arguments must outlive what is made, and so must these settings.
    [[nodiscard]] virtual std::unique_ptr<Admission> make_admission(const Window& window,
                                                                    RecordSink& sink,
                                                                    Actions& actions,
                                                                    PlaceQueue& places) const = 0;
    /// The system's name, for people.
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// What to do so that a job is not rejected for a reason; empty if the reason says it.
    [[nodiscard]] virtual std::string_view remedy_of(std::string_view reason) const = 0;
    /// When its objects change, in the order of the changes' numbers.
    [[nodiscard]] virtual std::vector<SimTime> change_times() const = 0;
    /// The same settings for a run that begins at `now`. Changes until then are made at once.
    [[nodiscard]] virtual std::shared_ptr<const AdmissionSettings> begun_at(SimTime now) const = 0;
    /// Whether it may stop running jobs in favour of others.
    [[nodiscard]] virtual bool may_preempt() const = 0;
    /// Whether pods that it admits may tolerate more taints than their specs say.
    [[nodiscard]] virtual bool may_add_tolerations() const { return false; }
    /// Whether jobs can wait in a queue of this name.
    [[nodiscard]] virtual bool has_queue(const std::string& name_space,
                                         const std::string& name) const = 0;
    /// The level of the cluster that a node label stands for, if the label's name does not tell it.
    [[nodiscard]] virtual const std::map<std::string, std::string>& levels_by_label() const = 0;

protected:
    AdmissionSettings(const AdmissionSettings&) = default;
    AdmissionSettings(AdmissionSettings&&) = default;
    AdmissionSettings& operator=(const AdmissionSettings&) = default;
    AdmissionSettings& operator=(AdmissionSettings&&) = default;
};

/// Admits every job, and tells users apart as owners.
class UserAdmission final : public Admission {
public:
    [[nodiscard]] core::QuotaId owner_of(const Job& job) override {
        const auto number = static_cast<std::uint32_t>(users_.size());
        return core::QuotaId{users_.try_emplace(job.user, number).first->second};
    }

private:
    std::map<std::string, std::uint32_t> users_;  ///< Number of each user.
};

}  // namespace berth::sim
