#pragma once

#include <berth.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::tests {

struct Close {
    void operator()(berth_handle* handle) const { berth_close(handle); }
};
using Handle = std::unique_ptr<berth_handle, Close>;

[[nodiscard]] Handle opened();
/// A handle that has read an experiment with these changes.
[[nodiscard]] Handle opened(const std::string& experiment,
                            const std::vector<std::string>& changes = {});

/// The first line of the handle's message.
[[nodiscard]] std::string said(const Handle& handle);

/// A file of a finished run.
[[nodiscard]] std::string file_of(const Handle& handle, const std::string& name);
/// All files of a run except run.json, which describes the machine, as `NAME\nBYTES`.
[[nodiscard]] std::vector<std::string> files_of(const Handle& handle);
[[nodiscard]] double metric_of(const Handle& handle, const std::string& name);

[[nodiscard]] inline std::span<const berth_job> waiting(const berth_view& view) {
    return {view.waiting, view.waiting_count};
}
[[nodiscard]] inline std::span<const berth_job> running(const berth_view& view) {
    return {view.running, view.running_count};
}

/// Places for all members of a job on the first servers that have room; empty: the job does not
/// fit.
[[nodiscard]] std::vector<berth_place> first_fit(const berth_cluster& cluster,
                                                 const std::int64_t* free,
                                                 const berth_job& job);

/// Steps a run to its end: first come, first served, on the first servers that have room.
void run_first_fit(const Handle& handle);

/// Random jobs of one or six cpu on four servers of eight cpu; the caller decides.
extern const std::string queue_of_the_caller;
/// Two pods of three cpu, submitted at 0 s and 5 s, for ten seconds each, on one server of four
/// cpu; the caller decides.
extern const std::string two_pods;

}  // namespace berth::tests
