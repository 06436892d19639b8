#include "workloads/trace/row_reader.hpp"

#include <algorithm>
#include <iterator>

#include "workloads/trace/row_error.hpp"

namespace berth::workloads {
namespace {

/// Empties a job. Assignment keeps the memory of its texts, so that rows need no allocations.
void clear(TraceJob& job) {
    static const TraceJob empty;
    job = empty;
}

}  // namespace

bool RowReader::next(TraceJob& job) {
    while (!ended_) {
        clear(job);
        if (!found_.empty()) {
            found_.clear();
        }
        try {
            const Row row = read(job);
            if (row == Row::job) {
                if (!found_.empty()) {
                    fields_.count(found_);
                }
                return true;
            }
            ended_ = row == Row::end;
        } catch (const RowError& error) {
            if (!skip(error)) {
                throw;
            }
        } catch (const CutShort& error) {
            ended_ = true;
            if (!skip(error)) {
                throw;
            }
        }
    }
    clear(job);
    return false;
}

std::vector<std::string> RowReader::notes() const {
    std::vector<std::string> all = notes_;
    std::ranges::move(fields_.lines("job"), std::back_inserter(all));
    return all;
}

bool RowReader::skip(const core::InputError& error) {
    if (!lenient_) {
        ended_ = true;
        return false;
    }
    if (skipped_.count++ == 0) {
        skipped_.first = error.what();
    }
    return true;
}

}  // namespace berth::workloads
