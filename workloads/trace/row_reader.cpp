#include "workloads/trace/row_reader.hpp"

#include "workloads/trace/row_error.hpp"

namespace berth::workloads {
namespace {

/// Empties a job, but keeps the room of its texts, as assignment does: nothing is allocated a row.
void clear(TraceJob& job) {
    static const TraceJob empty;
    job = empty;
}

}  // namespace

bool RowReader::next(TraceJob& job) {
    while (!ended_) {
        clear(job);
        try {
            const Row row = read(job);
            if (row == Row::job) {
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
