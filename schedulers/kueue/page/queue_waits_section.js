/* The waits for quota by ClusterQueue in several runs. */

import {data, runNames} from "../../../experiments/program/report/page/base/state.js";
import {waitsSection} from "../../../experiments/program/report/page/quotas/waits_section.js";
/** @import {Made} from "../../../experiments/program/report/page/base/page.d.ts" */

/** @returns {Made} */
export function queueWaitsSection() {
  const runs = data.runs.flatMap(({queues, metrics}, i) => {
    if (!queues?.kueue) return [];
    const {kinds} = queues.kueue;
    const names = queues.names.filter((_, q) => kinds[q] === "ClusterQueue");
    const byName = new Map(metrics.map((metric) => [metric.name, metric]));
    const of = (/** @type {string} */ name) => byName.get(`queue/${name}/admission_wait_s_mean`);
    return [{label: runNames[i], names, mean: (/** @type {string} */ name) => of(name)?.mean ?? null, ci95: (/** @type {string} */ name) => of(name)?.ci95 ?? null}];
  });
  return waitsSection(runs, "ClusterQueue");
}
