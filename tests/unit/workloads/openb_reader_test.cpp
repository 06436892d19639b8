#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "traces.hpp"

using namespace std::chrono_literals;
using berth::tests::read_lenient;
using berth::tests::read_trace;
using berth::workloads::TraceStatus;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

const std::string header =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    "deletion_time,scheduled_time\n";

/// The header and one row, which is on line 2.
std::string one(const std::string& row) {
    return header + row;
}

}  // namespace

TEST_CASE("openb: a row is a pod with its share of a GPU", "[workloads][openb]") {
    const auto trace = read_trace("openb",
                                  one("pod-a,12000,16384,1,460,M1|M2,LS,Succeeded,10,20.5,12\n"
                                      "pod-b,500,128,0,0,M1,BE,Pending,11,30,\n"
                                      "pod-c,96000,1024,8,1000,,Guaranteed,Running,0,99,0\n"));
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 3);
    const auto& shared = trace.jobs[0];
    CHECK(shared.name == "pod-a");
    CHECK(shared.user.empty());
    CHECK(shared.members == 1);
    CHECK(shared.cpu_milli == 12'000);
    CHECK(shared.memory_bytes == 16384LL << 20);
    CHECK(shared.gpus == berth::core::GpuRequest{460, 1, {"M1", "M2"}});
    CHECK(shared.submit == 10s);
    CHECK(shared.start == 12s);
    CHECK(shared.finish == 20500ms);
    CHECK(shared.duration() == 8500ms);
    CHECK(shared.status == TraceStatus::completed);
    const auto& without = trace.jobs[1];
    CHECK(without.gpus == berth::core::GpuRequest{});
    CHECK_FALSE(without.start);
    CHECK_FALSE(without.duration());
    CHECK(without.status == TraceStatus::pending);
    CHECK(trace.jobs[2].gpus == berth::core::GpuRequest{1000, 8, {}});
    CHECK(trace.lines == std::vector<std::uint64_t>{2, 3, 4});
}

TEST_CASE("openb: the lists without times have five columns, in any order", "[workloads][openb]") {
    const auto trace = read_trace("openb",
                                  "gpu_milli,other,name,cpu_milli,memory_mib,num_gpu\r\n"
                                  "2500,\"x,\"\"y\"\"\",\"pod \"\"a\"\"\",1,1,1\r\n");
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 1);
    CHECK(trace.jobs[0].name == "pod \"a\"");
    CHECK(trace.jobs[0].gpus.milli == 1000);  // more of one device than there is
    CHECK(trace.jobs[0].status == TraceStatus::unknown);
    CHECK_FALSE(trace.jobs[0].submit);
}

TEST_CASE("openb: what is wrong with a row is said where it stands", "[workloads][openb]") {
    const auto error_of = [](const std::string& row) {
        return read_trace("openb", one(row)).error;
    };
    CHECK(error_of("a,1,1,1,x1000,,LS,Running,1,2,1\n") ==
          "t:2:9: error: gpu_milli: no number 'x1000': expected thousandths of a GPU\n"
          "  a,1,1,1,x1000,,LS,Running,1,2,1\n"
          "          ^~~~~");
    CHECK_THAT(error_of("a,1,1,1,1000,,LS,Running,1,20,30\n"),
               StartsWith("t:2:28: error: ends before it starts: expected "));
    CHECK_THAT(error_of("a,1,1,2,500,,LS,Running,1,2,1\n"),
               Contains("2:9: error: gpu_milli: a share of several devices '500': expected a share "
                        "of one device, or whole devices"));
    CHECK_THAT(error_of("a,1,1,1,0,,LS,Running,1,2,1\n"), Contains("2:9: error: gpu_milli: none"));
    CHECK_THAT(error_of("a,1,1,1,1000,,LS,Running,-1,2,1\n"),
               Contains("2:26: error: creation_time: negative '-1': expected seconds"));
    CHECK_THAT(error_of("a,-1,1,1,1000,,LS,Running,1,2,1\n"),
               Contains("2:3: error: cpu_milli: negative '-1': expected milli-CPU"));
    CHECK_THAT(error_of("a,1,1,1.5,1000,,LS,Running,1,2,1\n"),
               Contains("2:7: error: num_gpu: not whole '1.5': expected a number of GPUs"));
    CHECK_THAT(error_of("a,1,99999999999999999999,1,1000,,LS,Running,1,2,1\n"),
               Contains("2:5: error: memory_mib: too large '99999999999999999999': expected MiB"));
    CHECK_THAT(error_of("a,1,1,1,1000,,LS,Running,1e300,2,1\n"), Contains("too large '1e300'"));
    CHECK_THAT(error_of("a,1,1,1,1000,,LS,Resting,1,2,1\n"),
               Contains("2:18: error: pod_phase: unknown phase 'Resting': expected Pending, "));
    CHECK_THAT(error_of(",1,1,1,1000,,LS,Running,1,2,1\n"),
               Contains("2:1: error: name: empty: expected the pod's name"));
    CHECK_THAT(error_of("a,,1,1,1000,,LS,Running,1,2,1\n"),
               Contains("2:3: error: cpu_milli: empty: expected milli-CPU"));
    CHECK_THAT(error_of("a,1,1,1,10"),
               Contains("2:1: error: 5 fields: expected 11, as in the header"));
    CHECK_THAT(error_of("a,1,1,1,1000,,LS,Running,1,2,1,more\n"), Contains("12 fields"));
    CHECK_THAT(error_of("\"a,1,1,1,1000,,LS,Running,1,2,1\nb,2\n"),
               Contains("2:1: error: a quoted field does not end: expected a closing quote\n"
                        "  \"a,1"));
    CHECK_THAT(error_of("\"a\"b,1,1,1,1000,,LS,Running,1,2,1\n"),
               Contains("2:4: error: text after a closing quote"));
}

