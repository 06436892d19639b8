#include "core/support/text.hpp"

#include <iterator>

namespace berth::core {

void append_formatted(std::string& out, fmt::string_view form, fmt::format_args values) {
    fmt::vformat_to(std::back_inserter(out), form, values);
}

}  // namespace berth::core
