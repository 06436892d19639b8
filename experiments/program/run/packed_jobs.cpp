#include "experiments/program/run/packed_jobs.hpp"

#include <array>
#include <functional>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::experiments {
namespace {

using sim::JobRecord;
using sim::SimTime;
using sim::Stint;

constexpr std::uint32_t no_kind = 0xffff'ffff;

/// Appends a number with seven bits per byte, the low ones first. Every byte but the last has its
/// high bit set.
void append_packed(std::string& out, std::uint64_t number) {
    constexpr unsigned bits = 7;
    std::array<char, 10> bytes{};
    std::size_t size = 0;
    for (; number >> bits != 0; number >>= bits) {
        bytes[size++] = static_cast<char>(number | 1U << bits);
    }
    bytes[size++] = static_cast<char>(number);
    out.append(bytes.data(), size);
}

std::uint64_t take_number(std::string_view& text) {
    constexpr unsigned bits = 7;
    std::uint64_t number = 0;
    std::size_t at = 0;
    for (unsigned shift = 0;; shift += bits, ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        number |= static_cast<std::uint64_t>(byte & ((1U << bits) - 1)) << shift;
        if (byte >> bits == 0) {
            text.remove_prefix(at + 1);
            return number;
        }
    }
}

void append_time(std::string& out, SimTime time) {
    append_packed(out, static_cast<std::uint64_t>(time.count()));
}

SimTime take_time(std::string_view& text) {
    return SimTime(static_cast<std::int64_t>(take_number(text)));
}

bool ran_once(const JobRecord& record) {
    if (record.job.group || record.job.size != 1 || record.outcome != sim::Outcome::finished ||
        record.stints.size() != 1 || record.numbered > 1 || record.placed != 1 ||
        !record.pasts.empty() || sim::any(record.evictions) || !record.reason.empty()) {
        return false;
    }
    const Stint& stint = record.stints.front();
    return stint.members == 1 && stint.grants.empty() && stint.start == record.start &&
           stint.finish == record.finish && !stint.work && stint.lost == SimTime(0) &&
           stint.run_time_factor == sim::slow_down_unit && record.ran_before == SimTime(0) &&
           record.lost == SimTime(0) && record.job.duration;
}

/// Whether two jobs have the same fields in tables, apart from their names, times and servers.
bool are_alike(const sim::Job& one, const sim::Job& other) {
    return one.demand == other.demand && one.priority == other.priority &&
           one.quota == other.quota && one.user == other.user && one.job_class == other.job_class &&
           one.type == other.type;
}

std::uint64_t hash_of(const sim::Job& job) {
    constexpr std::uint64_t factor = 0x9e37'79b9'7f4a'7c15;
    std::uint64_t hash = static_cast<std::uint32_t>(job.priority);
    const auto add = [&](std::uint64_t value) { hash = (hash ^ value ^ hash >> 32) * factor; };
    for (const core::Amount amount : job.demand) {
        add(static_cast<std::uint64_t>(amount));
    }
    for (const sim::Label& text : {job.quota, job.user, job.job_class, job.type}) {
        add(std::hash<sim::Label>()(text));
    }
    return hash;
}

/// Flags in the first byte, for jobs that differ from the usual.
enum Flag : std::uint8_t {
    ran_otherwise = 1,  ///< The duration is not the time from start to end.
    has_estimate = 2,
};

}  // namespace

PackedJobs::PackedJobs(const sim::Settings& settings)
    : tells_more_(settings.tells_gain() || settings.admission != nullptr ||
                  settings.detection > SimTime(0)) {}

std::uint32_t PackedJobs::kind_of(const JobRecord& record) {
    const auto [at, is_new] = kind_by_hash_.try_emplace(hash_of(record.job), no_kind);
    if (is_new && kinds_.size() < kinds_max) {
        at->second = static_cast<std::uint32_t>(kinds_.size());
        kinds_.push_back(std::make_unique<JobRecord>(record));
    } else if (is_new) {
        kind_by_hash_.erase(at);
        return no_kind;
    }
    // If two kinds have the same hash, jobs of the second kind are not packed.
    return are_alike(kinds_[at->second]->job, record.job) ? at->second : no_kind;
}

bool PackedJobs::pack(const JobRecord& record, std::string& out) {
    if (tells_more_ || !ran_once(record)) {
        return false;
    }
    const std::uint32_t kind = kind_of(record);
    if (kind == no_kind) {
        return false;
    }
    const sim::Job& job = record.job;
    const SimTime ran = *record.finish - *record.start;
    const bool otherwise = *job.duration != ran;
    out += static_cast<char>((otherwise ? ran_otherwise : 0) | (job.estimate ? has_estimate : 0));
    append_packed(out, kind);
    append_packed(out, record.stints.front().server.index);
    append_time(out, job.submit);
    append_time(out, *record.start - job.submit);
    append_time(out, ran);
    if (otherwise) {
        append_time(out, *job.duration);
    }
    if (job.estimate) {
        append_time(out, *job.estimate);
    }
    out += job.name;
    return true;
}

PackedJobs::Unpacked PackedJobs::unpack(std::string_view packed) {
    const auto flags = static_cast<std::uint8_t>(packed.front());
    packed.remove_prefix(1);
    const auto kind = static_cast<std::uint32_t>(take_number(packed));
    BERTH_ASSERT(kind < kinds_.size(), "what was packed is of a kind that is known");
    JobRecord& record = *kinds_[kind];
    Stint& stint = record.stints.front();
    stint.server.index = static_cast<std::uint32_t>(take_number(packed));
    record.job.submit = take_time(packed);
    stint.start = record.job.submit + take_time(packed);
    const SimTime ran = take_time(packed);
    stint.finish = stint.start + ran;
    record.start = stint.start;
    record.finish = stint.finish;
    record.job.duration = (flags & ran_otherwise) != 0 ? take_time(packed) : ran;
    record.job.estimate.reset();
    if ((flags & has_estimate) != 0) {
        record.job.estimate = take_time(packed);
    }
    record.job.name = packed;
    return {record, kind};
}

}  // namespace berth::experiments
