#pragma once

#include <array>
#include <bit>
#include <boost/dynamic_bitset.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// What Slurm decides about: nodes, partitions, qualities of service and jobs, in its own terms.
// Times are whole seconds of the controller's clock.

namespace berth::core::slurm {

using Seconds = std::int64_t;
using BitSet = boost::dynamic_bitset<std::uint64_t>;
/// Bit i is the node at place i of the cluster.
using NodeSet = BitSet;
using JobIndex = std::size_t;

/// Calls `visit` with each bit that is set, in order.
template <class Visit>
void for_each(const BitSet& bits, Visit visit) {
    std::array<std::uint64_t, 64> few = {};
    std::vector<std::uint64_t> many;
    std::uint64_t* blocks = few.data();
    if (bits.num_blocks() > few.size()) {
        many.resize(bits.num_blocks());
        blocks = many.data();
    }
    boost::to_block_range(bits, blocks);
    for (std::size_t block = 0; block < bits.num_blocks(); ++block) {
        for (std::uint64_t left = blocks[block]; left != 0; left &= left - 1) {
            visit(block * 64 + static_cast<std::size_t>(std::countr_zero(left)));
        }
    }
}

inline constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max() / 4;

/// What happens to a job that others evict.
enum class PreemptMode : std::uint8_t { off, requeue, cancel };

struct Gpu {
    std::string type;
    /// The sockets whose cores are near the device; empty if gres.conf names no Cores.
    BitSet sockets;
};

struct Node {
    std::string name;
    int sockets = 1;
    int cores_per_socket = 1;
    int threads_per_core = 1;
    std::int64_t memory_mib = 1;
    std::int64_t weight = 1;
    /// In the order of gres.conf: a device's place is its index in Slurm. At most 64.
    std::vector<Gpu> gpus;

    [[nodiscard]] int cores() const { return sockets * cores_per_socket; }
    [[nodiscard]] int cpus() const { return cores() * threads_per_core; }
    [[nodiscard]] bool has_near_cores() const { return !gpus.empty() && !gpus[0].sockets.empty(); }
};

struct Partition {
    std::string name;
    NodeSet nodes;
    std::int64_t tier = 1;
    std::int64_t priority_factor = 1;
    bool is_default = false;
    bool exclusive = false;
    bool is_down = false;  ///< Its jobs wait.
    /// Nothing is submitted to it: it is INACTIVE or DRAIN.
    bool is_closed = false;
    Seconds max_time = no_limit;
    /// The limit of jobs that state none; nothing: as long as may be.
    std::optional<Seconds> default_time;
    std::int64_t min_nodes = 1;
    std::int64_t max_nodes = no_limit;
    /// How a job of the partition is evicted; nothing if PreemptMode of the cluster says it.
    std::optional<PreemptMode> preempt_mode;
};

/// Amounts by the name of a resource, such as cpu, node, gres/gpu.
using Limits = std::map<std::string, std::int64_t>;

struct Qos {
    std::string name;
    std::int64_t priority = 0;
    std::vector<std::string> preempts;
    std::optional<PreemptMode> preempt_mode;  ///< Nothing: that of the cluster.
    Limits group;
    Limits per_user;
    std::optional<std::int64_t> jobs_per_user;
};

/// What an association says, of an account or of one of its users.
struct AssociationTerms {
    std::int64_t shares = 1;
    /// The QOS that its jobs may have; empty: what the account says, or any.
    std::vector<std::string> qos;
    std::string default_qos;  ///< Of jobs that name none; empty: what the account says.
};

struct Account {
    AssociationTerms own;
    std::map<std::string, AssociationTerms> users;
};

struct GpuRequest {
    std::string type;  ///< Empty if any type will do.
    std::int64_t count = 0;
};

/// What a job asks for.
struct Job {
    std::string name;
    std::string user;
    std::string account;
    std::string qos;
    std::size_t partition = 0;
    Seconds submit = 0;
    Seconds limit = 60;
    std::int64_t order = 0;  ///< Orders jobs of equal priority and submit second, as job ids do.
    std::int64_t task = 0;
    /// The array that the job is a task of, and how many of its tasks may run at once.
    std::optional<std::size_t> array;
    std::int64_t array_throttle = no_limit;
    std::int64_t min_nodes = 1;
    std::int64_t max_nodes = no_limit;
    std::int64_t tasks = 1;
    std::int64_t cpus_per_task = 1;
    /// Tasks on each node; 0 if the job does not say.
    std::int64_t tasks_per_node = 0;
    /// Memory on each node; nothing if the job does not say, 0 for all of it.
    std::optional<std::int64_t> memory_mib;
    /// Memory for each CPU that it gets, if it does not say how much on each node; nothing if the
    /// job does not say.
    std::optional<std::int64_t> memory_per_cpu_mib;
    std::vector<GpuRequest> gpus_per_node;
    std::int64_t gpus = 0;  ///< In the whole job.
    std::map<std::string, std::int64_t> licenses;
    /// The job starts only after these have ended.
    std::vector<JobIndex> after;
    bool exclusive = false;
    /// The nodes that have what the job asks for, such as features; nullptr: any.
    std::shared_ptr<const NodeSet> allowed;
    std::optional<std::int64_t> priority;
    /// It waits for ever, since its partition is down or it is beyond limits of it.
    bool is_beyond_partition = false;

