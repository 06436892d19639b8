#include "experiments/bench/benchmark.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "experiments/bench/bench_fgd.hpp"

namespace berth::experiments {

void bench_allocate_flat1(const std::function<void(const Measurement&)>& done);
void bench_allocate_flat2(const std::function<void(const Measurement&)>& done);
void bench_allocate_flat4(const std::function<void(const Measurement&)>& done);
void bench_allocate_flat8(const std::function<void(const Measurement&)>& done);
void bench_allocate_grp1x8(const std::function<void(const Measurement&)>& done);
void bench_allocate_grp2(const std::function<void(const Measurement&)>& done);
void bench_allocate_grp4(const std::function<void(const Measurement&)>& done);
void bench_allocate_loop_flat1(const std::function<void(const Measurement&)>& done);
void bench_allocate_loop_flat4(const std::function<void(const Measurement&)>& done);
void bench_allocate_loop_grp4(const std::function<void(const Measurement&)>& done);
void bench_build(const std::function<void(const Measurement&)>& done);
void bench_candidates_build(const std::function<void(const Measurement&)>& done);
void bench_candidates_limit(const std::function<void(const Measurement&)>& done);
void bench_candidates_q1(const std::function<void(const Measurement&)>& done);
void bench_candidates_q1_json(const std::function<void(const Measurement&)>& done);
void bench_candidates_q2(const std::function<void(const Measurement&)>& done);
void bench_candidates_q2_json(const std::function<void(const Measurement&)>& done);
void bench_candidates_q3(const std::function<void(const Measurement&)>& done);
void bench_candidates_q3_json(const std::function<void(const Measurement&)>& done);
void bench_candidates_wide(const std::function<void(const Measurement&)>& done);
void bench_cycle(const std::function<void(const Measurement&)>& done);
void bench_events(const std::function<void(const Measurement&)>& done);
void bench_place_pack_rack(const std::function<void(const Measurement&)>& done);
void bench_place_spread_rack(const std::function<void(const Measurement&)>& done);
void bench_place_spread_rack_server(const std::function<void(const Measurement&)>& done);
void bench_quota_all_3level(const std::function<void(const Measurement&)>& done);
void bench_quota_all_flat(const std::function<void(const Measurement&)>& done);
void bench_quota_one_3level(const std::function<void(const Measurement&)>& done);
void bench_quota_one_flat(const std::function<void(const Measurement&)>& done);
void bench_read_csv(const std::function<void(const Measurement&)>& done);
void bench_read_dlrm(const std::function<void(const Measurement&)>& done);
void bench_read_helios(const std::function<void(const Measurement&)>& done);
void bench_read_jsonl(const std::function<void(const Measurement&)>& done);
void bench_read_kubernetes(const std::function<void(const Measurement&)>& done);
void bench_read_openb(const std::function<void(const Measurement&)>& done);
void bench_read_openb_gz(const std::function<void(const Measurement&)>& done);
void bench_read_philly(const std::function<void(const Measurement&)>& done);
void bench_read_sacct(const std::function<void(const Measurement&)>& done);
void bench_read_swf(const std::function<void(const Measurement&)>& done);

std::vector<Benchmark> benchmarks(const OpenbFiles& files) {
    std::vector<Benchmark> table{
        Benchmark{"allocate/flat1",
                  "one GPU by number, translated and fitted on a node of two group levels",
                  &bench_allocate_flat1},
        Benchmark{"allocate/flat2", "the same, two GPUs", &bench_allocate_flat2},
        Benchmark{"allocate/flat4", "the same, four GPUs", &bench_allocate_flat4},
        Benchmark{"allocate/flat8", "the same, eight GPUs", &bench_allocate_flat8},
        Benchmark{"allocate/grp1x8",
                  "eight GPUs as four pairs within one outer group",
                  &bench_allocate_grp1x8},
        Benchmark{"allocate/grp2", "two GPUs in one inner group", &bench_allocate_grp2},
        Benchmark{"allocate/grp4", "four GPUs in one inner group", &bench_allocate_grp4},
        Benchmark{"allocate/loop/flat1",
                  "one GPU on each of 1000 like nodes, remembered",
                  &bench_allocate_loop_flat1},
        Benchmark{"allocate/loop/flat4", "the same, four GPUs", &bench_allocate_loop_flat4},
        Benchmark{"allocate/loop/grp4",
                  "the same, four GPUs in one inner group: none fits",
                  &bench_allocate_loop_grp4},
        Benchmark{"build", "generate a whole topology of five levels", &bench_build},
        Benchmark{"candidates/build",
                  "the providers of hosts of one machine type, seven each",
                  &bench_candidates_build},
        Benchmark{"candidates/limit",
                  "ten candidates of q3, however many hosts there are",
                  &bench_candidates_limit},
        Benchmark{
            "candidates/q1", "VCPU, memory and disk from wherever in a host", &bench_candidates_q1},
        Benchmark{
            "candidates/q1/json", "the same, and the body written", &bench_candidates_q1_json},
        Benchmark{"candidates/q2",
                  "a virtual function on the NUMA node of VCPU and memory",
                  &bench_candidates_q2},
        Benchmark{
            "candidates/q2/json", "the same, and the body written", &bench_candidates_q2_json},
        Benchmark{"candidates/q3", "q2 on a tenth of the hosts", &bench_candidates_q3},
        Benchmark{
            "candidates/q3/json", "the same, and the body written", &bench_candidates_q3_json},
        Benchmark{
            "candidates/wide", "six groups over eight equal children", &bench_candidates_wide},
        Benchmark{"cycle", "one pod's full scheduling cycle", &bench_cycle},
        Benchmark{
            "events", "the event queue's hold model, beside std::priority_queue", &bench_events},
        Benchmark{"place/pack-rack", "place, claim and release a group", &bench_place_pack_rack},
        Benchmark{"place/spread-rack", "the same, spread over racks", &bench_place_spread_rack},
        Benchmark{"place/spread-rack+server",
                  "the same, spread over racks and servers",
                  &bench_place_spread_rack_server},
        Benchmark{"quota/all/3level",
                  "one leaf's request changes, every leaf's runtime is read, three levels",
                  &bench_quota_all_3level},
        Benchmark{"quota/all/flat", "the same, all leaves below the root", &bench_quota_all_flat},
        Benchmark{"quota/one/3level",
                  "one leaf's request changes, its runtime is read, three levels",
                  &bench_quota_one_3level},
        Benchmark{"quota/one/flat", "the same, all leaves below the root", &bench_quota_one_flat},
        Benchmark{"read/csv", "a whole trace of 100 MB in memory", &bench_read_csv},
        Benchmark{"read/dlrm", "the same", &bench_read_dlrm},
        Benchmark{"read/helios", "the same", &bench_read_helios},
        Benchmark{"read/jsonl", "the same", &bench_read_jsonl},
        Benchmark{"read/kubernetes", "the same", &bench_read_kubernetes},
        Benchmark{"read/openb", "the same", &bench_read_openb},
        Benchmark{"read/openb-gz", "the same, openb from a compressed file", &bench_read_openb_gz},
        Benchmark{"read/philly", "the same", &bench_read_philly},
        Benchmark{"read/sacct", "the same", &bench_read_sacct},
        Benchmark{"read/swf", "the same", &bench_read_swf},
    };
    std::ranges::move(fgd_benchmarks(files), std::back_inserter(table));
    std::ranges::sort(table, {}, &Benchmark::name);
    return table;
}

void measure(Measurement& measurement, double seconds, const std::function<void()>& unit) {
    using Clock = std::chrono::steady_clock;
    const auto batch_seconds = [&](std::uint64_t length) {
        const auto begin = Clock::now();
        for (std::uint64_t i = 0; i < length; ++i) {
            unit();
        }
        return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    // The warm-up finds a batch that takes at least a millisecond.
    std::uint64_t length = 1;
    double spent = batch_seconds(length);
    double warm_up = spent;
    while (spent < 1e-3 || (warm_up < 0.1 && warm_up + spent < seconds)) {
        length = spent < 1e-3 ? length * 2 : length;
        spent = batch_seconds(length);
        warm_up += spent;
    }
    std::vector<double> batches;
    for (double total = 0; total < seconds; total += batches.back()) {
        batches.push_back(batch_seconds(length));
    }
    std::ranges::sort(batches);
    measurement.count = length * batches.size();
    measurement.best_s = batches.front() / static_cast<double>(length);
    measurement.median_s = batches[batches.size() / 2] / static_cast<double>(length);
}

}  // namespace berth::experiments
