#include <openssl/evp.h>

#include <fmt/format.h>
#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

using Files = std::map<std::string, std::string>;
using Variables = std::vector<std::string>;

std::string sha256(const std::string& text) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    REQUIRE(EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha256(), nullptr) ==
            1);
    std::string out;
    for (unsigned int i = 0; i < length; ++i) {
        out += fmt::format("{:02x}", digest[i]);
    }
    return out;
}

/// All files of a run except the one that reports how it went.
Files files_of(const Folder& folder, const std::string& run) {
    Files files;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path() / run)) {
        files[entry.path().filename().string()] = read_file(entry.path());
    }
    CHECK(files.erase("run.json") == 1);
    return files;
}

void check_same(const Files& one, const Files& other) {
    REQUIRE(one.size() == other.size());
    for (const auto& [name, text] : one) {
        CAPTURE(name);
        REQUIRE(other.contains(name));
        CHECK((other.at(name) == text));
    }
}

void check_manifest(const Files& files) {
    const auto manifest = nlohmann::json::parse(files.at("manifest.json"));
    CHECK(manifest.at("files").size() == files.size() - 1);
    for (const auto& [name, digest] : manifest.at("files").items()) {
        CAPTURE(name);
        REQUIRE(files.contains(name));
        CHECK(digest == sha256(files.at(name)));
    }
}

std::string many_replications() {
    return replaced(sound_experiment, "spec:\n", "spec:\n  replications: 7\n");
}

}  // namespace

TEST_CASE("a run gives the same bytes again, at any number of threads", "[cli][reproducible]") {
    const Folder folder;
    folder.write("sound.yaml", many_replications());
    (void)done(folder, {"run", "sound.yaml", "-o", "j1", "-j", "1"});
    check_manifest(files_of(folder, "j1"));
    for (int threads = 2; threads <= 8; ++threads) {
        CAPTURE(threads);
        (void)done(folder, {"run", "sound.yaml", "-o", "more", "-j", std::to_string(threads)});
        check_same(files_of(folder, "j1"), files_of(folder, "more"));
    }
    (void)done(folder, {"run", "sound.yaml", "-o", "again"});
    check_same(files_of(folder, "j1"), files_of(folder, "again"));
}

TEST_CASE("a run gives the same bytes wherever it is made", "[cli][reproducible]") {
    const Folder folder;
    folder.write("sound.yaml", many_replications());
    (void)done(folder, {"run", "sound.yaml", "-o", "here"});
    for (const Variables& variables :
         {Variables{"TZ=Asia/Kolkata", "LC_ALL=C.utf8", "LANG=de_DE.UTF-8"},
          Variables{"TZ=America/St_Johns", "LC_ALL=C", "MALLOC_PERTURB_=165", "HOME=/nowhere"}}) {
        Circumstances how;
        how.variables = variables;
        (void)done(folder, {"run", "sound.yaml", "-o", "there"}, how);
        check_same(files_of(folder, "here"), files_of(folder, "there"));
    }
    const Folder other;
    (void)done(other, {"run", (folder.path() / "sound.yaml").string(), "-o", "elsewhere"});
    check_same(files_of(folder, "here"), files_of(other, "elsewhere"));
}

TEST_CASE("the resolved experiment of a run gives the same bytes", "[cli][reproducible]") {
    const std::string name =
        GENERATE("worked-example", "pack-rack-soft", "spread-rack-server-soft");
    const Folder folder;
    (void)done(folder, {"run", project_file("experiments/paper/" + name + ".yaml"), "-o", "run"});
    (void)done(folder, {"run", "run/experiment.yaml", "-o", "again"});
    check_same(files_of(folder, "run"), files_of(folder, "again"));
    check_manifest(files_of(folder, "run"));
}

TEST_CASE("what --set and --seed change is in the resolved experiment", "[cli][reproducible]") {
    const Folder folder;
    folder.write("sound.yaml", many_replications());
    (void)done(folder,
               {"run",
                "sound.yaml",
                "-o",
                "run",
                "--seed",
                "42",
                "--set",
                "spec.workload[1].groups[0].document.spec.group.size=6",
                "--set",
                "spec.until=30m"});
    (void)done(folder, {"run", "run/experiment.yaml", "-o", "again"});
    check_same(files_of(folder, "run"), files_of(folder, "again"));
    (void)done(folder, {"run", "sound.yaml", "-o", "other"});
    CHECK((files_of(folder, "run") != files_of(folder, "other")));
}

TEST_CASE("a run replaces a run and leaves nothing of it", "[cli][reproducible]") {
    const Folder folder;
    folder.write("sound.yaml", sound_experiment);
    (void)done(folder, {"run", "sound.yaml", "-o", "fresh/run/"});
    (void)done(folder, {"report", "fresh/run"});
    CHECK(std::filesystem::exists(folder.path() / "fresh/run/report.html"));
    (void)done(folder, {"run", "sound.yaml", "-o", "fresh/run"});
    CHECK_FALSE(std::filesystem::exists(folder.path() / "fresh/run/report.html"));
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path() / "fresh"), {}) == 1);
}