TEST_CASE("openb: a header that is wrong is an error, lenient or not", "[workloads][openb]") {
    CHECK_THAT(read_lenient("openb", "").error,
               Contains("t:1:1: error: empty: expected a header with name, cpu_milli, memory_mib"));
    CHECK(read_lenient("openb", "name,cpu_mili,memory_mib,num_gpu,gpu_milli\na,1,1,1,1\n").error ==
          "t:1:1: error: no column 'cpu_milli': expected one of this name (did you mean "
          "'cpu_mili'?)\n"
          "  name,cpu_mili,memory_mib,num_gpu,gpu_milli\n"
          "  ^");
    CHECK_THAT(read_lenient("openb", "name,cpu_milli,memory_mib,num_gpu,gpu_milli,name\n").error,
               Contains("1:45: error: the column 'name' occurs twice"));
    CHECK(read_trace("openb", header).jobs.empty());
}

TEST_CASE("openb: a lenient reader goes on behind wrong rows, and counts them",
          "[workloads][openb]") {
    const auto trace = read_lenient("openb",
                                    one("a,1,1,1,1000,,LS,Running,1,2,1\n"
                                        "b,1,1\n"
                                        "\n"
                                        "c,1,1,1,z,,LS,Running,1,2,1\n"
                                        "\"d\nd\",1,1,1,1000,,LS,Running,1,2,1\n"
                                        "e,1,1,1,1000,,LS,Running,1,2,1"));
    CHECK(trace.error.empty());
    REQUIRE(trace.jobs.size() == 3);
    CHECK(trace.jobs[1].name == "d\nd");
    CHECK(trace.lines == std::vector<std::uint64_t>{2, 6, 8});
    CHECK(trace.skipped.count == 2);
    CHECK_THAT(trace.skipped.first, StartsWith("t:3:1: error: 3 fields"));
}

TEST_CASE("openb: after an error nothing more is read", "[workloads][openb]") {
    const auto reader =
        berth::tests::reader_of("openb", one("b,1\na,1,1,1,1000,,LS,Running,1,2,1\n"));
    berth::workloads::TraceJob job;
    CHECK_THROWS_AS(reader->next(job), berth::core::InputError);
    CHECK_FALSE(reader->next(job));
}

TEST_CASE("openb: the published lists are read whole, where they are", "[workloads][openb]") {
    const std::filesystem::path folder(BERTH_SOURCE_DIR "/../shared/data/openb");
    if (!std::filesystem::exists(folder)) {
        return;
    }
    std::size_t jobs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename();
        if (name.find("pod_list") == std::string::npos) {
            continue;
        }
        CAPTURE(name);
        const auto reader = berth::workloads::open_trace("openb", entry.path(), {});
        const auto trace = berth::tests::read_all(*reader);
        jobs += trace.jobs.size();
        if (name == "openb_pod_list_default.csv") {
            CHECK(trace.jobs.size() == 8152);
        }
    }
    CHECK(jobs == 192'133);
}
