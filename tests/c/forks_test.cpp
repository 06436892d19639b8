/// Handles in a forked copy of the process: the copy says what it cannot do, and it ends.

#include <berth.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string_view>

#include <catch2/catch.hpp>

#include "c/calls.hpp"

using namespace berth::tests;

namespace {

/// Whether `holds` is true in a forked copy of the process, which has a minute for it.
bool in_copy(const std::function<bool()>& holds) {
    const pid_t copy = ::fork();
    if (copy == 0) {
        constexpr unsigned at_most = 60;
        ::alarm(at_most);
        ::_exit(holds() ? 0 : 1);
    }
    int status = 0;
    return ::waitpid(copy, &status, 0) == copy && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Whether the handle's last call was refused since the process is a copy.
bool is_refused(const Handle& handle, int status) {
    const std::string_view told = berth_message(handle.get());
    return status == BERTH_OUT_OF_TURN &&
           told.find("this one is a forked copy: expected") != std::string_view::npos;
}

}  // namespace

TEST_CASE("forks: a run that is stepped goes on in its own process alone", "[c]") {
    Handle handle = opened(queue_of_the_caller);
    REQUIRE(berth_begin(handle.get(), nullptr) == BERTH_OK);
    berth_view view{};
    REQUIRE(berth_step(handle.get(), &view) == BERTH_OK);
    CHECK(in_copy([&] {
        berth_view seen{};
        double mean = 0;
        return is_refused(handle, berth_step(handle.get(), &seen)) &&
               is_refused(handle, berth_look(handle.get(), &seen)) &&
               is_refused(handle, berth_wake(handle.get(), 1)) &&
               is_refused(handle, berth_evict(handle.get(), 0)) &&
               berth_metric(handle.get(), "job_wait_s_mean", &mean) == BERTH_OUT_OF_TURN;
    }));
    CHECK(in_copy([&] {
        handle.reset();
        const Handle other = opened(queue_of_the_caller, {"spec.scheduler={}"});
        return berth_run(other.get(), nullptr, 1) == BERTH_OK;
    }));
    CHECK(berth_look(handle.get(), &view) == BERTH_OK);
    CHECK(berth_step(handle.get(), &view) != BERTH_OUT_OF_TURN);
}

TEST_CASE("forks: a copy uses handles without a thread", "[c]") {
    const Handle handle = opened(queue_of_the_caller, {"spec.scheduler={}"});
    CHECK(in_copy([&] { return berth_run(handle.get(), nullptr, 2) == BERTH_OK; }));
    REQUIRE(berth_run(handle.get(), nullptr, 2) == BERTH_OK);
    double mean = 0;
    CHECK(
        in_copy([&] { return berth_metric(handle.get(), "job_wait_s_mean", &mean) == BERTH_OK; }));
}
