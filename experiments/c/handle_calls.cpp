// The calls of berth.h for handles and their experiments, before any use of them.

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <new>
#include <utility>

#include "core/support/source.hpp"
#include "experiments/c/calls.hpp"
#include "experiments/program/config/experiment/read_experiment.hpp"
#include "experiments/program/run/make_scheduler.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/version.hpp"

namespace {

using namespace berth;

constexpr const char* interface_words =
    "this library has interface version 1 of berth.h: expected a program compiled for that one";
static_assert(BERTH_INTERFACE_VERSION == 1, "the words say so");

int read(berth_handle& handle,
         const std::shared_ptr<const core::SourceText>& source,
         const std::filesystem::path& folder) {
    if (handle.experiment) {
        throw c::OutOfTurn(
            "the handle has its experiment already: expected a new one by berth_open");
    }
    experiments::InputFiles files;
    experiments::ResolvedExperiment resolved{experiments::resolve_document(
        experiments::document_of_kind(source, {"Experiment"}), folder, handle.overrides, files)};
    core::Diagnostics diagnostics;
    auto spec = experiments::read_experiment(resolved.document, diagnostics);
    diagnostics.throw_if_failed();
    experiments::allow_code(*spec, handle.allow_code);
    const std::shared_ptr<const core::Topology> tree = spec->topology;
    handle.experiment = c::Experiment{
        std::move(resolved), std::move(*spec), diagnostics.warnings(), c::ClusterArrays(*tree)};
    return BERTH_OK;
}

}  // namespace

int berth_interface_version(void) {
    return BERTH_INTERFACE_VERSION;
}

const char* berth_version(void) {
    return experiments::version;
}

int berth_open(int interface_version, berth_handle** handle) {
    if (handle == nullptr) {
        return BERTH_BAD_INPUT;
    }
    *handle = nullptr;
    if (interface_version != BERTH_INTERFACE_VERSION) {
        return BERTH_WRONG_VERSION;
    }
    *handle = new (std::nothrow) berth_handle;
    return *handle == nullptr ? BERTH_FAILED : BERTH_OK;
}

void berth_close(berth_handle* handle) {
    if (handle != nullptr && handle->steps && !handle->steps->is_here()) {
        (void)handle->steps.release();  // its destructor would wait for a thread that is not there
    }
    delete handle;
}

const char* berth_message(const berth_handle* handle) {
    if (handle == nullptr) {
        return "no handle: expected one that berth_open gave";
    }
    return handle->has_failed && handle->message.empty() ? "not enough memory"
                                                         : handle->message.c_str();
}

int berth_error_place(const berth_handle* handle, const char** file, int* line, int* column) {
    if (handle == nullptr || file == nullptr || line == nullptr || column == nullptr) {
        return BERTH_BAD_INPUT;
    }
    *file = handle->place.file.c_str();
    *line = handle->place.line;
    *column = handle->place.column;
    return BERTH_OK;
}

const char* berth_status_text(int status) {
    switch (status) {
        case BERTH_OK:
            return "done";
        case BERTH_OVER:
            return "the run is over";
        case BERTH_UNANSWERED:
            return "the job hangs, and keeps its size";
        case BERTH_BAD_INPUT:
            return "an experiment or an argument cannot be used as it is";
        case BERTH_BAD_DECISION:
            return "a verb breaks a rule";
        case BERTH_OUT_OF_TURN:
            return "the call is not allowed now";
        case BERTH_FAILED:
            return "the machine failed";
        case BERTH_WRONG_VERSION:
            return interface_words;
        case BERTH_STOPPED:
            return "the run was stopped";
        default:
            return "not a status of berth.h";
    }
}

int berth_set(berth_handle* handle, const char* path_and_value) {
    return c::guarded(handle, [=] {
        c::check_given(path_and_value, "path_and_value");
        if (handle->experiment) {
            throw c::OutOfTurn("the experiment was read already: expected berth_set before");
        }
        handle->overrides.push_back(experiments::parse_override(path_and_value));
        return BERTH_OK;
    });
}

int berth_allow_code(berth_handle* handle) {
    return c::guarded(handle, [=] {
        if (handle->experiment) {
            throw c::OutOfTurn("the experiment was read already: expected berth_allow_code before");
        }
        handle->allow_code = true;
        return BERTH_OK;
    });
}

int berth_read(berth_handle* handle, const char* file) {
    return c::guarded(handle, [=] {
        c::check_given(file, "file");
        const std::filesystem::path place(file);
        return read(*handle, experiments::read_source(place), place.parent_path());
    });
}

int berth_read_text(berth_handle* handle, const char* text, const char* name) {
    return c::guarded(handle, [=] {
        c::check_given(text, "text");
        c::check_given(name, "name");
        return read(
            *handle,
            std::make_shared<const core::SourceText>(core::SourceText{.name = name, .text = text}),
            {});
    });
}

const char* berth_warning(const berth_handle* handle, size_t number) {
    if (handle == nullptr || !handle->experiment) {
        return nullptr;
    }
    const std::vector<std::string>& warnings =
        handle->finished ? handle->finished->warnings() : handle->experiment->warnings;
    return number < warnings.size() ? warnings[number].c_str() : nullptr;
}

int berth_get_cluster(berth_handle* handle, berth_cluster* cluster) {
    return c::guarded(handle, [=] {
        c::check_given(cluster, "cluster");
        *cluster = c::experiment_of(*handle).cluster.view();
        return BERTH_OK;
    });
}
