/// One libFuzzer target for each format: BERTH_FUZZ_FORMAT names it.

#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/trace_samples.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes(data, data + size);
    (void)berth::tests::read_arbitrary(BERTH_FUZZ_FORMAT, bytes);
    return 0;
}
