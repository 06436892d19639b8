/// A fault that a fuzzer must find within seconds: an exception behind four comparisons.

#include <stdexcept>
#include <string_view>

namespace berth::tests {

void fuzz_canary(std::string_view bytes) {
    if (bytes.size() > 3 && bytes[0] == 'b' && bytes[1] == 'i' && bytes[2] == 'r' &&
        bytes[3] == 'd') {
        throw std::logic_error("the canary is dead");
    }
}

}  // namespace berth::tests
