/* Mean waits by quota, of several runs. */

import {el} from "../base/dom.js";
import {data, runNames} from "../base/state.js";
import {duration, markup, number, plural} from "../base/text.js";
import {colour} from "../base/theme.js";
import {palette} from "../figures/colours.js";
import {axis, legend, nameLabels, tooltip} from "../figures/look.js";
import {figure} from "../figures/show.js";
import {timeTicks} from "../figures/time_axis.js";
import {keptTable} from "./quota_table.js";

/** Mean waits of the runs that have them: quotas by rows, runs by columns. */
export function quotaWaitsSection() {
  const runs = data.runs.map((run, i) => ({label: runNames[i], metrics: run.quotaMetrics, waits: run.quotaMetrics?.figures.wait_s_mean}))
    .filter((run) => run.waits);
  if (runs.length < 2) return null;
  const names = [...new Set(runs.flatMap((run) => run.metrics.names))];
  const places = runs.map((run) => new Map(run.metrics.names.map((name, i) => [name, i])));
  const wait = (name, k) => runs[k].waits.mean[places[k].get(name)] ?? null;
  const longest = (name) => Math.max(...runs.map((_, k) => wait(name, k) ?? 0));
  const rows = names.filter((name) => runs.some((_, k) => wait(name, k) != null)).map((name) => ({name})).sort((a, b) => longest(b.name) - longest(a.name));
  if (rows.length === 0) return null;
  const shown = rows.slice(0, 12);
  const lower = runs.map((_, k) => rows.filter(({name}) => runs.every((_, other) => other === k ||
    (wait(name, k) != null && wait(name, other) != null && wait(name, k) < wait(name, other)))).length);
  const sort = {column: 0, descending: false};
  return [
    figure({
      id: "quota-waits",
      title: "Mean wait by quota",
      height: 70 + shown.length * (12 + 13 * runs.length),
      summary: runs.map((run, k) => `${run.label} has the shortest wait in ${number(lower[k])} of ${plural(rows.length, "quota")}`).join("; ") +
        (rows.length > shown.length ? `. The chart shows the ${shown.length} with the longest.` : "."),
      columns: [{title: "quota", class: "name"}, ...runs.map((run) => ({title: run.label, number: true}))],
      rows: () => rows.map(({name}) => [name, ...runs.map((_, k) => (wait(name, k) == null ? "–" : duration(wait(name, k))))]),
      option: (width) => ({
        legend: legend({type: "scroll", top: 0, left: 0, right: 0, itemGap: 18, data: runs.map((run) => run.label)}),
        grid: {outerBoundsMode: "none", left: Math.min(width * 0.34, 14 + 7.4 * Math.max(...shown.map((s) => s.name.length))), right: 40, top: 34, bottom: 30},
        tooltip: tooltip({trigger: "axis", axisPointer: {type: "shadow", shadowStyle: {color: colour("muted"), opacity: 0.12}},
          formatter: (list) => `<b>${markup(list[0].name)}</b><table class="tip">` + list.map((p) =>
            `<tr><td>${p.marker}${markup(p.seriesName)}</td><td class="number">${p.value == null ? "–" : duration(p.value)}</td></tr>`).join("") + "</table>"}),
        xAxis: axis({type: "value", axisLabel: {formatter: (v) => duration(v)}, ...timeTicks(2 * longest(shown[0].name))}),
        yAxis: axis({type: "category", inverse: true, data: shown.map((s) => s.name), splitLine: {show: false}, axisLine: {show: false},
          axisLabel: nameLabels(width * 0.32, {color: colour("ink")})}),
        series: runs.map((run, k) => ({name: run.label, type: "bar", barMaxWidth: 14, barGap: "10%", itemStyle: {color: palette()[k % 7]},
          data: shown.map(({name}) => wait(name, k))})),
      }),
    }),
    el("div", {class: "quota-table"}, keptTable([{title: "Quota", class: "name", value: (row) => names.indexOf(row.name), cell: (row) => row.name},
      ...runs.map((run, k) => ({title: run.label, number: true, value: (row) => wait(row.name, k), cell: (row) => {
        const [mean, ci95] = [wait(row.name, k), runs[k].waits.ci95[places[k].get(row.name)]];
        return mean == null ? "–" : ci95 > 0 ? `${duration(mean)} ± ${duration(ci95)}` : duration(mean);
      }}))], rows, sort, "Mean wait by quota and run")),
  ];
}