    [[nodiscard]] std::int64_t cpus() const { return tasks * cpus_per_task; }
    /// CPUs that each node must have.
    [[nodiscard]] std::int64_t cpus_of_node() const {
        return (tasks_per_node > 0 ? tasks_per_node : 1) * cpus_per_task;
    }
    [[nodiscard]] bool wants_gpus() const { return !gpus_per_node.empty() || gpus > 0; }
    [[nodiscard]] std::int64_t gpus_on_node() const;
};

/// What a job has on one node.
struct Share {
    std::size_t node = 0;
    BitSet cores;
    std::int64_t core_count = 0;
    std::int64_t memory_mib = 0;
    std::uint64_t gpus = 0;  ///< Bit i is the device with index i.
};

enum class PriorityType : std::uint8_t { basic, multifactor };
enum class PreemptType : std::uint8_t { none, partition, qos };

/// The keys of slurm.conf that change decisions, with the defaults of Slurm 22.05.
struct Configuration {
    bool backfill = true;
    bool least_loaded = false;  ///< CR_LLN.
    bool counts_memory = true;  ///< As with CR_Core_Memory.
    std::int64_t memory_per_cpu_mib = 0;
    std::int64_t memory_per_node_mib = 0;
    std::int64_t default_queue_depth = 100;
    Seconds bf_resolution = 60;
    bool ends_round_up = false;  ///< Of reservations, as in 26.05.
    Seconds bf_window = 86'400;
    std::int64_t bf_max_job_test = 500;
    std::int64_t bf_node_space_size = 0;  ///< 0: as many as bf_max_job_test.
    std::int64_t bf_max_job_user = 0;     ///< 0: any number.
    std::int64_t bf_max_job_part = 0;
    std::int64_t bf_max_job_start = 0;
    std::int64_t bf_max_job_array_resv = 20;
    std::int64_t bf_min_prio_reserve = 0;
    Seconds bf_window_scale = 0;
    bool bf_licenses = false;
    bool bf_running_job_reserve = false;
    PreemptType preempt = PreemptType::none;
    PreemptMode preempt_mode = PreemptMode::off;
    PriorityType priority = PriorityType::basic;
    std::int64_t weight_age = 0;
    std::int64_t weight_fair_share = 0;
    std::int64_t weight_job_size = 0;
    std::int64_t weight_partition = 0;
    std::int64_t weight_qos = 0;
    Seconds max_age = 7 * 86'400;
    bool favor_small = false;
    Seconds decay_half_life = 7 * 86'400;  ///< 0: usage never decays.
    /// EnforcePartLimits: jobs beyond limits of their partition are refused, and do not wait.
    bool limits_refuse = false;
    /// AccountingStorageEnforce: jobs without an association are refused.
    bool associations_matter = false;
    /// AccountingStorageEnforce=qos: and so are jobs with a QOS that their association lacks.
    bool qos_matters = false;
};

struct Cluster {
    std::vector<Node> nodes;
    std::vector<Partition> partitions;
    std::map<std::string, Qos> qos;
    std::map<std::string, Account> accounts;
    std::map<std::string, std::int64_t> licenses;
    Configuration configuration;
};

}  // namespace berth::core::slurm
