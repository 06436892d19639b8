/* How often jobs of one queue were preempted for jobs of another. */

import {markup, number} from "../../../experiments/program/report/page/base/text.js";
import {colour} from "../../../experiments/program/report/page/base/theme.js";
import {palette} from "../../../experiments/program/report/page/figures/colours.js";
import {axis, legend, nameLabels, tooltip} from "../../../experiments/program/report/page/figures/look.js";
import {eachReplication, reasonWords} from "./queue_words.js";
/** @import {FigureMaker, TipPoint} from "../../../experiments/program/report/page/figures/figure.d.ts" */
/** @import {Kueue} from "../../../experiments/program/report/page/data.d.ts" */

const pairsShown = 16;

/**
 * A bar for each pair of queues, divided by Kueue's reasons.
 * @type {FigureMaker<Kueue>}
 */
export function preemptionsFigure(kueue) {
  if (kueue.preempted.length === 0) return null;
  const reasons = kueue.reasons.map(([reason]) => reason).sort();
  /** @type {Map<string, {name: string; times: number; by: Map<string, number>}>} */
  const pairs = new Map();
  for (const [by, whom, reason, times] of kueue.preempted) {
    const key = JSON.stringify([by, whom]);
    const pair = pairs.get(key) ?? {name: by === whom ? `within ${by}` : `${whom}, for ${by}`, times: 0, by: new Map()};
    pair.times += times;
    pair.by.set(reason, times);
    pairs.set(key, pair);
  }
  const all = [...pairs.values()].sort((a, b) => b.times - a.times);
  const shown = all.slice(0, pairsShown);
  const each = (/** @type {number} */ times) => times / Math.max(1, kueue.replications);
  const longest = Math.max(...shown.map(({name}) => Math.min(name.length, 48)));
  return {
    id: "preemptions",
    title: `Preemptions between ClusterQueues${kueue.replications > 1 ? ", times in a replication" : ""}`,
    height: (width) => 84 + 30 * shown.length * (width < 600 ? 1.4 : 1),
    summary: `Most often ${shown.slice(0, 3).map(({name, times}) => `jobs of ${name} (${eachReplication(kueue, times)})`).join("; ")}.` +
      (all.length > shown.length ? ` The chart shows the ${pairsShown} pairs with most.` : "") +
      (kueue.preemptedRows > kueue.preempted.length ? ` The table has the ${number(kueue.preempted.length)} most frequent of ${number(kueue.preemptedRows)} pairs with a reason.` : ""),
    columns: [{title: "preempted for", class: "name"}, {title: "preempted", class: "name"}, {title: "reason"}, {title: "which means"}, {title: "times", number: true}],
    rows: () => kueue.preempted.map(([by, whom, reason, times]) => [by, whom, reason, reasonWords[reason] ?? "–", eachReplication(kueue, times)]),
    option: (width) => ({
      legend: legend({type: "scroll", top: 0, left: 0, right: 0, itemGap: 18, data: reasons}),
      grid: {outerBoundsMode: "none", left: Math.min(width * 0.46, 14 + 7 * longest), right: 40, top: 34, bottom: 28},
      tooltip: tooltip({trigger: "axis", axisPointer: {type: "shadow", shadowStyle: {color: colour("muted"), opacity: 0.12}},
        formatter: (/** @type {TipPoint<number, unknown>[]} */ list) => `<b>${markup(list[0].name)}</b><table class="tip">` + list.filter((p) => p.value > 0).map((p) =>
          `<tr><td>${p.marker}${markup(p.seriesName)}</td><td class="number">${number(Number(p.value.toPrecision(3)))}</td></tr>`).join("") + "</table>"}),
      xAxis: axis({type: "value", minInterval: 1}),
      yAxis: axis({type: "category", inverse: true, data: shown.map(({name}) => name), splitLine: {show: false}, axisLine: {show: false},
        axisLabel: nameLabels(Math.min(width * 0.46, 14 + 7 * longest) - 14, {color: colour("ink")})}),
      series: reasons.map((reason, k) => ({name: reason, type: "bar", stack: "times", barMaxWidth: 18, itemStyle: {color: palette()[k % 7]},
        data: shown.map(({by}) => each(by.get(reason) ?? 0))})),
    }),
  };
}
