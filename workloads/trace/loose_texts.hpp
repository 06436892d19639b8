#pragma once

#include <cstddef>
#include <vector>

namespace berth::workloads {

/// For rows in which texts may hold the separator as it is, so that they have more fields than
/// their header: which of the fields may belong to which column.
///
/// Places are indices of fields in the header. Only texts are longer than one field, and texts
/// between which no column is read count as one: the cut between them decides nothing.
class LooseTexts {
public:
    /// `texts`: the places of texts, in their order. `read`: the places of the columns that are
    /// read, none of them a text; CsvColumns::absent for those that the header does not have.
    LooseTexts(const std::vector<std::size_t>& texts, std::vector<std::size_t> read);

    /// All ways to give `more` fields to the texts: for each way, where the fields of the columns
    /// that are read stand. Empty if these are more than a thousand.
    [[nodiscard]] std::vector<std::vector<std::size_t>> ways(std::size_t more) const;

private:
    [[nodiscard]] std::vector<std::size_t> moved(const std::vector<std::size_t>& shares) const;

    std::vector<std::size_t> gaps_;  ///< The first of each run of texts that count as one.
    std::vector<std::size_t> read_;
};

}  // namespace berth::workloads
