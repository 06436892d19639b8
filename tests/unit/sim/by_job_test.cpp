#include "sim/job/by_job.hpp"

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <random>
#include <unordered_map>
#include <vector>

namespace berth::sim {
namespace {

TEST_CASE("by job: as a map, whoever comes and goes in whatever order") {
    std::mt19937 random(7);
    ByJob<std::uint32_t> kept;
    std::unordered_map<std::uint32_t, std::uint32_t> plain;
    std::vector<std::uint32_t> there;
    std::size_t wrong = 0;
    for (std::uint32_t turn = 0; turn < 50'000; ++turn) {
        const auto id = static_cast<std::uint32_t>(random() % 5'000);
        if (plain.emplace(id, turn).second) {
            kept.add(JobId{id}, turn);
            there.push_back(id);
        }
        // Jobs leave in some phases and not in others, so that whole pages become empty and are
        // used again for other jobs.
        for (std::uint32_t i = 0; !there.empty() && i < turn / 10'000 % 2 * 2; ++i) {
            std::swap(there[random() % there.size()], there.back());
            wrong += kept[JobId{there.back()}] != plain[there.back()] ? 1 : 0;
            plain.erase(there.back());
            kept.remove(JobId{there.back()});
            there.pop_back();
        }
    }
    for (const auto& [id, value] : plain) {
        wrong += kept[JobId{id}] != value ? 1 : 0;
        wrong += kept.find(JobId{id}) != &kept[JobId{id}] ? 1 : 0;
    }
    CHECK(wrong == 0);
    CHECK_FALSE(plain.empty());
}

TEST_CASE("by job: a page is free with its last job, and its values are another's") {
    ByJob<int> kept;
    kept.add(JobId{0}, 1);
    kept.add(JobId{1}, 2);
    const int* const first = kept.find(JobId{0});
    kept.remove(JobId{0});
    CHECK(kept[JobId{1}] == 2);
    kept.remove(JobId{1});
    CHECK(kept.find(JobId{0}) == nullptr);
    kept.add(JobId{700}, 3);
    CHECK(kept[JobId{700}] == 3);
    kept.add(JobId{1}, 4);
    CHECK(kept[JobId{1}] == 4);
    CHECK(kept[JobId{700}] == 3);
    const auto in_page = static_cast<std::size_t>(&kept[JobId{700}] - first);
    CHECK(in_page < 256);  // the page is that of the two jobs that left
}

TEST_CASE("by job: nothing is found where nobody ever was") {
    ByJob<int> kept;
    CHECK(kept.find(JobId{0}) == nullptr);
    kept.add(JobId{700}, 1);
    CHECK(kept.find(JobId{0}) == nullptr);
    CHECK(*kept.find(JobId{701}) == 0);
    CHECK(*kept.find(JobId{700}) == 1);
}

}  // namespace
}  // namespace berth::sim
