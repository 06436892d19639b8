/* Metrics over time, and which of them. */

import {choice, el} from "../base/dom.js";
import {redrawSections} from "../base/sections.js";
import {state} from "../base/state.js";
import {bytes, duration, markup, number, percent, plural} from "../base/text.js";
import {palette} from "../figures/colours.js";
import {axis, legendRows, plainLineLegend, sliderColours, tooltip} from "../figures/look.js";
import {figure} from "../figures/show.js";
import {timeTicks} from "../figures/time_axis.js";
import {firstSeries, rangeSeries, unitOf, windowMark} from "./series_figure.js";

export function seriesSection(run) {
  if (!run.answer.takesTime) return null;
  const series = run.series;
  if (!series) return null;
  const band = state.series === "all" ? series.band : undefined;
  const one = band ? null : series.runs.find((r) => r.replication === state.series) ?? series.runs[0];
  const time = band ? band.time : one.time;
  const values = band ? band.mean : one.values;
  if (time.length < 2) return null;
  const titles = {share: "share", ratio: "ratio", percent: "%", seconds: "seconds", bytes: "bytes", number: "count"};
  const all = series.columns.map((name, c) => ({name, c, unit: unitOf(name, values[c])}))
    .filter(({c}) => values[c].some((v) => v != null));
  const constant = all.filter(({c}) => (band ? [...band.low[c], ...band.high[c]] : values[c]).every((v, _, list) => v == null || v === list.find((w) => w != null)));
  const shown = all.filter((s) => !constant.includes(s));
  if (shown.length === 0) return null;
  const first = firstSeries(shown.map(({name}) => name), run.cluster?.resources[run.cluster.paid]);
  const units = Object.keys(titles).filter((unit) => shown.some((s) => s.unit === unit));
  const each = units.length === 1 ? 260 : 170;
  const top = (width) => 22 + 24 * legendRows(shown.map((s) => s.name), width, 28, 16);
  const between = 26;
  // Those that are drawn at first have the first colours.
  const place = (i) => (first.includes(shown[i].name) ? first.indexOf(shown[i].name) : first.length + shown.slice(0, i).filter(({name}) => !first.includes(name)).length);
  const colourOf = (i) => palette()[place(i) % 7];
  const dash = (i) => ["solid", "dashed", "dotted"][Math.floor(place(i) / 7) % 3];
  const show = (unit, v) => (unit === "share" ? percent(v) : unit === "bytes" ? bytes(v) : number(v));
  const controls = el("div", {class: "controls"});
  if (series.band) {
    const texts = [`mean and range of ${series.count}`, ...series.runs.map((r) => `replication ${r.replication}`)];
    const selected = band ? 0 : 1 + series.runs.indexOf(one);
    controls.append(choice("Show", texts, selected, (i) => {
      state.series = i === 0 ? "all" : series.runs[i - 1].replication;
      redrawSections(["series"]);
    }, "replication"));
  }
  const last = time.at(-1);
  const mostOf = (unit) => Math.max(...shown.filter((s) => s.unit === unit)
    .map(({c}) => (band ? band.high : values)[c].reduce((a, b) => Math.max(a, b ?? a), 0)));
  return {
    controls,
    content: [
      el("p", {class: "lead"}, "Drag the slider to zoom; click a name to hide or show it." +
        (band ? ` Lines are means over ${series.count} replications, the shade is their range.` : "") +
        (run.window ? ` Metrics are of the time from ${duration(run.window.from)} to ${run.window.to == null ? "the end" : duration(run.window.to)}; what is outside is shaded.` : "") +
        (shown.length > first.length ? ` ${plural(shown.length - first.length, "line")} of the legend ${shown.length - first.length === 1 ? "is" : "are"} hidden at first.` : "") +
        (constant.length > 0 ? ` Not drawn, for they do not vary: ${constant.map(({name, c}) => `${name} (always ${number(values[c].find((v) => v != null))})`).join(", ")}.` : "")),
      figure({
        id: "series",
        renderer: "canvas",
        height: (width) => top(width) + units.length * (each + between) + 58,
        summary: `${plural(shown.length, "metric")} over ${duration(last - time[0])}. ` + shown.filter(({name}) => first.includes(name)).map(({name, c, unit}) => {
          const known = values[c].filter((v) => v != null);
          return `${name}: ${show(unit, Math.min(...known))} to ${show(unit, Math.max(...known))}, at the end ${show(unit, known.at(-1))}`;
        }).join("; ") + ".",
        columns: [{title: "time", number: true}, ...shown.map(({name}) => ({title: name, number: true}))],
        rows: () => time.map((t, i) => [duration(t), ...shown.map(({c}) => number(values[c][i]))]),
        option: (width) => ({
          legend: plainLineLegend({top: 0, left: 0, right: 0, itemGap: 16, data: shown.map((s) => s.name),
            selected: Object.fromEntries(shown.map(({name}) => [name, first.includes(name)]))}),
          grid: units.map((_, g) => ({outerBoundsMode: "none", left: 66, right: 34, top: top(width) + g * (each + between), height: each})),
          axisPointer: {link: [{xAxisIndex: "all"}]},
          tooltip: tooltip({trigger: "axis", formatter: (list) => {
            const rows = list.filter((p) => p.componentSubType === "line").map((p) => {
              const s = shown.find((x) => x.name === p.seriesName);
              return p.value[1] == null ? "" : `<tr><td>${p.marker}${markup(s.name)}</td>` +
                `<td class="number">${show(s.unit, p.value[1])}</td></tr>`;
            }).join("");
            return `<b>${duration(list[0].value[0])}</b><table class="tip">${rows}</table>`;
          }}),
          xAxis: units.map((_, g) => axis({type: "value", gridIndex: g, min: time[0], max: last, splitLine: {show: false},
            axisLabel: {show: g === units.length - 1, formatter: (v) => duration(v)}, ...timeTicks(last - time[0])})),
          yAxis: units.map((unit, g) => axis({type: "value", gridIndex: g, scale: unit !== "share", min: unit === "share" ? 0 : null,
            ...(unit === "share" && mostOf(unit) > 0.7 ? {max: 1, interval: 0.25} : {}),
            name: titles[unit], nameLocation: "middle", nameGap: 48, splitNumber: 4, axisLine: {show: false, onZero: false},
            axisLabel: {formatter: (v) => show(unit, v)}})),
          dataZoom: [
            {type: "slider", xAxisIndex: units.map((_, g) => g), bottom: 8, height: 22, filterMode: "none",
              ...sliderColours(), labelFormatter: (v) => duration(v)},
            {type: "inside", xAxisIndex: units.map((_, g) => g), filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseMove: true},
          ],
          series: [
            ...units.map((_, g) => windowMark(run, g, last)).filter(Boolean),
            ...shown.map(({name, c, unit}, i) => ({
              name, type: "line", xAxisIndex: units.indexOf(unit), yAxisIndex: units.indexOf(unit),
              step: "end", showSymbol: false, symbol: "none", connectNulls: false,
              lineStyle: {width: 1.6, color: colourOf(i), type: dash(i)}, itemStyle: {color: colourOf(i)},
              data: time.map((t, k) => [t, values[c][k]]),
            })),
            ...(band ? shown.flatMap(({c, unit, name}, i) => rangeSeries(band, c, units.indexOf(unit), colourOf(i), name)) : []),
          ],
        }),
      }),
    ],
  };
}
