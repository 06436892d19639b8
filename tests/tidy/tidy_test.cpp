// The rules of the code that a program can check.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path root = BERTH_SOURCE_DIR;
constexpr std::array folders{
    "core", "topologies", "sim", "schedulers", "workloads", "experiments", "tests"};

std::string text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines_of(const fs::path& file) {
    std::vector<std::string> lines;
    std::istringstream in(text_of(file));
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// Files below the project's folders, without those that npm installed.
std::vector<fs::path> files_of(const std::set<std::string>& extensions) {
    std::vector<fs::path> files;
    for (const char* folder : folders) {
        for (auto at = fs::recursive_directory_iterator(root / folder);
             at != fs::recursive_directory_iterator();
             ++at) {
            if (at->path().filename() == "node_modules") {
                at.disable_recursion_pending();
            } else if (at->is_regular_file() && extensions.contains(at->path().extension())) {
                files.push_back(at->path());
            }
        }
    }
    std::ranges::sort(files);
    return files;
}

std::string shown(const fs::path& file) {
    return fs::relative(file, root).string();
}

/// Functions whose last bits the standards leave to the C library, and functions of Boost that use
/// them.
const std::regex with_open_bits(
    R"(std::(a?(cos|sin|tan)h?|atan2|cbrt|erfc?|exp2?|expm1|hypot|[lt]gamma|log(10|1p|2)?|pow)\b)"
    "|boost/math/");

/// The lines and the assertions of some files.
struct Asserted {
    std::size_t lines = 0;
    std::size_t assertions = 0;

    Asserted& operator+=(const Asserted& other) {
        lines += other.lines;
        assertions += other.assertions;
        return *this;
    }
    /// Whether there are at least 8 assertions for each 1 000 lines.
    [[nodiscard]] bool enough() const { return assertions * 1000 >= lines * 8; }
};

Asserted asserted_in(const std::string& text) {
    static const std::regex assertion("\\bBERTH_(ASSERT|AUDIT)\\(");
    const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
    const auto found = std::distance(std::sregex_iterator(text.begin(), text.end(), assertion),
                                     std::sregex_iterator());
    return {lines, static_cast<std::size_t>(found)};
}

/// The folder that a file or an included file belongs to.
std::string package_of(const std::string& path) {
    return path.substr(0, path.find('/'));
}

/// The folders from which the files of each folder include.
using Rooms = std::map<std::string, std::set<std::string>>;

Rooms rooms_by_includes() {
    static const std::regex include("^#include \"([^\"]+)/[^\"/]+\"");
    Rooms rooms;
    for (const fs::path& file : files_of({".hpp", ".cpp", ".def"})) {
        const std::string room = fs::path(shown(file)).parent_path().string();
        if (package_of(room) == "tests") {
            continue;
        }
        std::set<std::string>& others = rooms[room];
        for (const std::string& line : lines_of(file)) {
            std::smatch found;
            if (std::regex_search(line, found, include) && found[1] != room) {
                others.insert(found[1]);
            }
        }
    }
    return rooms;
}

/// The shortest way from a folder through others back to itself, without its beginning; empty:
/// none.
std::vector<std::string> way_back(const Rooms& rooms, const std::string& room) {
    std::map<std::string, std::string> from;
    std::deque<std::string> next{room};
    while (!next.empty() && !from.contains(room)) {
        const std::string here = next.front();
        next.pop_front();
        if (const auto others = rooms.find(here); others != rooms.end()) {
            for (const std::string& other : others->second) {
                if (from.try_emplace(other, here).second) {
                    next.push_back(other);
                }
            }
        }
    }
    std::vector<std::string> way;
    if (from.contains(room)) {
        way.push_back(room);
        for (std::string at = from[room]; at != room; at = from[at]) {
            way.insert(way.begin(), at);
        }
    }
    return way;
}

}  // namespace

TEST_CASE("tidy: includes point where the arrows go", "[tidy]") {
    const std::map<std::string, std::set<std::string>> may_include{
        {"core", {"core"}},
        {"topologies", {"core", "topologies"}},
        {"sim", {"core", "sim"}},
        {"workloads", {"core", "sim", "workloads"}},
        {"experiments", {"core", "sim", "topologies", "schedulers", "workloads", "experiments"}},
    };
    const std::regex include("#include \"([^\"]+\\.hpp)\"");  // lists of schedulers are everybody's
    for (const fs::path& file : files_of({".hpp", ".cpp"})) {
        const auto allowed = may_include.find(package_of(shown(file)));
        if (allowed == may_include.end()) {
            continue;
        }
        for (const std::string& line : lines_of(file)) {
            std::smatch found;
            if (std::regex_search(line, found, include)) {
                INFO(shown(file) << ": " << line);
                CHECK(allowed->second.contains(package_of(found[1])));
            }
        }
    }
}

