#include "tests/unit/report/quota_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <numbers>
#include <random>
#include <sstream>
#include <vector>

namespace berth::test {
namespace {

constexpr double sample_s = 300;
constexpr double gib = 1024.0 * 1024 * 1024;
constexpr std::array resources{"cpu", "nvidia.com/gpu", "memory"};
constexpr std::array per_gpu{12.0, 1.0, 96 * gib};  // what a pod with one GPU asks for
constexpr std::size_t none = SIZE_MAX;
constexpr double unlimited = INFINITY;

/// A quota with amounts in GPUs; the other resources follow from them.
struct Node {
    std::string name;
    std::size_t parent = none;
    double min = 0;
    double max = unlimited;
    double phase = 0;
    double request = 0;
    double runtime = 0;
    double used = 0;
    bool leaf = true;
    bool there = true;
    std::size_t over = 0;  ///< Samples of over-use so far.
    std::map<std::string, double> figures;
};

class Day {
public:
    explicit Day(const QuotaRunShape& shape) : shape_(shape) {
        static constexpr std::array departments{"research", "production", "analytics", "robotics"};
        static constexpr std::array projects{"train", "serve", "notebooks", "evaluation"};
        for (std::size_t d = 0; d < shape.departments; ++d) {
            const std::size_t department = add(numbered(departments, d), none, 0);
            for (std::size_t t = 0; t < shape.teams; ++t) {
                const std::string team_name = nodes_[department].name + "-" +
                                              std::string(1, char('a' + t % 26)) +
                                              (t < 26 ? "" : std::to_string(t));
                const std::size_t team = add(team_name, department, 0);
                const std::size_t count = 1 + (d + 2 * t) % shape.projects;
                for (std::size_t p = 0; p < count; ++p) {
                    const double min = 4.0 * double(1 + (d + t + p) % 4);
                    add(team_name + "-" + numbered(projects, p), team, min);
                    nodes_.back().phase = double(d) / double(shape.departments) + 0.07 * double(t);
                }
            }
        }
        for (std::size_t n = nodes_.size(); n-- > 0;) {  // children before their parents
            Node& node = nodes_[n];
            node.max = node.leaf ? 3 * node.min : 2 * node.min;
            if (node.parent != none) {
                nodes_[node.parent].min += node.min;
            } else {
                total_ += std::ceil(node.min * 1.05);
            }
        }
        if (shape.changes) {
            add("research-visitors", 0, 4);
            nodes_.back().max = 24;
            nodes_.back().there = false;
        }
    }

    void run() {
        for (std::size_t s = 0; s <= shape_.samples; ++s) {
            time_s_ = double(s) * sample_s;
            change(s);
            ask();
            share(none, total_ - default_used());
            settle();
            sample();
        }
    }

    double total() const { return total_; }
    const std::vector<Node>& nodes() const { return nodes_; }
    double end_s() const { return time_s_; }
    std::ostringstream quotas;
    std::ostringstream evictions;
    std::ostringstream changes;

private:
    template <class Names>
    static std::string numbered(const Names& names, std::size_t i) {
        return names[i % names.size()] +
               (i < names.size() ? std::string() : std::to_string(i / names.size()));
    }

    std::size_t add(const std::string& name, std::size_t parent, double min) {
        Node node;
        node.name = name;
        node.parent = parent;
        node.min = min;
        nodes_.push_back(node);
        if (parent != none) {
            nodes_[parent].leaf = false;
        }
        return nodes_.size() - 1;
    }

    double random() { return double(bits_() >> 11) / 9007199254740992.0; }
    double default_used() const { return 4 + 3 * std::sin(time_s_ / 9000); }

    void note(const char* what, const std::string& quota, bool accepted, const char* message) {
        changes << "0," << time_s_ << ',' << what << ',' << quota << ','
                << (accepted ? "true" : "false") << ",\"" << message << "\"\n";
    }

    void change(std::size_t s) {
        if (!shape_.changes) {
            return;
        }
        Node& visitors = nodes_.back();
        const std::size_t hour = shape_.samples / 24;
        if (s == 4 * hour) {
            visitors.there = true;
            note("create", visitors.name, true, "");
        } else if (s == 7 * hour) {
            note("update",
                 "research-a",
                 false,
                 "checkMinQuotaSum failed: research-a asks for more min than research has");
            note("create", "nobody", false, "the parent does not exist: nowhere");
        } else if (s == 12 * hour) {
            visitors.parent = 1;  // from the department to its first team
            note("update", visitors.name, true, "");
        } else if (s == 20 * hour) {
            visitors.there = false;
            visitors.used = visitors.request = 0;
            note("delete", visitors.name, true, "");
        }
    }

