#include "tests/unit/report/failing_run.hpp"

#include <fstream>

namespace berth::test {

void write_failing_run(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "summary.json")
        << R"({"schema": "berth.summary/v1", "experiment": "failing", "metrics": {}})";
    std::ofstream(folder / "replications.csv") << "replication,seed,end_s\n0,1,100\n1,2,100\n";
    std::ofstream(folder / "nodes.csv")
        << "node,rack,nvidia.com/gpu_capacity,nvidia.com/gpu_background\n"
           "a,rack-0,8,0\nb,rack-0,8,0\nc,rack-1,8,0\nd,rack-1,8,0\n";
    // rack-0 fails as a whole while one of its servers is out; later a device fails, which puts its
    // server out. What fails in the other replication must not be seen.
    std::ofstream(folder / "failures.csv")
        << "replication,time_s,component,level,cause,repaired_s,jobs\n"
           "0,10,a,server,board,40,1\n"
           "0,20,rack-0,rack,power,30,2\n"
           "0,60,b/rdma-1,rdma,nic,80,0\n"
           "0,90,d,server,board,,1\n"
           "1,0,rack-1,rack,power,100,5\n";
    std::ofstream(folder / "mttf.csv")
        << "replication,size_of,size_min,size_max,jobs,interruptions,running_s,size_running_s,"
           "mttf_s,mttf_low_s,mttf_high_s\n"
           "0,gpus,1,1,3,0,150,150,,50.07,\n"
           "0,gpus,5,8,2,3,120,900,40,15.4787,146.781\n"
           "1,gpus,1,1,1,0,50,50,,16.69,\n"
           "1,gpus,5,8,1,1,80,600,80,16.86,1559.7\n"
           "1,gpus,9,16,1,0,0,0,,0,\n";
    std::ofstream(folder / "gpu_time.csv")
        << "replication,cause,gpu_seconds,share\n"
           "0,allocated,1000,0.3125\n0,no_demand,2000,0.625\n0,redone,200,0.0625\n"
           "1,allocated,3000,0.9375\n1,no_demand,200,0.0625\n1,redone,0,0\n";
}

}  // namespace berth::test
