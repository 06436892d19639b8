#pragma once

#include <filesystem>
#include <istream>
#include <memory>

namespace berth::report {

/// The table in an Arrow file as a stream of text: the CSV that the run would have written.
///
/// Errors: as ArrowFile, from the constructor and from any function that reads.
/// Cost:   one batch in memory, as columns and as text.
class ArrowText : public std::istream {
public:
    explicit ArrowText(const std::filesystem::path& path);
    ~ArrowText() override;

private:
    class Buffer;
    std::unique_ptr<Buffer> buffer_;
};

}  // namespace berth::report
