#include "sim/schedulers/outside/bounded_reason.hpp"

#include <string_view>

namespace berth::sim {

std::string bounded_reason(std::string reason) {
    if (reason.size() <= reason_bytes_max) {
        return reason;
    }
    constexpr std::string_view ellipsis = "...";
    const auto continues = [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
    };
    std::size_t end = reason_bytes_max - ellipsis.size();
    while (end > 0 && continues(reason[end])) {
        --end;
    }
    reason.resize(end);
    reason += ellipsis;
    reason.shrink_to_fit();
    return reason;
}

}  // namespace berth::sim
