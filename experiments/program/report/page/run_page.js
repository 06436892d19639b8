/* The page of one run or of several. */

import {answerOfRuns} from "./answer/answer.js";
import {schedulers} from "./base/schedulers.js";
import {showPage} from "./base/sections.js";
import {data, runNames, state} from "./base/state.js";
import {number} from "./base/text.js";
import {claimsSection} from "./claims/claims_section.js";
import {clusterSection} from "./cluster/cluster_section.js";
import {filmSection} from "./cluster/film_section.js";
import {levelsSection} from "./cluster/levels_section.js";
import {differencesSection} from "./compare/differences_section.js";
import {deviceCompareSection} from "./devices/device_compare.js";
import {localitySection} from "./devices/locality_section.js";
import {serverSection} from "./devices/server_section.js";
import {cumulativeSection} from "./distributions/cumulative_section.js";
import {distributionsSection} from "./distributions/distributions_section.js";
import {compareSection} from "./distributions/runs_section.js";
import {failuresSection} from "./failures/failures_section.js";
import {ganttSection} from "./pods/gantt_section.js";
import {quotasSection} from "./quotas/quotas_section.js";
import {quotaWaitsSection} from "./quotas/waits_section.js";
import {seriesSection} from "./series/series_section.js";
import {sharingSection} from "./sharing/sharing_section.js";
import {groupsSection} from "./tables/groups_section.js";
import {metricsSection} from "./tables/metrics_section.js";
import {configurationSection, originSection} from "./tables/origin_section.js";
import {waitingSection} from "./tables/waiting_section.js";
/** @import {Section} from "./base/page.d.ts" */
/** @import {Run} from "./data.d.ts" */

const always = () => true;
/**
 * Whether the picture of one moment is closed at first. If the run only asks for a placement, the
 * fullest moment says most; otherwise the reader opens it.
 * @param {Run} run
 */
const overTime = (run) => run.answer.takesTime && !run.placement;

/**
 * Each section makes its content for the current run, or null if there is nothing to show.
 * @type {Section[]}
 */
const ofEveryRun = [
  ["claims", "Claims", claimsSection],
  ["cluster", "The cluster at one moment", clusterSection, overTime],
  ["film", "The cluster over time", filmSection],
  ["levels", "Level by level", levelsSection, overTime],
  ["gantt", "Pods over time", ganttSection],
  ["locality", "How near GPUs are", localitySection],
  ["server", "Inside a server", serverSection],
  ["groups", "Groups", groupsSection, overTime],
  ["quotas", "Quotas", quotasSection],
  ["device-compare", "GPU allocation side by side", deviceCompareSection],
  ["sharing", "How GPUs are used", sharingSection],
  ["failures", "What failures cost", failuresSection],
  ["compare", "The runs side by side", compareSection],
  ["differences", "Is the difference real?", differencesSection],
  ["quota-waits", "Wait by quota", quotaWaitsSection],
  ["cumulative", "Waits and completion times", cumulativeSection],
  ["distributions", "Distributions", distributionsSection, always],
  ["series", "Over time", seriesSection],
  ["waiting", "Why pods wait", waitingSection],
  ["metrics", "Metrics", metricsSection],
  ["configuration", "Configuration", configurationSection, always],
  ["origin", "How it was made", originSection, always],
];

/** All sections in their order, with those that the schedulers add. */
export const sectionsInOrder = () => ofEveryRun.flatMap((section) => [section, ...schedulers.flatMap((one) => one.sections[section[0]] ?? [])]);

/** The page of the chosen run. */
export function render() {
  const run = data.runs[state.run];
  const compared = data.verdicts?.length ?? 0;
  showPage({sections: sectionsInOrder(), answer: answerOfRuns(run), title: compared === 1 ? `${runNames[1]} against ${runNames[0]}`
    : compared > 1 ? `${number(compared)} runs against ${runNames[0]}`
      : data.runs.length > 1 ? `${number(data.runs.length)} runs side by side` : run.experiment});
}
