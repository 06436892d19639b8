#pragma once

#include <filesystem>
#include <istream>
#include <memory>

namespace berth::report {

/// The text of the table that an Arrow file has, as a stream: what the run would have written as
/// CSV.
///
/// Errors: as ArrowFile, from the constructor and from whatever reads.
/// Cost:   a batch in memory, as columns and as text.
class ArrowText : public std::istream {
public:
    explicit ArrowText(const std::filesystem::path& path);
    ~ArrowText() override;

private:
    class Buffer;
    std::unique_ptr<Buffer> buffer_;
};

}  // namespace berth::report
