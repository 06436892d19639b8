#pragma once

#include <cstddef>
#include <vector>

namespace berth::workloads {

/// For tables in which texts may contain the separator unquoted, so that rows have more fields than
/// the header: which of the fields may belong to which column.
///
/// Places are indices of fields in the header. Only texts can be longer than one field. Texts
/// without a read column between them count as one, because the boundary between them decides
/// nothing.
class LooseTexts {
public:
    /// `texts`: the places of the texts, in order. `read`: the places of the columns that are read,
    /// none of them a text; CsvColumns::absent for columns that the header does not have.
    LooseTexts(const std::vector<std::size_t>& texts, std::vector<std::size_t> read);

    /// All ways to give `more` extra fields to the texts: for each way, the places of the columns
    /// that are read. Empty if there are more than a thousand ways.
    [[nodiscard]] std::vector<std::vector<std::size_t>> ways(std::size_t more) const;

private:
    [[nodiscard]] std::vector<std::size_t> moved(const std::vector<std::size_t>& shares) const;

    std::vector<std::size_t> gaps_;  ///< Place of the first text in each run of texts that count as
                                     ///< one.
    std::vector<std::size_t> read_;
};

}  // namespace berth::workloads
