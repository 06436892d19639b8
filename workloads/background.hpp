#pragma once

#include <cstdint>
#include <string_view>

#include "core/ledger/ledger.hpp"

namespace berth::workloads {

/// Random use of every server before the run begins: some are full, some idle, the others have a
/// normally distributed share.
/// Source: the published placement-group program's PlaceBackgroungLoad.
struct BackgroundLoad {
    double load = 0;  ///< loadFactor: the mean share aimed at; clamping moves the realised mean.
    double full = 0;  ///< alpha: the probability that a server is full.
    double idle = 0;  ///< beta: that it is idle.
    double variation = 0;  ///< Coefficient of variation of the others.
};

/// Draws the background and claims it. Amounts are whole cores, GPUs and GiB, and whole units of
/// everything else, the same share of all resources of a server.
/// Order: the n-th server of the tree has two random numbers of its own, whatever the load is.
void apply_background(core::Ledger& ledger,
                      const BackgroundLoad& load,
                      std::uint64_t seed,
                      std::string_view name);

}  // namespace berth::workloads