    void ask() {
        for (Node& node : nodes_) {
            if (!node.leaf) {
                node.request = 0;
            }
        }
        for (std::size_t n = nodes_.size(); n-- > 0;) {
            Node& node = nodes_[n];
            if (!node.there) {
                continue;
            }
            if (node.leaf) {
                const double day = std::sin(2 * std::numbers::pi * (time_s_ / 86400 + node.phase));
                const double wanted = node.min * (1.05 + 1.3 * day) + 3 * (random() - 0.5);
                // Work comes and goes slowly, in whole GPUs.
                const double next = node.request + 0.2 * (wanted - node.request);
                node.request = std::max(0.0, random() < 0.5 ? std::round(next) : node.request);
            }
            if (node.parent != none) {
                nodes_[node.parent].request += std::min(node.request, node.max);
            }
        }
    }

    /// Water filling in real numbers, with the max as the weight.
    void share(std::size_t parent, double total) {
        std::vector<Node*> children;
        double mins = 0;
        for (Node& node : nodes_) {
            if (node.there && node.parent == parent) {
                children.push_back(&node);
                mins += node.min;
            }
        }
        const double scale = mins > total ? std::max(0.0, total) / mins : 1;
        double left = total;
        for (Node* child : children) {
            child->runtime = std::min(std::min(child->request, child->max), child->min * scale);
            left -= child->runtime;
        }
        for (int round = 0; round < 20 && left > 1e-9; ++round) {
            double weights = 0;
            for (const Node* child : children) {
                weights += child->runtime < wanted(*child) - 1e-9 ? child->max : 0;
            }
            if (weights == 0) {
                break;
            }
            const double handed = left;
            for (Node* child : children) {
                if (child->runtime < wanted(*child) - 1e-9) {
                    const double more =
                        std::min(handed * child->max / weights, wanted(*child) - child->runtime);
                    child->runtime += more;
                    left -= more;
                }
            }
        }
        for (Node* child : children) {
            if (!child->leaf) {
                share(std::size_t(child - nodes_.data()), child->runtime);
            }
        }
    }

    static double wanted(const Node& node) { return std::min(node.request, node.max); }

    void settle() {
        for (Node& node : nodes_) {
            node.used = node.leaf ? node.used : 0;
        }
        for (std::size_t n = nodes_.size(); n-- > 0;) {
            Node& node = nodes_[n];
            if (node.leaf && node.there) {
                settle(node);
            }
            if (node.parent != none && node.there) {
                nodes_[node.parent].used += node.used;
            }
            account(node);
        }
    }

    void settle(Node& node) {
        const double limit = std::floor(node.runtime + 1e-9);
        node.used = std::min(node.used, node.request);
        node.over = node.used > limit ? node.over + 1 : 0;
        if (node.over > shape_.patience) {
            const double lost = node.used - limit;
            for (double pod = 0; pod < lost; ++pod) {
                const double ran_s = std::round(3600 * (0.2 + 5 * random()));
                const bool failed = random() < 0.05;
                evictions << "0," << time_s_ << ',' << node.name << "-pod-" << ++pods_ << ','
                          << node.name << ',' << (failed ? "node-failed" : "revoked") << ','
                          << ran_s << ',' << ran_s / 2 << '\n';
                node.figures["revoked"] += failed ? 0 : 1;
                node.figures["lost_s"] += ran_s / 2;
            }
            node.used = limit;
            node.over = 0;
        } else if (node.used < std::min(limit, node.request)) {
            node.used = std::min(std::min(limit, node.request), node.used + 3);
        }
    }

    void account(Node& node) {
        node.figures["over_use_s"] += node.used > node.runtime + 1e-9 ? sample_s : 0;
        node.figures["min_violation_s"] +=
            node.used < std::min(node.min, node.request) ? sample_s : 0;
        node.figures["waited"] += std::max(0.0, node.request - node.used) * sample_s;
        node.figures["ran"] += node.used * sample_s;
    }

