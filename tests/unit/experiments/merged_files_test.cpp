#include "experiments/program/run/merged_files.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/program/support/in_threads.hpp"
#include "tests/support/dice.hpp"
#include "tests/support/folder.hpp"

using namespace berth;
using experiments::MergedFiles;
using experiments::RunFiles;
using experiments::UnnamedFile;

namespace {

/// Files in memory whose rows may wait in a folder.
class SpillingFiles final : public RunFiles {
public:
    explicit SpillingFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

    std::unique_ptr<File> open(const std::string& name) override {
        return std::make_unique<Text>(texts[name]);
    }
    [[nodiscard]] std::optional<UnnamedFile::Place> spill_place() const override {
        return UnnamedFile::Place{folder_, "out"};
    }
    void commit() override {}

    std::map<std::string, std::string> texts;

private:
    class Text final : public File {
    public:
        explicit Text(std::string& text) : text_(text) {}
        void append(std::string_view text) override { text_ += text; }
        void close() override {}

    private:
        std::string& text_;
    };

    std::filesystem::path folder_;
};

/// Rows of a replication, with at least `bytes` bytes.
std::string rows_of(std::uint32_t replication, std::size_t bytes, tests::Dice& dice) {
    std::string rows;
    while (rows.size() < bytes) {
        rows += std::to_string(replication) + "," + std::to_string(dice.roll(0, 1'000'000)) + "\n";
    }
    return rows;
}

}  // namespace

TEST_CASE("merged files: rows of later replications wait on the disk, and each keeps its order",
          "[experiments][merged-files]") {
    const tests::TestFolder folder;
    SpillingFiles run(folder.path());
    MergedFiles files(run, {{"a.csv", "x\n"}, {"b.csv", "y\n"}});
    constexpr std::uint32_t replications = 3;
    std::vector<std::vector<std::string>> expected(2, std::vector<std::string>(replications));
    tests::Dice dice(1);
    // The rows of the second replication are 25 MB, more than memory keeps; the first replication
    // ends while they arrive.
    for (int round = 0; round < 30; ++round) {
        for (std::uint32_t replication = 0; replication < replications; ++replication) {
            const bool over = replication == 0 && round > 20;
            for (std::size_t file = 0; file < 2 && !over; ++file) {
                const std::size_t bytes = replication == 1 ? 420'000 : 1000;
                std::string rows = rows_of(replication, bytes, dice);
                expected[file][replication] += rows;
                files.append(replication, file, rows);
                REQUIRE(rows.empty());
            }
        }
        if (round == 20) {
            files.finish(0);
        }
    }
    CHECK(std::filesystem::is_empty(folder.path()));  // no file has a name
    files.finish(2);
    files.finish(1);
    files.close();
    for (std::size_t file = 0; file < 2; ++file) {
        const auto& rows = expected[file];
        const std::string whole = (file == 0 ? "x\n" : "y\n") + rows[0] + rows[1] + rows[2];
        CHECK((run.texts[file == 0 ? "a.csv" : "b.csv"] == whole));
    }
}

TEST_CASE("merged files: replications in threads, and others that write beside them",
          "[experiments][merged-files]") {
    for (const unsigned threads : {1U, 2U, 4U}) {
        CAPTURE(threads);
        const tests::TestFolder folder;
        SpillingFiles run(folder.path());
        MergedFiles files(run, {{"a.csv", "x\n"}, {"b.csv", "y\n"}});
        constexpr std::uint32_t replications = 6;
        std::vector<std::vector<std::string>> expected(2, std::vector<std::string>(replications));
        std::atomic<std::uint32_t> over = 0;
        experiments::in_threads(threads, replications + 2, [&](std::size_t turn) {
            if (turn >= replications) {
                files.write_beside();
                return;
            }
            const auto replication = static_cast<std::uint32_t>(turn);
            tests::Dice dice(replication);
            for (int round = 0; round < 25; ++round) {
                for (std::size_t file = 0; file < 2; ++file) {
                    const auto bytes = static_cast<std::size_t>(dice.roll(0, 900'000));
                    std::string rows(bytes, static_cast<char>(dice.roll('a', 'z')));
                    expected[file][replication] += rows;
                    files.append(replication, file, rows);
                }
            }
            files.finish(replication);
            if (++over == replications) {
                files.end();
            }
        });
        files.close();
        for (std::size_t file = 0; file < 2; ++file) {
            std::string whole = file == 0 ? "x\n" : "y\n";
            for (const std::string& rows : expected[file]) {
                whole += rows;
            }
            CHECK((run.texts[file == 0 ? "a.csv" : "b.csv"] == whole));
        }
    }
}

TEST_CASE("merged files: where no file can be made to wait in, that is told",
          "[experiments][merged-files]") {
    SpillingFiles run("/no/such/folder");
    MergedFiles files(run, {{"a.csv", "x\n"}});
    std::string few(1000, 'x');
    CHECK_NOTHROW(files.append(1, 0, few));
    std::string many(std::size_t{17} << 20U, 'x');
    CHECK_THROWS_WITH(files.append(1, 0, many), Catch::StartsWith("out: "));
}
