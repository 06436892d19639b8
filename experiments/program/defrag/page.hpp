#pragma once

#include <string>

#include "experiments/program/defrag/defrag.hpp"

namespace berth::experiments {

/// The servers that the moves are about, before and after them, as SVG; at most 40 of them.
[[nodiscard]] std::string defrag_picture(const DefragAnswer& answer);

/// A page of one file about an answer: its first line, the servers that the moves are about, before
/// and after them, and the moves. It needs no other file and no script.
[[nodiscard]] std::string defrag_page(const DefragAnswer& answer);

}  // namespace berth::experiments
