/// The entry point of libFuzzer. One program contains all targets, since linking one takes minutes
/// of a build: `berth_fuzz TARGET [OPTION...] [CORPUS|FILE...]`. The options are libFuzzer's.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "fuzz/mutation.hpp"
#include "fuzz/target.hpp"

namespace {

/// Tells the target to the processes that libFuzzer starts itself (-jobs).
constexpr const char* target_variable = "BERTH_FUZZ_TARGET";

const berth::tests::FuzzTarget* chosen = nullptr;

/// Beside what the program allocates, the sanitizers keep a shadow of an eighth and zones around
/// each block, which about double small blocks: 2 GiB correspond to 1 GiB of the program.
const std::vector<std::string>& default_options() {
    static const std::vector<std::string> options{
        "-timeout=10", "-rss_limit_mb=2048", "-malloc_limit_mb=1024", "-max_len=16384"};
    return options;
}

[[noreturn]] void say_targets() {
    std::fputs(
        "usage: berth_fuzz TARGET [OPTION...] [CORPUS|FILE...]; the options are libFuzzer's\n",
        stderr);
    for (const berth::tests::FuzzTarget& target : berth::tests::fuzz_targets()) {
        std::fprintf(stderr, "  %-22s%s\n", target.name.data(), target.what.data());
    }
    std::exit(2);
}

}  // namespace

extern "C" const char* __asan_default_options();
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

/// Freed blocks are kept for a while, to detect later uses; the default would be 256 MiB of them.
extern "C" const char* __asan_default_options() {
    return "quarantine_size_mb=64";
}

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    static std::vector<char*> arguments(*argv, *argv + *argc);
    if (arguments.size() > 1 && arguments[1][0] != '-') {
        ::setenv(target_variable, arguments[1], 1);
        arguments.erase(arguments.begin() + 1);
    }
    const char* const name = std::getenv(target_variable);
    chosen = name == nullptr ? nullptr : berth::tests::find_fuzz_target(name);
    if (chosen == nullptr) {
        say_targets();
    }
    for (const std::string& option : default_options()) {
        arguments.insert(arguments.begin() + 1, const_cast<char*>(option.c_str()));
    }
    *argc = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    *argv = arguments.data();
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    chosen->read({reinterpret_cast<const char*>(data), size});
    return 0;
}

/// Half of the mutations are libFuzzer's own, of bytes; the other half are those of mutate(), of
/// words and lines.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t size_max,
                                               unsigned seed) {
    if (seed % 2 == 0) {
        return LLVMFuzzerMutate(data, size, size_max);
    }
    berth::tests::Dice dice(seed);
    std::string text(reinterpret_cast<const char*>(data), size);
    berth::tests::mutate(text, dice);
    text.resize(std::min(text.size(), size_max));
    std::memcpy(data, text.data(), text.size());
    return text.size();
}
