/// Compressed traces that are damaged: one message and one status, whatever the compression and the
/// reader.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

#include "documents.hpp"
#include "folder.hpp"
#include "packed.hpp"

using namespace berth::tests;
using Catch::Contains;
using Catch::EndsWith;

namespace {

struct Packing {
    std::string ending;
    std::string (*pack)(std::string_view text);
    std::string (*other)(std::string_view text);
};
const std::vector<Packing> packings{{".gz", &gzip, &zstd}, {".zst", &zstd, &gzip}};

/// Rows that hardly compress, so that there are many blocks.
std::string jobs(int count) {
    std::string text = "name,submit,run_time,cpu,user\n";
    std::uint64_t bits = 1;
    for (int job = 0; job < count; ++job) {
        bits = bits * 6364136223846793005U + 1442695040888963407U;
        text += "job-" + std::to_string(job) + "," + std::to_string(job) + ",60,1,u" +
                std::to_string(bits) + "\n";
    }
    return text;
}

struct Damage {
    std::string what;
    std::string bytes;
};

std::vector<Damage> damages(const Packing& packing) {
    const std::string whole = packing.pack(jobs(20'000));
    const std::string small = packing.pack(jobs(20));
    std::string flipped = whole;
    flipped[whole.size() / 2] ^= 0x55;
    std::string of_start = whole;
    of_start[0] ^= 0x55;
    return {{"cut", whole.substr(0, whole.size() / 2)},
            {"cut at its end", whole.substr(0, whole.size() - 1)},
            {"cut, and small", small.substr(0, small.size() / 2)},
            {"damaged in the middle", flipped},
            {"damaged at its beginning", of_start},
            {"with more behind it", whole + "more"},
            {"empty", ""},
            {"packed otherwise than its name says", packing.other(jobs(20))},
            {"not packed at all", jobs(20)}};
}

/// A changed byte may decompress to a different text, which only the checksum at the end reveals.
bool may_show_as_text(const Damage& damage) {
    return damage.what == "damaged in the middle";
}

/// The number of jobs that `berth workload --lenient --to csv` gives.
long jobs_in(const std::string& table) {
    return std::ranges::count(table, '\n') - 1;
}

}  // namespace

TEST_CASE("packed traces: one that is not whole is named, with one message", "[cli][trace]") {
    for (const Packing& packing : packings) {
        const std::string name = "t.csv" + packing.ending;
        const Folder folder;
        folder.write("e.yaml",
                     replaced(sound_experiment,
                              "  workload:\n",
                              "  workload:\n    - trace: {format: csv, file: " + name + "}\n"));
        for (const Damage& damage : damages(packing)) {
            folder.write(name, damage.bytes);
            for (const Arguments& arguments :
                 {Arguments{"workload", name},
                  Arguments{"workload", name, "--from", "csv"},
                  Arguments{"workload", name, "--from", "csv", "--check"},
                  Arguments{"workload", name, "--from", "kueue"},
                  Arguments{"validate", name},
                  Arguments{"validate", name, "--from", "csv"},
                  Arguments{"validate", "e.yaml"},
                  Arguments{"topology", name},
                  Arguments{"run", "e.yaml", "-q", "-o", "o"}}) {
                CAPTURE(damage.what, arguments);
                const Answer answer = folder.berth(arguments);
                CHECK(answer.status == 2);
                INFO(answer.err);
                CHECK_THAT(answer.err, Contains(name + ":") && Contains(": error: "));
                if (!may_show_as_text(damage)) {
                    CHECK_THAT(answer.err, Contains(name + ": error: cut short or damaged ("));
                    CHECK_THAT(answer.err, Contains("): expected a whole compressed file"));
                }
                CHECK(answer.err.find("gzip error") == std::string::npos);
            }
        }
        CHECK(folder.listing() == std::vector<std::string>{"e.yaml", name});
    }
}

TEST_CASE("packed traces: lenient reading gives the jobs before the damage", "[cli][trace]") {
    constexpr long all = 20'000;
    for (const Packing& packing : packings) {
        const std::string name = "t.csv" + packing.ending;
        const Folder folder;
        for (const Damage& damage : damages(packing)) {
            CAPTURE(packing.ending, damage.what);
            folder.write(name, damage.bytes);
            const Answer answer = folder.berth(
                {"workload", name, "--from", "csv", "--lenient", "--to", "csv", "-o", "-"});
            INFO(answer.err);
            const bool has_rows = damage.what == "cut" || damage.what == "cut at its end" ||
                                  damage.what == "damaged in the middle" ||
                                  damage.what == "with more behind it";
            if (has_rows) {
                CHECK(answer.status == 0);
                CHECK(jobs_in(answer.out) > all / 5);
                if (!may_show_as_text(damage)) {
                    CHECK_THAT(answer.err, Contains(name + ": error: cut short or damaged ("));
                }
            } else if (damage.what != "cut, and small") {  // a small file may be a single block
                CHECK(answer.status == 2);
                CHECK_THAT(answer.err, Contains(name + ": error: cut short or damaged ("));
            }
            if (damage.what == "with more behind it") {
                CHECK(jobs_in(answer.out) > all - 100);  // except for 4 KiB at most
            }
        }
    }
}

TEST_CASE("packed traces: what is compressed otherwise is told apart", "[cli][trace]") {
    using Row = std::tuple<std::string, std::string, std::string>;
    const auto [name, bytes, what] = GENERATE(table<std::string, std::string, std::string>(
        {Row{"t.csv.bz2", "BZh91AY&SY", "is compressed by bzip2: expected what bzip2 -dc FILE"},
         Row{"t.csv.xz",
             std::string("\xFD"
                         "7zXZ\0",
                         6),
             "is compressed by xz: expected what"},
         Row{"t.csv", gzip(jobs(20)), "is compressed by gzip, which its name does not say"},
         Row{"t.csv", zstd(jobs(20)), "is compressed by zstd, which its name does not say"}}));
    const Folder folder;
    folder.write(name, bytes);
    CAPTURE(name);
    for (const Arguments& arguments : {Arguments{"workload", name}, Arguments{"validate", name}}) {
        CAPTURE(arguments);
        const Answer answer = folder.berth(arguments);
        CHECK(answer.status == 2);
        CHECK_THAT(answer.first_line(), Contains(name + ": error: " + what));
    }
    const Answer piped = folder.berth({"workload", "-"}, {.input = bytes});
    CHECK(piped.status == 2);
    CHECK_THAT(piped.first_line(), Contains("-: error: " + what));
}
