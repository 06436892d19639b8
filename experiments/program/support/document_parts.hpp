#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/support/json_values.hpp"

namespace berth::experiments {

/// A list in a JSON document that may be too long to be held as Values.
struct LongList {
    std::vector<std::string> path;   ///< Keys from the root to the list; empty: the root is the
                                     ///< list.
    std::vector<WantedKeys> wanted;  ///< The keys that are wanted from each element.
    /// Takes the next element; `around` is the map that contains the list, as far as it was read.
    /// Returns false if the document has to be read as a whole after all.
    std::function<bool(const core::Value& element, const core::Value& around)> take;
};

/// Reads a JSON document one block at a time. The elements of long lists are handed over one by
/// one, as parse_documents() would have made them, and are not kept.
///
/// Anything unusual or wrong is left to parse_documents(), which tells its place: this reader only
/// says that the document has to be read as a whole.
/// Cost: memory for the rest of the document, the largest element and a block.
class DocumentParts {
public:
    explicit DocumentParts(const std::filesystem::path& file,
                           std::size_t block_bytes = std::size_t{1} << 20U);

    /// The document with empty long lists. Nothing if it has to be read as a whole, which is also
    /// the case for standard input and pipes, because they can be read only once. Call once.
    /// Errors: core::ReadError.
    [[nodiscard]] std::optional<core::Value> read(const std::vector<LongList>& lists);
    /// Reads the first lines of the file again, so that messages can show lines among them.
    void keep_lines(int count);

private:
    std::string file_;
    std::size_t block_bytes_;
    std::shared_ptr<core::SourceText> source_;
};

}  // namespace berth::experiments