    void row(const std::string& name, const Node& node, const std::string& parent) {
        for (std::size_t r = 0; r < resources.size(); ++r) {
            const auto amount = [&](double gpus) {
                std::ostringstream text;
                text.precision(17);
                if (std::isfinite(gpus)) {
                    text << gpus * per_gpu[r];
                }
                return text.str();
            };
            quotas << "0," << time_s_ << ',' << name << ',' << resources[r] << ','
                   << (node.min > 0 ? amount(node.min) : "") << ',' << amount(node.max) << ','
                   << amount(node.runtime) << ',' << amount(node.request) << ','
                   << amount(node.used) << ',' << amount(node.min) << ',' << parent << '\n';
        }
    }

    void sample() {
        Node outside;
        outside.used = outside.request = default_used();
        outside.runtime = unlimited;
        row("koordinator-default-quota", outside, "koordinator-root-quota");
        for (const Node& node : nodes_) {
            if (node.there) {
                row(node.name,
                    node,
                    node.parent == none ? "koordinator-root-quota" : nodes_[node.parent].name);
            }
        }
    }

    QuotaRunShape shape_;
    std::vector<Node> nodes_;
    std::mt19937_64 bits_{7};
    double total_ = 0;
    double time_s_ = 0;
    int pods_ = 0;
};

void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

std::string summary_of(const Day& day, const QuotaRunShape& shape) {
    std::ostringstream out;
    out << R"({"schema": "berth.summary/v1", "experiment": ")" << shape.experiment
        << R"(", "replications": )" << shape.replications
        << R"(, "metrics": {"pods_finished": {"mean": 5120, "n": 1})";
    const auto metric = [&](const Node& node, const std::string& figure, double value) {
        out << ",\n  \"quota/" << node.name << '/' << figure << R"(": {"mean": )" << value
            << R"(, "min": )" << value << R"(, "max": )" << value << R"(, "n": 1})";
    };
    for (const Node& node : day.nodes()) {
        const auto figure = [&](const char* name) {
            const auto found = node.figures.find(name);
            return found == node.figures.end() ? 0.0 : found->second;
        };
        metric(node,
               "wait_s_mean",
               std::round(1800 * figure("waited") / std::max(1.0, figure("ran"))));
        for (const char* name : {"min_violation_s", "over_use_s", "revoked", "lost_s"}) {
            metric(node, name, figure(name));
        }
        metric(node, "preempted", 0);
        metric(node,
               "dominant_share",
               std::round(1000 * figure("ran") / day.total() / day.end_s()) / 1000);
        metric(node, "nvidia.com/gpu_lent_h", std::round(node.min));
    }
    out << "},\n \"claims\": []}\n";
    return out.str();
}

std::string nodes_of(double total) {
    std::ostringstream out;
    out.precision(17);
    out << "node,rack";
    for (const char* name : resources) {
        out << ',' << name << "_capacity," << name << "_background";
    }
    out << '\n';
    for (int n = 0; n * 8 < int(total); ++n) {
        out << "node-" << n << ",rack-" << n / 8;
        for (const double amount : per_gpu) {
            out << ',' << 8 * amount << ",0";
        }
        out << '\n';
    }
    return out.str();
}

}  // namespace

void write_quota_run(const std::filesystem::path& directory, const QuotaRunShape& shape) {
    std::filesystem::create_directories(directory);
    Day day(shape);
    day.run();
    std::string quotas =
        "replication,time_s,quota,resource,min,max,runtime,request,used,scaled_min,parent\n";
    for (std::size_t r = 0; r < shape.replications; ++r) {
        std::istringstream rows(day.quotas.str());
        for (std::string row; std::getline(rows, row);) {
            quotas += std::to_string(r) + row.substr(1) + '\n';
        }
    }
    write(directory / "quotas.csv", quotas);
    write(directory / "evictions.csv",
          "replication,time_s,pod,quota,cause,ran_s,lost_s\n" + day.evictions.str());
    write(directory / "quota_changes.csv",
          "replication,time_s,change,quota,accepted,message\n" + day.changes.str());
    write(directory / "nodes.csv", nodes_of(day.total()));
    write(directory / "summary.json", summary_of(day, shape));
}

}  // namespace berth::test
