#pragma once

#include <cstdint>
#include <string_view>

#include "core/ledger/ledger.hpp"

namespace berth::workloads {

/// Random use of every server before the run begins: some servers are full, some are idle, and the
/// others have a normally distributed share in use.
/// Source: PlaceBackgroungLoad of the published placement-group program.
struct BackgroundLoad {
    double load = 0;  ///< loadFactor: the mean share that is aimed at; clamping moves the mean that
                      ///< results.
    double full = 0;  ///< alpha: the probability that a server is full.
    double idle = 0;  ///< beta: the probability that a server is idle.
    double variation = 0;  ///< Coefficient of variation of the share of the other servers.
};

/// Draws the background and claims it. Amounts are whole cores, GPUs and GiB, and whole units of
/// everything else; all resources of a server are used to the same share.
/// Order: the n-th server of the tree has two random numbers of its own, whatever the load is.
void apply_background(core::Ledger& ledger,
                      const BackgroundLoad& load,
                      std::uint64_t seed,
                      std::string_view name);

}  // namespace berth::workloads
