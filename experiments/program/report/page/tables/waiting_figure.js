/* Pods by the reasons why they do not run. */

import {markup, number, plural} from "../base/text.js";
import {colour} from "../base/theme.js";
import {axis, nameLabels, tooltip} from "../figures/look.js";
/** @import {FigureMaker, NumberTip} from "../figures/figure.d.ts" */

/**
 * A bar for each reason.
 * @type {FigureMaker<[reason: string, pods: number][]>}
 */
export function waitingFigure(causes) {
  const longest = Math.max(...causes.map(([text]) => Math.min(text.length, 64)));
  return {
    id: "waiting",
    title: "Pods by reason",
    height: (width) => 46 + 34 * causes.length * (width < 600 ? 1.6 : 1),
    summary: causes.slice(0, 5).map(([text, count]) => `${text}: ${plural(count, "pod")}`).join("; ") + ".",
    columns: [{title: "reason", class: "message"}, {title: "pods", number: true}],
    rows: () => causes.map(([text, count]) => [text, number(count)]),
    option: (width) => ({
      grid: {outerBoundsMode: "none", left: Math.min(width * 0.5, 14 + 6.8 * longest), right: 56, top: 6, bottom: 28},
      tooltip: tooltip({trigger: "item", extraCssText: "white-space:normal;max-width:420px",
        formatter: (/** @type {NumberTip} */ p) => `${markup(causes[p.dataIndex][0])}<br><b>${plural(causes[p.dataIndex][1], "pod")}</b>`}),
      xAxis: axis({type: "value", minInterval: 1}),
      yAxis: axis({type: "category", inverse: true, data: causes.map(([text]) => text), splitLine: {show: false},
        axisLabel: nameLabels(Math.min(width * 0.5, 14 + 6.8 * longest) - 14, {color: colour("ink")})}),
      series: [{type: "bar", data: causes.map(([, count]) => count), barMaxWidth: 18, itemStyle: {color: colour("bar")},
        label: {show: true, position: "right", color: colour("muted"), formatter: (/** @type {NumberTip} */ p) => number(p.value)}}],
    }),
  };
}
