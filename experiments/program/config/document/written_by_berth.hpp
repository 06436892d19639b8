#pragma once

#include <string_view>

#include "core/support/source.hpp"

namespace berth::experiments {

/// How the names of experiments begin in messages that berth writes for lists.
inline constexpr std::string_view written_by_berth = "the experiment of ";

/// How to leave out what a list has of jobs that cannot be placed: a key of the experiment, or an
/// option if berth has written the experiment for a list.
[[nodiscard]] inline std::string_view lenient_remedy(const core::SourceSpan& experiment) {
    return experiment.source != nullptr && experiment.source->name.starts_with(written_by_berth)
               ? "--lenient"
               : "lenient: true";
}

}  // namespace berth::experiments
