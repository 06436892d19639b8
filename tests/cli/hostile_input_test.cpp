/// Documents that expand to far more than they contain, and texts with terminal control sequences.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "documents.hpp"
#include "folder.hpp"
#include "packed.hpp"

using namespace berth::tests;
using Catch::Contains;
using Catch::StartsWith;

namespace {

constexpr std::uint64_t mebibyte = 1U << 20U;

/// 1.6 GB in 1.6 MB with gzip, and in less with zstd.
struct Bomb {
    std::string suffix;
    std::string (*pack)(std::string_view text);
};
const std::vector<Bomb> bombs{{".gz", &gzip}, {".zst", &zstd}};

std::string packed_sixteen(const Bomb& bomb, std::size_t count) {
    return repeated(bomb.pack(std::string(16 * mebibyte, 'x')), count);
}

/// The answer of `berth validate` to a document, for which it may use few resources.
Answer answer_to(const std::string& document, const std::string& name = "d.yaml") {
    const Folder folder;
    folder.write(name, document);
    Circumstances little;
    little.seconds_max = 10;
    return folder.berth({"validate", name}, little);
}

}  // namespace

TEST_CASE("hostile: a comma that begins a document", "[cli][hostile]") {
    CHECK_THAT(answer_to(",").err,
               StartsWith("d.yaml:1:1: error: found a ',' outside a list: expected a value"));
    CHECK_THAT(answer_to("--- a\n--- ,\n").err, Contains("d.yaml:2:5: error: found a ','"));
}

TEST_CASE("hostile: aliases of aliases", "[cli][hostile]") {
    std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 10; ++i) {
        const std::string one = "*a" + std::to_string(i - 1);
        text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
        for (int j = 0; j < 9; ++j) {
            text += (j > 0 ? ", " : "") + one;
        }
        text += "]\n";
    }
    const Answer answer = answer_to(text);
    CHECK(answer.status == 2);
    CHECK_THAT(answer.err, Contains("aliases stand for too many values: expected at most 1000000"));
    CHECK_THAT(answer_to("a: &a [*a]\n").err,
               StartsWith("d.yaml:1:8: error: nested without end: this alias names what it"));
}

