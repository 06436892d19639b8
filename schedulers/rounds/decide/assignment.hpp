#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "core/support/assert.hpp"

namespace berth::core::rounds {

/// Gives each row a column of its own so that the sum of the costs is least. Rows come one after
/// the other; each takes the cheapest path, by reduced costs, to a column that nobody has, and
/// those on the path move over.
///
/// Shape:  rows <= columns; `cost(row, column)` is finite, and is asked for often.
/// Order:  of equally cheap columns, a free one is preferred, the last of them that the scan meets;
///         else the first one that it meets. A row's scan begins with the last column, and a column
///         that is done is replaced in it by the one at the end of the scan. SciPy's
///         linear_sum_assignment has this order, so the choice among optimal solutions is the same.
/// Cost:   O(rows^2 x columns).
/// Source: D. F. Crouse, "On implementing 2D rectangular assignment algorithms", IEEE Transactions
///         on Aerospace and Electronic Systems 52 (2016).
template <class Cost>
class Assignment {
public:
    Assignment(std::size_t rows, std::size_t columns, const Cost& cost)
        : cost_(cost),
          row_price_(rows),
          column_price_(columns),
          distance_(columns),
          came_from_(columns),
          column_of_(rows, nobody),
          row_of_(columns, nobody) {
        BERTH_ASSERT(rows <= columns, "each row gets a column");
        for (std::size_t row = 0; row < rows; ++row) {
            add(row);
        }
    }

    /// The column of each row.
    [[nodiscard]] const std::vector<std::size_t>& columns() const { return column_of_; }

private:
    static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

    void add(std::size_t row) {
        done_columns_.clear();
        rows_on_the_way_.clear();
        const std::size_t sink = find_path(row);
        row_price_[row] += length_;
        for (const std::size_t other : rows_on_the_way_) {
            if (other != row) {
                row_price_[other] += length_ - distance_[column_of_[other]];
            }
        }
        for (const std::size_t column : done_columns_) {
            column_price_[column] -= length_ - distance_[column];
        }
        for (std::size_t column = sink; column != nobody;) {
            const std::size_t from = came_from_[column];
            row_of_[column] = from;
            std::swap(column_of_[from], column);
        }
    }

    /// The free column at the end of the cheapest path from a row; `length_` is the path's.
    std::size_t find_path(std::size_t row) {
        open_.resize(distance_.size());
        for (std::size_t i = 0; i < open_.size(); ++i) {
            open_[i] = open_.size() - 1 - i;
        }
        std::ranges::fill(distance_, std::numeric_limits<double>::infinity());
        length_ = 0;
        for (;;) {
            rows_on_the_way_.push_back(row);
            const std::size_t position = scan(row);
            const std::size_t column = open_[position];
            length_ = distance_[column];
            done_columns_.push_back(column);
            open_[position] = open_.back();
            open_.pop_back();
            if (row_of_[column] == nobody) {
                return column;
            }
            row = row_of_[column];
        }
    }

    /// Notes the ways that go on from a row. Returns the position of the nearest open column.
    std::size_t scan(std::size_t row) {
        std::size_t nearest = nobody;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < open_.size(); ++i) {
            const std::size_t column = open_[i];
            const double reached =
                length_ + cost_(row, column) - row_price_[row] - column_price_[column];
            if (reached < distance_[column]) {
                distance_[column] = reached;
                came_from_[column] = row;
            }
            if (distance_[column] < least ||
                (distance_[column] == least && row_of_[column] == nobody)) {
                least = distance_[column];
                nearest = i;
            }
        }
        BERTH_ASSERT(nearest != nobody, "costs are finite");
        return nearest;
    }

    const Cost& cost_;
    std::vector<double> row_price_;
    std::vector<double> column_price_;
    std::vector<double> distance_;
    std::vector<std::size_t> came_from_;  ///< The row before each column on its path.
    std::vector<std::size_t> column_of_;
    std::vector<std::size_t> row_of_;
    std::vector<std::size_t> open_;  ///< Columns that are not done, in the order of the scan.
    std::vector<std::size_t> done_columns_;
    std::vector<std::size_t> rows_on_the_way_;
    double length_ = 0;
};

}  // namespace berth::core::rounds