TEST_CASE("tidy: what a scheduler decides and does in a run knows nothing of the program",
          "[tidy]") {
    const std::map<std::string, std::set<std::string>> may_include{
        {"decide", {"core"}},
        {"run", {"core", "sim"}},
        {"trace", {"core", "sim", "workloads"}},
    };
    const std::regex include("#include \"([^\"]+)\"");
    std::size_t seen = 0;
    for (const fs::path& file : files_of({".hpp", ".cpp"})) {
        if (package_of(shown(file)) != "schedulers") {
            continue;
        }
        const fs::path place = shown(file);
        const std::string scheduler = std::next(place.begin())->string();
        const auto allowed = may_include.find(std::next(place.begin(), 2)->string());
        for (const std::string& line : lines_of(file)) {
            std::smatch found;
            if (!std::regex_search(line, found, include)) {
                continue;
            }
            INFO(shown(file) << ": " << line);
            ++seen;
            const std::string other = package_of(found[1]);
            CHECK((other != "schedulers" ||
                   found[1].str().starts_with("schedulers/" + scheduler + "/")));
            CHECK((other == "schedulers" || allowed == may_include.end() ||
                   allowed->second.contains(other)));
        }
    }
    CHECK(seen > 100);
}

TEST_CASE("tidy: no two folders include each other, not even by way of others", "[tidy]") {
    const Rooms rooms = rooms_by_includes();
    CHECK(rooms.size() > 40);  // the project's folders; a handful would mean that nothing was read
    for (const auto& [room, others] : rooms) {
        const std::vector<std::string> way = way_back(rooms, room);
        std::string shown_way = room;
        for (const std::string& next : way) {
            shown_way += " -> " + next;
        }
        INFO(shown_way);
        CHECK(way.empty());
    }
}

TEST_CASE("tidy: a way back is found where there is one", "[tidy]") {
    const Rooms circle{{"a", {"b", "d"}}, {"b", {"c"}}, {"c", {"a"}}, {"d", {}}};
    CHECK(way_back(circle, "a") == std::vector<std::string>{"b", "c", "a"});
    CHECK(way_back(circle, "d").empty());
}

TEST_CASE("tidy: every source file of the tests is in a CMakeLists.txt", "[tidy]") {
    for (const fs::path& file : files_of({".cpp"})) {
        if (package_of(shown(file)) != "tests") {
            continue;
        }
        bool listed = false;
        for (fs::path folder = file.parent_path(); folder != root && !listed;
             folder = folder.parent_path()) {
            const fs::path list = folder / "CMakeLists.txt";
            listed = fs::exists(list) &&
                     text_of(list).find(fs::relative(file, folder).string()) != std::string::npos;
        }
        INFO(shown(file));
        CHECK(listed);
    }
}

