#pragma once

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <string>

namespace berth::tests {

/// A folder of its own for a test: empty at first, removed at the end.
class TestFolder {
public:
    TestFolder()
        : path_(std::filesystem::temp_directory_path() /
                ("berth-test-" + std::to_string(::getpid()))) {
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    ~TestFolder() { std::filesystem::remove_all(path_); }
    TestFolder(const TestFolder&) = delete;
    TestFolder& operator=(const TestFolder&) = delete;

    void write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace berth::tests
