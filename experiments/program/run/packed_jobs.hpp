#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/job/records.hpp"
#include "sim/profile/settings.hpp"

namespace berth::experiments {

/// Keeps what tables tell of a job in some thirty bytes, where its rows would take three hundred:
/// that of a single pod which ran once, from its start to its end. What such jobs share, as those
/// of one user who asks for the same, is kept once.
///
/// Cost: O(bytes); memory for a record of each kind of job, of kinds_max at most.
class PackedJobs {
public:
    static constexpr std::size_t kinds_max = 4096;

    explicit PackedJobs(const sim::Settings& settings);

    /// Appends a job to a text. Returns: false, with nothing appended, for a job of which tables
    /// tell more.
    [[nodiscard]] bool pack(const sim::JobRecord& record, std::string& out);
    struct Unpacked {
        const sim::JobRecord& record;  ///< As far as tables tell of it; good until the next call.
        std::uint32_t kind = 0;        ///< Tables say the same of two jobs with one number, but for
                                       ///< their names, times and servers.
    };
    [[nodiscard]] Unpacked unpack(std::string_view packed);

private:
    [[nodiscard]] std::uint32_t kind_of(const sim::JobRecord& record);

    bool tells_more_ = false;  ///< Tables of this run have columns that no packed job fills.
    std::vector<std::unique_ptr<sim::JobRecord>> kinds_;  ///< A job of each.
    std::unordered_map<std::uint64_t, std::uint32_t> kind_by_hash_;
};

}  // namespace berth::experiments
