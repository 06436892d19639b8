#include "schedulers/rounds/decide/server_places.hpp"

#include <algorithm>
#include <bit>

#include "core/support/assert.hpp"

namespace berth::core::rounds {
namespace {

constexpr std::size_t bits = 64;

}  // namespace

ServerPlaces::ServerPlaces(const std::vector<std::int32_t>& free, std::int32_t size)
    : size_(size), words_((free.size() + bits - 1) / bits) {
    BERTH_ASSERT(size > 0, "servers have GPUs");
    empty_.free = free;
    empty_.at_least.resize(words_ * static_cast<std::size_t>(size));
    empty_.first.resize(static_cast<std::size_t>(size));
    for (std::size_t server = 0; server < free.size(); ++server) {
        BERTH_ASSERT(free[server] >= 0 && free[server] <= size, "servers have one size");
        for (std::size_t row = 0; row < static_cast<std::size_t>(free[server]); ++row) {
            empty_.at_least[row * words_ + server / bits] |= std::uint64_t{1} << server % bits;
        }
        empty_.free_gpus += free[server];
        empty_.whole_servers += free[server] == size ? 1 : 0;
    }
    reset();
}

std::size_t ServerPlaces::first_with(std::int32_t gpus) {
    const auto row = static_cast<std::size_t>(gpus) - 1;
    const std::uint64_t* const words = &now_.at_least[row * words_];
    std::size_t& word = now_.first[row];
    while (word < words_ && words[word] == 0) {
        ++word;
    }
    return word < words_ ? word * bits + static_cast<std::size_t>(std::countr_zero(words[word]))
                         : now_.free.size();
}

void ServerPlaces::take_on(std::size_t server, std::int32_t gpus, std::vector<Place>& places) {
    std::int32_t& free = now_.free[server];
    now_.whole_servers -= free == size_ ? 1 : 0;
    for (std::int32_t left = gpus; left > 0; --left) {
        --free;
        now_.at_least[static_cast<std::size_t>(free) * words_ + server / bits] &=
            ~(std::uint64_t{1} << server % bits);
    }
    now_.free_gpus -= gpus;
    places.push_back({static_cast<std::uint32_t>(server), gpus});
}

bool ServerPlaces::fits(std::int32_t gpus) {
    return gpus > size_ ? (gpus + size_ - 1) / size_ <= now_.whole_servers
                        : first_with(gpus) < now_.free.size();
}

bool ServerPlaces::take(std::int32_t gpus, std::vector<Place>& places) {
    if (!fits(gpus)) {
        return false;
    }
    const std::int32_t free = std::min(gpus, size_);  // on each of its servers
    for (; gpus > 0; gpus -= size_) {
        take_on(first_with(free), std::min(gpus, size_), places);
    }
    return true;
}

}  // namespace berth::core::rounds
