/// Runs every reader on its corpus, and on mutations of it by fixed seeds. fuzzer.cpp lets
/// libFuzzer search further.

#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/support/file_reader.hpp"
#include "fuzz/mutation.hpp"
#include "fuzz/target.hpp"
#include "support/dice.hpp"
#include "workloads/trace/trace_reader.hpp"

using berth::tests::Dice;

namespace {

namespace fs = std::filesystem;

struct Input {
    std::string name;
    std::string bytes;
};

std::vector<Input> corpus(std::string_view target) {
    std::vector<Input> inputs;
    for (const fs::directory_entry& entry :
         fs::directory_iterator(fs::path(BERTH_SOURCE_DIR) / "tests/fuzz/corpus" / target)) {
        inputs.push_back(
            {entry.path().filename().string(), berth::core::text_of_file(entry.path())});
    }
    std::ranges::sort(inputs, {}, &Input::name);
    return inputs;
}

/// Limits the memory of a reader: needing more counts as a finding, since nothing catches running
/// out of memory.
void limit_memory() {
    constexpr rlim_t bytes_max = rlim_t{1} << 30U;
    const rlimit limit{bytes_max, bytes_max};
    REQUIRE(::setrlimit(RLIMIT_AS, &limit) == 0);
}

void survives(const berth::tests::FuzzTarget& target, const std::string& bytes) {
    constexpr std::chrono::seconds longest{10};
    const auto begin = std::chrono::steady_clock::now();
    CHECK_NOTHROW(target.read(bytes));
    CHECK(std::chrono::steady_clock::now() - begin < longest);
}

/// The number of mutations: a hundred times as many in long runs.
std::uint64_t mutations() {
    constexpr std::uint64_t quick = 1000;
    return berth::tests::cases(quick) > quick ? 100 * quick : quick;
}

/// Runs a target on its inputs, first as they are, then on mutations of all in turn.
void survives_all(std::string_view name) {
    limit_memory();
    const berth::tests::FuzzTarget* const target = berth::tests::find_fuzz_target(name);
    REQUIRE(target != nullptr);
    const std::vector<Input> inputs = corpus(name);
    REQUIRE(!inputs.empty());
    for (const Input& input : inputs) {
        CAPTURE(input.name);
        survives(*target, input.bytes);
    }
    for (std::uint64_t seed = 1; seed <= mutations(); ++seed) {
        const Input& input = inputs[seed % inputs.size()];
        Dice dice(seed);
        std::string text = input.bytes;
        for (std::int64_t count = dice.roll(1, 4); count > 0; --count) {
            berth::tests::mutate(text, dice);
        }
        CAPTURE(input.name, seed);
        survives(*target, text);
    }
}

}  // namespace

TEST_CASE("every trace format has a target", "[fuzz]") {
    for (const berth::workloads::TraceFormat& format : berth::workloads::trace_formats()) {
        CAPTURE(format.name);
        CHECK(berth::tests::find_fuzz_target("trace_" + std::string(format.name)) != nullptr);
    }
}

TEST_CASE("mutations find the canary", "[fuzz]") {
    const berth::tests::FuzzTarget* const canary = berth::tests::find_fuzz_target("canary");
    const std::string nearly = corpus("canary").front().bytes;
    CHECK_NOTHROW(canary->read(nearly));
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
        Dice dice(seed);
        std::string text = nearly;
        berth::tests::mutate(text, dice);
        try {
            canary->read(text);
        } catch (const std::logic_error&) {
            ++found;
        }
    }
    CHECK(found > 0);
}

#define BERTH_FUZZ_TARGET(name, what)         \
    TEST_CASE("survives: " #name, "[fuzz]") { \
        survives_all(#name);                  \
    }
#include "fuzz/targets.def"
#undef BERTH_FUZZ_TARGET
