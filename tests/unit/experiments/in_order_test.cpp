#include "experiments/program/run/in_order.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "tests/support/dice.hpp"
#include "tests/support/folder.hpp"

using namespace berth;
using experiments::InOrder;
using experiments::UnnamedFile;

namespace {

std::string text_of(std::uint64_t number) {
    return std::to_string(number) + std::string(number * 7919 % 300, 'x');
}

/// Puts texts in the order of `order(number)`, and after each takes all that can be taken.
template <class Order>
std::vector<std::string> through(InOrder& texts, std::uint64_t count, Order order) {
    std::vector<std::uint64_t> numbers(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        numbers[i] = i;
    }
    std::ranges::stable_sort(numbers, {}, order);
    std::vector<std::string> out;
    std::string text;
    for (const std::uint64_t number : numbers) {
        if (number == texts.next() && number % 2 == 0) {
            out.push_back(text_of(number));
            texts.pass();
        } else {
            texts.put(number, text_of(number));
        }
        while (texts.take(text)) {
            out.push_back(text);
        }
    }
    return out;
}

/// Bytes on the disk of the unnamed files in a folder that this process has open.
std::uint64_t unnamed_bytes(const std::filesystem::path& folder) {
    std::uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        const std::string what = std::filesystem::read_symlink(entry.path(), gone).string();
        struct stat status{};
        if (what.starts_with(folder.string() + "/") && what.ends_with(" (deleted)") &&
            ::stat(entry.path().c_str(), &status) == 0) {
            bytes += static_cast<std::uint64_t>(status.st_blocks) * 512;
        }
    }
    return bytes;
}

}  // namespace

TEST_CASE("in order: the disk gets back the room of texts that were taken",
          "[experiments][in-order]") {
    const tests::TestFolder folder;
    InOrder texts(1 << 20, [&] {
        return std::make_unique<UnnamedFile>(UnnamedFile::Place{folder.path(), "out"});
    });
    constexpr std::uint64_t count = 100'000;  // 17 MB of texts, all behind the first
    for (std::uint64_t number = 1; number < count; ++number) {
        texts.put(number, text_of(number));
    }
    const std::uint64_t all = unnamed_bytes(folder.path());
    REQUIRE(all > 10'000'000);
    texts.pass();
    std::string text;
    for (std::uint64_t number = 1; number < count * 3 / 4; ++number) {
        REQUIRE(texts.take(text));
        REQUIRE(text == text_of(number));
    }
    const std::uint64_t left = unnamed_bytes(folder.path());
    CAPTURE(all, left);
    CHECK(left < all / 2);
    for (std::uint64_t number = count * 3 / 4; number < count; ++number) {
        REQUIRE(texts.take(text));
        REQUIRE(text == text_of(number));
    }
    CHECK_FALSE(texts.take(text));
}

TEST_CASE("in order: texts leave by their numbers, from memory and from the disk",
          "[experiments][in-order]") {
    const tests::TestFolder folder;
    constexpr std::uint64_t count = 5000;
    tests::Dice dice(1);
    std::vector<std::int64_t> ends;
    for (std::uint64_t i = 0; i < count; ++i) {
        ends.push_back(static_cast<std::int64_t>(i) + dice.roll(0, 400));
    }
    const auto shuffled = [&](std::uint64_t number) { return ends[number]; };
    const auto first_is_last = [](std::uint64_t number) { return number == 0 ? count : number; };
    const auto backwards = [](std::uint64_t number) { return count - number; };
    for (const std::size_t memory : {std::size_t{1} << 30, std::size_t{100'000}, std::size_t{0}}) {
        CAPTURE(memory);
        int files = 0;
        const auto make = [&] {
            ++files;
            return std::make_unique<UnnamedFile>(UnnamedFile::Place{folder.path(), "out"});
        };
        const auto check = [&](std::uint64_t texts_count, auto order) {
            InOrder texts(memory, make);
            const std::vector<std::string> out = through(texts, texts_count, order);
            REQUIRE(out.size() == texts_count);
            for (std::uint64_t i = 0; i < texts_count; ++i) {
                REQUIRE(out[i] == text_of(i));
            }
        };
        check(count, shuffled);
        check(count, first_is_last);
        check(2000, backwards);
        CHECK((files > 0) == (memory <= 100'000));
        CHECK(std::filesystem::is_empty(folder.path()));  // no file has a name
    }
}

TEST_CASE("in order: a folder that is not there is told", "[experiments][in-order]") {
    CHECK_THROWS_WITH(UnnamedFile({"/no/such/folder", "out"}),
                      Catch::Contains("out: No such file"));
}
