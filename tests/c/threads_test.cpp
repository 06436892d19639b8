/// Several handles in one process: one after the other, in parallel, and in threads.

#include <berth.h>

#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "c/calls.hpp"

using namespace berth::tests;

TEST_CASE("threads: two runs are stepped side by side", "[c]") {
    const Handle alone = opened(queue_of_the_caller);
    run_first_fit(alone);
    std::vector<Handle> handles;
    std::vector<int> status(2, BERTH_OK);
    berth_cluster cluster{};
    for (std::size_t i = 0; i < status.size(); ++i) {
        handles.push_back(opened(queue_of_the_caller));
        REQUIRE(berth_get_cluster(handles[i].get(), &cluster) == BERTH_OK);
        REQUIRE(berth_begin(handles[i].get(), nullptr) == BERTH_OK);
    }
    while (status[0] == BERTH_OK || status[1] == BERTH_OK) {
        for (std::size_t i = 0; i < status.size(); ++i) {
            berth_view view{};
            status[i] = berth_step(handles[i].get(), &view);
            for (const berth_job& job : waiting(view)) {
                const std::vector<berth_place> places = first_fit(cluster, view.free, job);
                if (places.empty()) {
                    break;
                }
                REQUIRE(berth_start(handles[i].get(), job.number, places.data(), places.size()) ==
                        BERTH_OK);
            }
        }
    }
    CHECK((files_of(handles[0]) == files_of(alone)));
    CHECK((files_of(handles[1]) == files_of(alone)));
}

TEST_CASE("threads: a handle for each thread, which may hand it on", "[c]") {
    const Handle alone = opened(queue_of_the_caller, {"spec.scheduler={}"});
    REQUIRE(berth_run(alone.get(), nullptr, 1) == BERTH_OK);
    std::vector<Handle> handles;
    std::vector<int> status(4, BERTH_FAILED);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < status.size(); ++i) {
        handles.push_back(opened(queue_of_the_caller, {"spec.scheduler={}"}));
    }
    for (std::size_t i = 0; i < status.size(); ++i) {
        threads.emplace_back([&, i] { status[i] = berth_run(handles[i].get(), nullptr, 1); });
    }
    for (std::size_t i = 0; i < status.size(); ++i) {
        threads[i].join();
        CHECK(status[i] == BERTH_OK);
        CHECK((files_of(handles[i]) == files_of(alone)));
    }
}
