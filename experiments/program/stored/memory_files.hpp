#pragma once

#include <map>
#include <memory>
#include <string>

#include "experiments/program/run/run_files.hpp"

namespace berth::experiments {

/// The text of each file of a run, by the file's name. A text is shared with the tables that are
/// read of it.
using Texts = std::map<std::string, std::shared_ptr<const std::string>>;

/// Keeps the files of a run in memory.
class MemoryFiles final : public RunFiles {
public:
    [[nodiscard]] std::unique_ptr<File> open(const std::string& name) override;
    void commit() override {}

    /// The files that were closed; the object has none afterwards.
    [[nodiscard]] Texts take() { return std::move(texts_); }

private:
    class MemoryFile;
    Texts texts_;
};

}  // namespace berth::experiments
