#include "workloads/trace/row_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "core/allocation_candidates/python_text.hpp"
#include "workloads/trace/row_error.hpp"

namespace berth::workloads {
namespace {

/// Empties a job. Assignment keeps the memory of its texts, so that rows need no allocations.
void clear(TraceJob& job) {
    static const TraceJob empty;
    job = empty;
}

/// Writes the bytes of a text that are not UTF-8 as `\xNN`, since the files of a run are in UTF-8.
void make_utf8(std::string& text) {
    std::string out;
    for (std::string_view left = text; !left.empty();) {
        const std::size_t whole = core::utf8_size(left);
        out += left.substr(0, whole);
        left.remove_prefix(whole);
        if (!left.empty()) {
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(left.front()));
            left.remove_prefix(1);
        }
    }
    text = std::move(out);
}

void make_utf8(TraceJob& job) {
    for (std::string* text : {&job.name, &job.user, &job.queue, &job.application}) {
        make_utf8(*text);
    }
    if (job.name_space) {
        make_utf8(*job.name_space);
    }
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
                if (beyond_ascii_ != nullptr && *beyond_ascii_) {
                    make_utf8(job);
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