TEST_CASE("hostile: nested for ever", "[cli][hostile]") {
    CHECK_THAT(answer_to(std::string(100'000, '[')).err, Contains("error: "));
    CHECK_THAT(answer_to("a: " + std::string(100'000, '{')).err, Contains("error: "));
    CHECK(answer_to(std::string(100'000, '[') + std::string(100'000, ']')).status == 2);
}

TEST_CASE("hostile: a name of megabytes is quoted in part", "[cli][hostile]") {
    const Answer answer =
        answer_to("apiVersion: berth/v1\nkind: " + std::string(5'000'000, 'x') + "\n");
    CHECK(answer.status == 2);
    CHECK_THAT(answer.err, StartsWith("d.yaml:2:7: error: unknown kind 'xxx"));
    CHECK_THAT(answer.err, Contains("[...]"));
    CHECK(answer.err.size() < 5000);
}

TEST_CASE("hostile: what is said shows control characters and does not send them",
          "[cli][hostile]") {
    CHECK_THAT(answer_to("apiVersion: berth/v1\nkind: \"\\e[31mred\"\n").err,
               StartsWith("d.yaml:2:7: error: a control character, \\x1b: expected none"));
    CHECK_THAT(answer_to(R"({"kind": "a\u0000b"})", "d.json").err,
               StartsWith("d.json:1:10: error: a control character, \\x00: expected none"));
    const Folder folder;
    const Answer red = folder.berth({"run", "a\x1b[31mb\x9b.yaml"});
    CHECK_THAT(red.err, StartsWith("a\\x1b[31mb\\x9b.yaml: error: cannot be read"));
    CHECK(red.err.find('\x1b') == std::string::npos);
    const Answer broken = answer_to("apiVersion: berth/v1\nkind: a\xff\xc3\xa9\n");
    CHECK_THAT(broken.err,
               StartsWith("d.yaml:2:7: error: the byte \\xff, which is not UTF-8: expected UTF-8"));
    CHECK_THAT(broken.err, Contains("a\\xff\xc3\xa9"));  // valid UTF-8 is kept
}

TEST_CASE("hostile: a line break in what is named does not break the message", "[cli][hostile]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"});
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "s"});
    for (const Arguments& arguments : {Arguments{"a\nb"},
                                       Arguments{"run", "a\nb"},
                                       Arguments{"run", "e.yaml", "a\nb"},
                                       Arguments{"run", "e.yaml", "--a\nb"},
                                       Arguments{"run", "e.yaml", "--set", "a\nb=1"},
                                       Arguments{"run", "e.yaml", "--seed", "a\nb"},
                                       Arguments{"run", "e.yaml", "--tables", "a\nb"},
                                       Arguments{"run", "e.yaml", "-q", "-o", "/dev/null/a\nb"},
                                       Arguments{"sweep", "s.yaml", "--shard", "a\nb"},
                                       Arguments{"report", "a\nb"},
                                       Arguments{"report", "s", "--target", "a\nb"},
                                       Arguments{"report", "s", "--target", "a\nb<=1"},
                                       Arguments{"compare", "o", "o:a\nb"},
                                       Arguments{"verify", "s:a\nb"},
                                       Arguments{"why", "o", "a\nb"},
                                       Arguments{"plot", "o", "-f", "a\nb", "-o", "x.svg"},
                                       Arguments{"plot", "o", "-f", "wait-cdf", "-o", "a\nb"},
                                       Arguments{"list", "a\nb"},
                                       Arguments{"topology", "e.yaml", "-o", "no/a\nb"},
                                       Arguments{"workload", "a\nb", "--from", "swf"}}) {
        const Answer answer = folder.berth(arguments);
        INFO(answer.err);
        CHECK(answer.status != 0);
        CHECK_THAT(answer.first_line(), Contains("a\\nb") && Contains(": expected "));
        const std::string rest = answer.err.substr(answer.first_line().size());
        CHECK((rest == "\n" || rest.starts_with("\nusage: ")));
    }
}

TEST_CASE("hostile: names of resources that would break tables", "[cli][hostile]") {
    for (const std::string name : {"a b", "a=b", "", "a\\nb"}) {
        CAPTURE(name);
        const Folder folder;
        folder.write("e.yaml",
                     replaced(sound_experiment, "{cpu: 4,", "{\"" + name + "\": 1, cpu: 4,"));
        const Answer type = folder.berth({"run", "e.yaml", "-q", "-o", "o"});
        CHECK(type.status == 2);
        CHECK_THAT(type.err, Contains("expected the name of a resource, of letters, digits"));
        folder.write("e.yaml",
                     replaced(sound_experiment, "{cpu: 16,", "{\"" + name + "\": 1, cpu: 16,"));
        CHECK_THAT(folder.berth({"run", "e.yaml", "-q", "-o", "o"}).err,
                   Contains("expected the name of a resource, of letters, digits"));
    }
}

TEST_CASE("hostile: a small file that holds a huge document", "[cli][hostile]") {
    const Bomb& bomb = GENERATE(from_range(bombs));
    const std::string name = "d.yaml" + bomb.suffix;
    const Folder folder;
    folder.write(name, packed_sixteen(bomb, 6));
    for (const Arguments& arguments : {Arguments{"validate", name},
                                       Arguments{"run", name},
                                       Arguments{"topology", name},
                                       Arguments{"workload", name},
                                       Arguments{"candidates", name, "resources=VCPU:1"}}) {
        CAPTURE(arguments);
        const Answer answer =
            folder.berth(arguments, {.memory_bytes_max = 500 * mebibyte, .seconds_max = 10});
        CHECK(answer.status == 2);
        CHECK_THAT(answer.first_line(),
                   StartsWith(name + ": error: has more than 64 MiB, ") &&
                       Contains(" times what is stored: expected a document of at most 1 GiB"));
    }
    CHECK(folder.listing() == std::vector<std::string>{name});
}

TEST_CASE("hostile: a small trace with an endless row", "[cli][hostile]") {
    const Bomb& bomb = GENERATE(from_range(bombs));
    const std::string name = "t.csv" + bomb.suffix;
    const Folder folder;
    folder.write(name, bomb.pack("name,submit,cpu\na,0,1\n") + packed_sixteen(bomb, 100));
    folder.write("e.yaml",
                 replaced(sound_experiment,
                          "  workload:\n",
                          "  workload:\n    - trace: {format: csv, file: " + name + "}\n"));
    for (const Arguments& arguments : {Arguments{"workload", name, "--from", "csv", "--check"},
                                       Arguments{"run", "e.yaml", "-o", "o"}}) {
        CAPTURE(arguments);
        const Answer answer =
            folder.berth(arguments, {.memory_bytes_max = 500 * mebibyte, .seconds_max = 10});
        CHECK(answer.status == 2);
        CHECK_THAT(answer.first_line(),
                   Contains(name + ":3:1: error: a row is too long: expected at most 16777216"));
    }
}

TEST_CASE("hostile: a document for which there is no memory is not called broken",
          "[cli][hostile]") {
    const Folder folder;
    folder.write("d.yaml.gz", packed_sixteen(bombs.front(), 100));
    const Answer answer = folder.berth({"validate", "d.yaml.gz"},
                                       {.memory_bytes_max = 250 * mebibyte, .seconds_max = 20});
    CHECK(answer.status == 1);
    CHECK_THAT(answer.err, StartsWith("berth: error: out of memory: "));
}
