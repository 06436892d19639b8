#pragma once

#include <cstdint>
#include <string>

namespace berth::sim {

/// Why a waiting job has not started.
struct Refusal {
    std::string reason;  ///< The reason in words.
    /// If it lacks a place: how many servers have the amounts for a member, but refuse it, for
    /// instance since they lack what it asks for inside the server.
    std::uint32_t refusing_servers = 0;
};

}  // namespace berth::sim
