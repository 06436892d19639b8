#pragma once

namespace berth::sim {

class Cluster;
class JobTimes;
struct Settings;

/// What meters are made for. All of it outlives them.
struct Metered {
    Cluster& cluster;
    const Settings& settings;
    const JobTimes& times;  ///< It is told of jobs before the meters are.
};

}  // namespace berth::sim
