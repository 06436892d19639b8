#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "sim/job/label.hpp"

using berth::sim::Label;

TEST_CASE("label: labels of one text are one", "[sim][job]") {
    const std::string text = "a name that is too long to lie in the string itself";
    const Label one(text);
    const Label other(text + "");
    CHECK(one == other);
    CHECK(&one.text() == &other.text());
    CHECK(one == text);
    CHECK(one.text() == text);
    CHECK(sizeof(Label) == sizeof(void*));
}

TEST_CASE("label: labels of different texts differ, and a label without text is empty",
          "[sim][job]") {
    CHECK(!(Label("a") == Label("b")));
    CHECK(Label() == Label(""));
    CHECK(Label().empty());
    CHECK(Label() == "");
    Label label = "a";
    label = "b";
    CHECK(label == "b");
    label = Label();
    CHECK(label.text().empty());
}

TEST_CASE("label: labels that threads make at once are one", "[sim][job]") {
    constexpr int count = 1'000;
    std::vector<std::vector<Label>> made(4);
    std::vector<std::thread> threads;
    for (std::vector<Label>& labels : made) {
        threads.emplace_back([&labels] {
            for (int i = 0; i < count; ++i) {
                labels.emplace_back("of many threads " + std::to_string(i));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const std::vector<Label>& labels : made) {
        CHECK(labels == made.front());
    }
}
