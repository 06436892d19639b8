// The calls of berth.h for runs and their results.

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "experiments/c/calls.hpp"

using namespace berth;

int berth_run(berth_handle* handle, const char* folder, unsigned threads) {
    return c::guarded(handle, [=] {
        const c::Experiment& experiment = c::experiment_of(*handle);
        c::check_unused(*handle);
        const unsigned all = std::max(1U, std::thread::hardware_concurrency());
        handle->finished = c::run_to_its_end(
            experiment.spec,
            experiment.resolved.document,
            folder != nullptr ? std::optional<std::filesystem::path>(folder) : std::nullopt,
            threads == 0 ? all : threads,
            handle->control);
        if (!handle->finished) {
            handle->control.stop = false;
            handle->message = experiment.spec.name + ": stopped: nothing was written";
            handle->place = {};
            return static_cast<int>(BERTH_STOPPED);
        }
        return static_cast<int>(BERTH_OK);
    });
}

void berth_stop(berth_handle* handle) {
    if (handle != nullptr) {
        handle->control.stop = true;
    }
}

int berth_metric(berth_handle* handle, const char* name, double* mean) {
    return c::guarded(handle, [=] {
        c::check_given(name, "name");
        c::check_given(mean, "mean");
        *mean = c::finished_of(*handle).metric(name);
        return BERTH_OK;
    });
}

int berth_file(berth_handle* handle, const char* name, const char** bytes, size_t* size) {
    return c::guarded(handle, [=] {
        c::check_given(name, "name");
        c::check_given(bytes, "bytes");
        c::check_given(size, "size");
        const std::string& text = c::finished_of(*handle).file(name);
        *bytes = text.data();
        *size = text.size();
        return BERTH_OK;
    });
}

const char* berth_file_name(const berth_handle* handle, size_t number) {
    return handle != nullptr && handle->finished ? handle->finished->file_name(number) : nullptr;
}

int berth_digest(berth_handle* handle, const char** digest) {
    return c::guarded(handle, [=] {
        c::check_given(digest, "digest");
        *digest = c::finished_of(*handle).digest().c_str();
        return BERTH_OK;
    });
}
