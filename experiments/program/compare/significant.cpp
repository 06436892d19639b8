#include "experiments/program/compare/significant.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>

namespace berth::experiments {

double significant(double value) {
    const std::string text = fmt::format("{:.10g}", value);
    double out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out == 0 ? 0 : out;  // no negative zero
}

}  // namespace berth::experiments
