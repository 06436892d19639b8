/* One metric in all runs, when there are several. */

import {withUnit} from "../base/definitions.js";
import {choice, el} from "../base/dom.js";
import {redrawSections} from "../base/sections.js";
import {data, runNames, state} from "../base/state.js";
import {inUnit, markup, number, withInterval} from "../base/text.js";
import {colour} from "../base/theme.js";
import {axis, nameLabels, tooltip} from "../figures/look.js";
import {figure} from "../figures/show.js";
import {boxColours, boxShapes} from "./box_shapes.js";

/** One metric in all runs, when there are several. */
export function compareSection() {
  if (data.runs.length < 2) return null;
  const names = [...new Set(data.runs.flatMap((run) => run.metrics.map((m) => m.name)))].filter((name) =>
    data.runs.filter((run) => run.metrics.some((m) => m.name === name && m.mean != null)).length > 1);
  if (names.length === 0) return null;
  const differs = (name) => new Set(data.runs.map((run) => run.metrics.find((m) => m.name === name)?.mean)).size > 1;
  const usual = data.runs[0].answer.numbers.map(({metric}) => metric);
  const rank = (name) => (differs(name) ? (usual.includes(name) ? usual.indexOf(name) : usual.length) : usual.length + 1);
  names.sort((a, b) => rank(a) - rank(b));
  const equal = names.filter((name) => !differs(name));
  names.splice(names.length - equal.length, equal.length);
  if (names.length === 0) return [el("p", {class: "lead"}, "No metric differs between the runs.")];
  state.compared = Math.min(state.compared, names.length - 1);
  const name = names[state.compared];
  const rows = data.runs.map((run, i) => ({
    label: runNames[i],
    metric: run.metrics.find((m) => m.name === name && m.mean != null),
    box: run.distributions.find((d) => d.of === "replication" && d.name === name),
  })).filter((row) => row.metric);
  const describe = (row) => row.box ?? {mean: row.metric.mean, ci95: row.metric.ci95,
    box: [row.metric.min, row.metric.mean, row.metric.mean, row.metric.mean, row.metric.max].map((v) => v ?? row.metric.mean)};
  const mean = (m) => withInterval(name, m.mean, m.ci95);
  return {
    controls: el("div", {class: "controls"}, choice("Metric", names, state.compared, (i) => {
      state.compared = i;
      redrawSections(["compare"]);
    }, "compared")),
    content: [figure({
      id: "compare",
      title: name,
      height: 60 + 44 * rows.length,
      summary: rows.map((row) => `${row.label}: ${mean(row.metric)}`).join("; ") + ".",
      columns: [{title: "run", class: "name"}, {title: "mean ± 95%", number: true}, {title: "sd", number: true},
        {title: "min", number: true}, {title: "max", number: true}, {title: "n", number: true}],
      rows: () => rows.map(({label, metric: m}) => [label, mean(m), inUnit(name, m.sd), inUnit(name, m.min),
        inUnit(name, m.max), number(m.n)]),
      option: (width) => ({
        grid: {outerBoundsMode: "none", left: Math.min(width * 0.34, 12 + 7.4 * Math.max(...rows.map((r) => r.label.length))), right: 38, top: 6, bottom: 44},
        tooltip: tooltip({trigger: "item", formatter: (p) => {
          const row = rows[p.dataIndex];
          return `<b>${markup(row.label)}</b><br>mean ${mean(row.metric)}<br>range ${inUnit(name, row.metric.min)} to ` +
            `${inUnit(name, row.metric.max)}<br>n = ${number(row.metric.n)}`;
        }}),
        xAxis: axis({type: "value", scale: true, name: withUnit(name), nameLocation: "middle", nameGap: 28,
          axisLabel: {formatter: (v) => inUnit(name, v)}}),
        yAxis: axis({type: "category", inverse: true, data: rows.map((r) => r.label), axisLine: {show: false},
          splitLine: {show: false}, axisLabel: nameLabels(width * 0.32, {color: colour("ink")})}),
        series: [{type: "custom", encode: {x: [1, 2, 3], y: 0},
          data: rows.map((row, i) => [i, describe(row).mean, describe(row).box[0], describe(row).box[4]]),
          renderItem: (params, api) =>
            boxShapes({coord: ([v]) => api.coord([v, params.dataIndex])}, describe(rows[params.dataIndex]),
              api.coord([0, params.dataIndex])[1], 18, boxColours())}],
      }),
    })],
  };
}