TEST_CASE("tidy: lines, files and headers keep their form", "[tidy]") {
    for (const fs::path& file : files_of({".hpp", ".cpp"})) {
        INFO(shown(file));
        const std::vector<std::string> lines = lines_of(file);
        CHECK(lines.size() <= 600);
        if (file.extension() == ".hpp") {
            CHECK(lines.front() == "#pragma once");
        }
        for (std::size_t i = 0; i < lines.size(); ++i) {
            INFO("line " << i + 1);
            // Columns are characters, not bytes of UTF-8; long raw strings are exempt.
            const auto columns = std::ranges::count_if(
                lines[i], [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
            const bool raw_text = lines[i].find("R\"(") != std::string::npos;
            CHECK((columns <= 100 || raw_text));
            CHECK((lines[i].empty() || (lines[i].back() != ' ' && lines[i].back() != '\r')));
            CHECK(lines[i].find('\t') == std::string::npos);
        }
    }
}

TEST_CASE("tidy: what must not be in the cores is not there", "[tidy]") {
    const std::vector<std::string> banned{"std::cout",
                                          "std::cerr",
                                          "rand()",
                                          "std::normal_distribution",
                                          "std::exponential_distribution",
                                          "std::uniform_int_distribution",
                                          "std::uniform_real_distribution",
                                          "std::random_device",
                                          "system_clock"};
    for (const fs::path& file : files_of({".hpp", ".cpp"})) {
        const std::string package = package_of(shown(file));
        if (package == "experiments" || package == "tests") {
            continue;
        }
        const std::string text = text_of(file);
        for (const std::string& word : banned) {
            INFO(shown(file) << ": " << word);
            CHECK(text.find(word) == std::string::npos);
        }
    }
}

TEST_CASE("tidy: no result rests on last bits of the C library", "[tidy]") {
    CHECK(std::regex_search("x = std::log1p(-u);", with_open_bits));
    CHECK(std::regex_search("apply(std::log)", with_open_bits));
    CHECK_FALSE(std::regex_search("std::sqrt(x) + std::logic_error(x)", with_open_bits));
    // The results of these files are right whatever the last bits are, or only a benchmark uses
    // them.
    const std::set<std::string> right_all_the_same{
        "core/gpu_sharing/policies/fragmentation_gradient_descent.cpp",
        "core/support/exact_math.cpp",
        "core/support/rounded_math.cpp",
        "experiments/program/bench/bench_quota.cpp",
        "experiments/program/results/statistics.cpp",
        "experiments/program/results/time_to_failure.cpp"};
    for (const fs::path& file : files_of({".hpp", ".cpp"})) {
        if (package_of(shown(file)) != "tests" && !right_all_the_same.contains(shown(file))) {
            INFO(shown(file) << ": see core/support/rounded_math.hpp");
            CHECK_FALSE(std::regex_search(text_of(file), with_open_bits));
        }
    }
}

TEST_CASE("tidy: core and sim assert what their readers would have to believe", "[tidy]") {
    for (const std::string package : {"core", "sim"}) {
        Asserted all;
        for (const fs::path& file : files_of({".hpp", ".cpp"})) {
            if (package_of(shown(file)) == package && file.filename() != "assert.hpp") {
                all += asserted_in(text_of(file));
            }
        }
        INFO(package << ": " << all.assertions << " assertions in " << all.lines << " lines");
        CHECK(all.enough());
    }
}

TEST_CASE("tidy: too few assertions are seen", "[tidy]") {
    const std::string line = "int x = 0;\n";
    const std::string assertion = "BERTH_ASSERT(x == 0, \"nothing is counted yet\");\n";
    std::string text = assertion;
    for (int i = 1; i < 125; ++i) {
        text += line;
    }
    CHECK(asserted_in(text).enough());
    CHECK_FALSE(asserted_in(text + line).enough());
    CHECK(asserted_in(text + "    BERTH_AUDIT(x == 0, \"nor later\");\n").enough());
    CHECK(asserted_in("/// BERTH_ASSERT is a macro.\n").assertions == 0);
}

TEST_CASE("tidy: nothing is left for later", "[tidy]") {
    const std::regex mark(
        "\\b(TO"
        "DO|FIX"
        "ME|XX"
        "X|HA"
        "CK)\\b");
    for (const fs::path& file : files_of({".hpp", ".cpp", ".sh", ".js", ".mjs"})) {
        INFO(shown(file));
        CHECK_FALSE(std::regex_search(text_of(file), mark));
    }
}

TEST_CASE("tidy: lists of plug-ins are sorted", "[tidy]") {
    for (const fs::path& file : files_of({".def"})) {
        if (file.filename() == "tables.def") {
            continue;  // columns are in the order of their table
        }
        INFO(shown(file));
        std::vector<std::string> entries;  // entries by their keys, the text up to the first comma
        for (const std::string& line : lines_of(file)) {
            if (line.starts_with("BERTH_")) {
                entries.push_back(line.substr(0, line.find(',')));
            }
        }
        CHECK_FALSE(entries.empty());
        // Consecutive entries of one kind are sorted; headings between them may have another order.
        const auto kind = [](const std::string& entry) { return entry.substr(0, entry.find('(')); };
        for (std::size_t i = 1; i < entries.size(); ++i) {
            INFO(entries[i]);
            CHECK((kind(entries[i - 1]) != kind(entries[i]) || entries[i - 1] <= entries[i]));
        }
    }
}
