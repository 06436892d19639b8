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

/// A list of a JSON document that may be too long to be held as Values.
struct LongList {
    std::vector<std::string> path;   ///< The keys that lead to it from the root; none: the root.
    std::vector<WantedKeys> wanted;  ///< The keys that are wanted of each element.
    /// Takes the next element; `around` is the map that the list is in, as far as it was read.
    /// Returns false where the document has to be read whole after all.
    std::function<bool(const core::Value& element, const core::Value& around)> take;
};

/// Reads a JSON document a block at a time: the elements of long lists are handed over one by one,
/// each as parse_documents() would have made it, and are gone afterwards.
///
/// Whatever is unusual or wrong is left to parse_documents(), which says where it stands: this
/// reader only says that the document has to be read whole.
/// Cost: memory for the rest of the document, the largest element and a block.
class DocumentParts {
public:
    explicit DocumentParts(const std::filesystem::path& file,
                           std::size_t block_bytes = std::size_t{1} << 20U);

    /// The document, in which the long lists are empty. Nothing: read it whole; that is so for
    /// standard input and pipes, too, which can be read but once. Call once.
    /// Errors: core::ReadError.
    [[nodiscard]] std::optional<core::Value> read(const std::vector<LongList>& lists);
    /// Reads the first lines of the file anew, so that messages at places in them can show these.
    void keep_lines(int count);

private:
    std::string file_;
    std::size_t block_bytes_;
    std::shared_ptr<core::SourceText> source_;
};

}  // namespace berth::experiments
