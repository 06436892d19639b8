#include "schedulers/slurm/documents/read_accounting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace berth::experiments {
namespace {

using core::slurm::Cluster;
using core::slurm::Limits;
using core::slurm::Qos;

std::vector<SlurmSetting> fields_of(const SlurmSetting& line) {
    std::vector<SlurmSetting> fields;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= line.value.size(); ++i) {
        if (i == line.value.size() || line.value[i] == '|') {
            fields.push_back({line.place,
                              fmt::format("field {}", fields.size() + 1),
                              line.value.substr(begin, i - begin)});
            begin = i + 1;
        }
    }
    return fields;
}

/// Limits by resource; those of resources that berth does not count are named in `not_followed`.
Limits limits_of(const SlurmSetting& field, std::vector<std::string>& not_followed) {
    Limits limits;
    for (const std::string& item : field.items()) {
        const std::size_t equals = item.find('=');
        if (equals == std::string::npos) {
            field.fail("resources such as cpu=8,gres/gpu=4");
        }
        const SlurmSetting count{field.place, item.substr(0, equals), item.substr(equals + 1)};
        if (count.key == "cpu" || count.key == "node" || count.key == "gres/gpu") {
            limits[count.key] = count.whole(0);
        } else {
            not_followed.push_back(fmt::format("{}: a limit of {}", field.place, count.key));
        }
    }
    return limits;
}

void read_qos(const std::vector<SlurmSetting>& fields,
              Cluster& cluster,
              std::vector<std::string>& not_followed) {
    Qos qos;
    qos.name = fields[0].value;
    qos.priority = fields[1].value.empty() ? 0 : fields[1].whole(0);
    qos.preempts = fields[2].items();
    // `cluster` stands for the PreemptMode of the cluster.
    if (!fields[3].value.empty() && !same_word(fields[3].value, "cluster")) {
        qos.preempt_mode = fields[3].preempt_mode();
    }
    qos.group = limits_of(fields[4], not_followed);
    qos.per_user = limits_of(fields[5], not_followed);
    if (!fields[6].value.empty()) {
        qos.jobs_per_user = fields[6].whole(0);
    }
    cluster.qos[qos.name] = qos;
}

void read_association(const std::vector<SlurmSetting>& fields, Cluster& cluster) {
    const std::string& account = fields[0].value;
    core::slurm::AssociationTerms terms;
    terms.shares = fields[2].value.empty() ? 1 : fields[2].whole(1);
    terms.qos = fields[3].items();
    terms.default_qos = fields[4].value;
    if (fields[1].value.empty()) {
        cluster.accounts[account].own = std::move(terms);
        return;
    }
    const auto found = cluster.accounts.find(account);
    if (found == cluster.accounts.end()) {
        fields[0].fail("an account that has a line of its own before");
    }
    found->second.users[fields[1].value] = std::move(terms);
}

void check_qos(const SlurmSetting& field, const Cluster& cluster) {
    for (const std::string& name : field.items()) {
        if (!cluster.qos.contains(name)) {
            SlurmSetting{field.place, field.key, name}.fail("a QOS that has a line");
        }
    }
}

}  // namespace

void read_accounting(const std::vector<SlurmSetting>& lines,
                     Cluster& cluster,
                     std::vector<std::string>& not_followed) {
    for (const SlurmSetting& line : lines) {
        const std::vector<SlurmSetting> fields = fields_of(line);
        if (fields.size() == 7) {
            read_qos(fields, cluster, not_followed);
        } else if (fields.size() == 5) {
            read_association(fields, cluster);
        } else {
            line.fail(
                "the 7 fields Name|Priority|Preempt|PreemptMode|GrpTRES|MaxTRESPU|MaxJobsPU of a "
                "QOS, or the 5 fields Account|User|Share|QOS|DefaultQOS of an association");
        }
    }
    for (const SlurmSetting& line : lines) {
        const std::vector<SlurmSetting> fields = fields_of(line);
        check_qos(fields.size() == 7 ? fields[2] : fields[3], cluster);
        if (fields.size() == 5) {
            check_qos(fields[4], cluster);
        }
    }
}

}  // namespace berth::experiments
