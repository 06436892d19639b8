#include "experiments/program/stored/memory_files.hpp"

#include <string_view>
#include <utility>

#include "experiments/program/support/sha256.hpp"

namespace berth::experiments {

class MemoryFiles::MemoryFile final : public File {
public:
    MemoryFile(MemoryFiles& files, std::string name) : files_(files), name_(std::move(name)) {}

    void append(std::string_view text) override {
        sha256_.add(text);
        text_ += text;
    }
    void close() override {
        files_.closed(name_, sha256_.hex());
        files_.texts_[name_] = std::make_shared<const std::string>(std::move(text_));
    }

private:
    MemoryFiles& files_;
    std::string name_;
    std::string text_;
    Sha256 sha256_;
};

std::unique_ptr<RunFiles::File> MemoryFiles::open(const std::string& name) {
    return std::make_unique<MemoryFile>(*this, name);
}

}  // namespace berth::experiments
