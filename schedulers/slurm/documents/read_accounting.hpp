#pragma once

#include <map>
#include <string>
#include <vector>

#include "schedulers/slurm/documents/slurm_setting.hpp"

namespace berth::experiments {

/// Adds what lines of sacctmgr say, as `sacctmgr -P -n show` prints them, to a cluster:
///   qos   format=Name,Priority,Preempt,PreemptMode,GrpTRES,MaxTRESPU,MaxJobsPU
///   assoc format=Account,User,Share,QOS,DefaultQOS
/// The key of a setting does not matter; its value is the line. `not_followed`: gets a sentence for
/// each limit that berth does not hold.
///
/// Errors: SlurmFault: a line with another number of fields, a user whose account has no line
///         before, a QOS that is preempted or used and has no line.
void read_accounting(const std::vector<SlurmSetting>& lines,
                     core::slurm::Cluster& cluster,
                     std::vector<std::string>& not_followed);

}  // namespace berth::experiments
