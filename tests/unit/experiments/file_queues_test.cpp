#include "experiments/program/run/merged_files.hpp"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/support/dice.hpp"

using namespace berth;
using experiments::FileQueues;

namespace {

/// What a file received, and how it behaves when it receives something.
struct Got {
    std::string text;
    std::chrono::microseconds pause{0};
    bool fails = false;
    bool is_closed = false;
    std::atomic<std::size_t> bytes = 0;
    std::atomic<int> at_once = 0;
    std::atomic<int> at_once_max = 0;
};

class TestFile final : public experiments::RunFiles::File {
public:
    explicit TestFile(Got& got) : got_(got) {}
    void append(std::string_view text) override {
        got_.at_once_max = std::max(got_.at_once_max.load(), ++got_.at_once);
        std::this_thread::sleep_for(got_.pause);
        if (got_.fails) {
            throw std::system_error(std::make_error_code(std::errc::no_space_on_device),
                                    "out/a.csv");
        }
        got_.text += text;
        got_.bytes += text.size();
        --got_.at_once;
    }
    void close() override { got_.is_closed = true; }

private:
    Got& got_;
};

void write(FileQueues& queues, std::size_t file, std::string text) {
    queues.write(file, text);
    CHECK(text.empty());
}

}  // namespace

TEST_CASE("file queues: whoever is alone writes at once", "[experiments][file-queues]") {
    Got got;
    FileQueues queues;
    queues.add(std::make_unique<TestFile>(got));
    write(queues, 0, "a\n");
    CHECK(got.text == "a\n");
    queues.put(0, {.text = "b\n"});
    CHECK(got.text == "a\n");
    queues.write_waiting();
    CHECK(got.text == "a\nb\n");
    queues.put(0, {.text = "c\n"});
    write(queues, 0, "d\n");
    CHECK(got.text == "a\nb\nc\nd\n");
    queues.put(0, {.text = "e\n"});
    CHECK_FALSE(got.is_closed);
    queues.close();
    CHECK(got.text == "a\nb\nc\nd\ne\n");
    CHECK(got.is_closed);
}

TEST_CASE("file queues: texts keep their order whoever writes them, and one writes at a time",
          "[experiments][file-queues]") {
    for (const std::size_t beside : {0U, 1U, 3U}) {
        CAPTURE(beside);
        std::vector<Got> got(3);
        FileQueues queues;
        for (Got& file : got) {
            queues.add(std::make_unique<TestFile>(file));
        }
        std::vector<std::string> expected(got.size());
        {
            std::vector<std::jthread> threads;
            for (std::size_t i = 0; i < beside; ++i) {
                threads.emplace_back([&] { queues.write_beside(); });
            }
            std::vector<std::jthread> makers;
            for (std::size_t file = 0; file < got.size(); ++file) {
                makers.emplace_back([&, file] {
                    tests::Dice dice(file);
                    for (std::uint64_t i = 0; i < tests::cases(300); ++i) {
                        std::string text(static_cast<std::size_t>(dice.roll(0, 40'000)),
                                         static_cast<char>(dice.roll('a', 'z')));
                        expected[file] += text;
                        if (dice.chance(20)) {
                            queues.put(file, {.text = std::move(text)});
                        } else {
                            queues.write(file, text);
                        }
                    }
                });
            }
            makers.clear();
            queues.end();
        }
        queues.close();
        for (std::size_t file = 0; file < got.size(); ++file) {
            CHECK((got[file].text == expected[file]));
            CHECK(got[file].at_once_max == 1);
        }
    }
}

TEST_CASE("file queues: no more than some megabytes wait for who writes beside",
          "[experiments][file-queues]") {
    Got got;
    got.pause = std::chrono::milliseconds(2);
    FileQueues queues;
    queues.add(std::make_unique<TestFile>(got));
    std::jthread beside([&] { queues.write_beside(); });
    constexpr std::size_t megabyte = std::size_t{1} << 20U;
    for (std::size_t put = megabyte; put <= 30 * megabyte; put += megabyte) {
        write(queues, 0, std::string(megabyte, 'x'));
        CHECK(put - got.bytes.load() <= 5 * megabyte);
    }
    queues.end();
    beside.join();
    CHECK(got.bytes == 30 * megabyte);
}

TEST_CASE("file queues: a thread of their own writes what was there and what comes",
          "[experiments][file-queues]") {
    for (const bool is_closed : {true, false}) {
        Got got;
        got.pause = std::chrono::milliseconds(1);
        std::string expected;
        {
            FileQueues queues;
            queues.add(std::make_unique<TestFile>(got));
            queues.put(0, {.text = "first\n"});
            expected = "first\n";
            queues.write_in_own_thread();
            for (int i = 0; i < 100; ++i) {
                write(queues, 0, std::to_string(i) + "\n");
                expected += std::to_string(i) + "\n";
            }
            if (is_closed) {
                queues.close();
            }
        }
        CHECK(got.text == expected);
        CHECK(got.is_closed == is_closed);
        CHECK(got.at_once_max == 1);
    }
}

TEST_CASE("file queues: what a file throws arrives at all who come after",
          "[experiments][file-queues]") {
    const auto is_told = Catch::StartsWith("out/a.csv: No space left on device");
    Got bad;
    bad.fails = true;
    Got good;
    FileQueues queues;
    queues.add(std::make_unique<TestFile>(bad));
    queues.add(std::make_unique<TestFile>(good));
    SECTION("to who wrote it") {
        CHECK_THROWS_WITH(write(queues, 0, "a\n"), is_told);
    }
    SECTION("to who writes after somebody beside did") {
        queues.put(0, {.text = "a\n"});
        queues.write_beside();  // this ends, since the write failed
        CHECK_THROWS_WITH(write(queues, 1, "b\n"), is_told);
    }
    SECTION("to who writes what waits") {
        queues.put(0, {.text = "a\n"});
        CHECK_THROWS_WITH(queues.write_waiting(), is_told);
    }
    SECTION("to who waits because too much waits") {
        bad.pause = std::chrono::milliseconds(50);
        const std::jthread beside([&] { queues.write_beside(); });
        const auto write_much = [&] {
            for (int i = 0; i < 100; ++i) {
                std::string text(std::size_t{1} << 20U, 'x');
                queues.write(0, text);
            }
        };
        CHECK_THROWS_WITH(write_much(), is_told);
    }
    SECTION("to who writes after the thread of their own did") {
        queues.write_in_own_thread();
        const auto write_on = [&] {
            for (int i = 0; i < 100'000; ++i) {
                write(queues, 0, "a\n");
                std::this_thread::sleep_for(std::chrono::microseconds(10));
            }
        };
        CHECK_THROWS_WITH(write_on(), is_told);
    }
    SECTION("to who closes after the thread of their own did") {
        queues.put(0, {.text = "a\n"});
        queues.write_in_own_thread();
    }
    SECTION("to who closes") {
        queues.put(0, {.text = "a\n"});
    }
    CHECK_THROWS_WITH(queues.close(), is_told);
    CHECK_FALSE(good.is_closed);
}
