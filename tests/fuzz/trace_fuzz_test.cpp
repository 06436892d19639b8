#include <catch2/catch.hpp>
#include <set>

#include "fuzz/trace_samples.hpp"
#include "support/dice.hpp"
#include "workloads/trace/trace_reader.hpp"

using berth::tests::Dice;

namespace {

std::size_t place(Dice& dice, const std::string& text) {
    return static_cast<std::size_t>(dice.roll(0, static_cast<std::int64_t>(text.size())));
}

/// One change: a byte, a cut, a part twice, a giant number, a separator.
void mutate(std::string& text, Dice& dice) {
    const std::size_t at = place(dice, text);
    const auto length = static_cast<std::size_t>(dice.roll(1, 20));
    switch (dice.roll(0, 5)) {
        case 0:
            if (at < text.size()) {
                text[at] = static_cast<char>(dice.roll(-128, 127));
            }
            break;
        case 1:
            text.erase(at, length);
            break;
        case 2:
            text.insert(place(dice, text), text.substr(at, length));
            break;
        case 3:
            text.insert(at, dice.chance(50) ? "99999999999999999999" : "-1e308");
            break;
        case 4:
            text.insert(at, 1, ",|\"\n\r;{}[]:\\."[dice.roll(0, 12)]);
            break;
        default:
            text.resize(at);
    }
}

/// A hundred times as many in long runs.
std::uint64_t mutations() {
    constexpr std::uint64_t quick = 3000;
    return berth::tests::cases(quick) > quick ? 100 * quick : quick;
}

void survive(std::string_view format) {
    for (const berth::tests::TraceSample& sample : berth::tests::trace_samples()) {
        if (sample.format != format) {
            continue;
        }
        CHECK(berth::tests::read_arbitrary(format, sample.text) == 2);
        for (std::uint64_t seed = 1; seed <= mutations(); ++seed) {
            Dice dice(seed);
            std::string text = sample.text;
            for (std::int64_t count = dice.roll(1, 4); count > 0; --count) {
                mutate(text, dice);
            }
            CAPTURE(seed);
            CHECK_NOTHROW(berth::tests::read_arbitrary(format, text));
        }
    }
}

}  // namespace

TEST_CASE("every trace format has a sample", "[fuzz]") {
    std::set<std::string_view> sampled;
    for (const berth::tests::TraceSample& sample : berth::tests::trace_samples()) {
        sampled.insert(sample.format);
    }
    for (const berth::workloads::TraceFormat& format : berth::workloads::trace_formats()) {
        CAPTURE(format.name);
        CHECK(sampled.contains(format.name));
    }
}

TEST_CASE("every reader survives mutations", "[fuzz]") {
    for (const berth::workloads::TraceFormat& format : berth::workloads::trace_formats()) {
        CAPTURE(format.name);
        survive(format.name);
    }
}
